import Arguments
import Foundation
import Reports
import TripStore

/// The export for cron.
enum ExportCommand {
    static let folder = Option("to", value: "DIR", help: "The folder for the files; made when its parent is there.")
    static let name = Option(
        "name",
        value: "NAME",
        help: "Which export this is: letters, digits, - and _; default trips. Each has its own memory of what it sent."
    )
    static let format = Option("format", value: "FORMAT", help: "csv or ndjson; default csv.")

    static let again = Option(
        "again",
        help: "Deliver every trip that is there anew, into DIR, whatever was sent before."
    )

    static let command = Command<Action>(
        "export",
        summary: "write what changed since the last export into whole files, for cron",
        discussion: [
            "Each change of a trip (new positions, an address, its removal) is delivered once by each named export, "
                + "as a row with the columns of odograph trips; a removed trip has the state removed. A file such as "
                + "trips-000001.csv is whole or absent, and a manifest beside it, trips-000001.manifest.json, names "
                + "its counts, its SHA-256 and whom its addresses are owed to. When nothing changed no file is "
                + "written. A run that was killed is completed by the next one.",
            "An export stays with its folder: another one, or the same after it was lost, needs --again.",
            "It says nothing when all is well. Exit code 75: another run of this export is not over yet.",
        ],
        options: [folder, name, again, format, .zone, .separator, .byteOrderMark],
        examples: [
            Example("odograph export --to /srv/trips", "What changed, as CSV."),
            Example(
                "15 2 * * * odograph export --to /srv/trips --name nightly --zone Europe/Berlin",
                "The line of a crontab: every night at a quarter past two."
            ),
        ]
    ) { context in
        guard let path = context.invocation[folder], !path.isEmpty else {
            throw CommandFailure(.usage, "say where with --to DIR")
        }
        let name = context.invocation[name] ?? "trips"
        guard ExportRequest.isName(name) else {
            throw CommandFailure(.usage, "--name takes 1 to 64 letters, digits, - and _")
        }
        let format: ExportRequest.Format = try context.choice(format) ?? .csv
        var request = ExportRequest(
            name: name,
            folder: URL(filePath: path).standardizedFileURL.path(percentEncoded: false),
            format: format,
            zone: try context.zone(),
            csv: try context.csvStyle(for: format.rawValue)
        )
        request.startsAgain = context.invocation.has(again)
        let store = try await context.openStore(.share)
        let deliveries = try await Exporter(request, from: store).run()
        await store.close()
        if context.terminal.errorWidth != nil {
            for delivery in deliveries {
                let removed = delivery.removed > 0 ? ", \(delivery.removed) removed" : ""
                Terminal.say("\(delivery.file): \(Measure.count(Int64(delivery.trips), "trip"))\(removed)")
            }
            if deliveries.isEmpty { Terminal.say("Nothing changed since the last export \(name).") }
        }
        return .success
    }
}
