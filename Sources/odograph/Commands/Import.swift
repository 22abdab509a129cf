import Arguments
import CivilTime
import Foundation
import Ingest
import Reports
import Telemetry
import Tracking
import TripStore

/// Reading positions from files.
enum ImportCommand {
    static let format = Option(
        "format",
        value: "FORMAT",
        help:
            "One of \(InputFormat.allCases.map(\.rawValue).joined(separator: ", ")); else recognised from the content."
    )
    static let device = Option(
        "device",
        value: "ID",
        help: "The device of files that name none; else the file's name without its extension."
    )
    static let assumeZone = Option(
        "assume-zone",
        value: "ZONE",
        help: "The zone of times that name none: an IANA name or UTC; else such rows are refused."
    )
    static let speedUnit = Option(
        "speed-unit",
        value: "UNIT",
        help: "The unit of a column speed, or what a GTFS-Realtime feed really sends: "
            + "\(SpeedUnit.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    static let noGeocode = Option("no-geocode", help: "Do not look for addresses at the end.")
    static let strict = Option("strict", help: "End with exit code 65 when a report was refused.")
    static let summary = Option(
        "summary",
        value: "FORMAT",
        help: "json: one JSON object as the last line of standard output."
    )

    enum SummaryFormat: String, CaseIterable {
        case json
    }

    static let command = Command<Action>(
        "import",
        summary: "read positions from files of any known format",
        discussion: [
            "Knows framed odograph.v1 batches, GTFS-Realtime vehicle positions, GPX, CSV with named columns, GeoJSON "
                + "points, Overland batches and OwnTracks recorder files. What is read again changes nothing. A report that is refused is counted by its reason and kept: see "
                + "odograph quarantine. A file that is not what it seems ends with exit code 65, after the others were "
                + "imported; what was good in it stays.",
            "CSV has a first line with the columns' names: device (or vehicle, imei), lat, lon, time (ISO 8601 with "
                + "its offset) or time_ms, and if there are any speed_kmh, speed_mps, speed_kn, heading, altitude, "
                + "accuracy, hdop, satellites, odometer, ignition.",
        ],
        operands: [Operand("FILE", .oneOrMore, help: "Files, or - for standard input.")],
        options: [
            format, device, assumeZone, speedUnit, noGeocode, GeocodeCommands.providers, GeocodeCommands.language,
            GeocodeCommands.publicNominatim, strict, summary,
        ],
        examples: [
            Example("odograph import drive.gpx --device 'Van 7'", "One drive of one vehicle."),
            Example("odograph import fleet.csv --assume-zone Europe/Berlin --speed-unit kmh", "A file that says less."),
            Example("curl -s https://agency.example/vehicles.pb | odograph import -", "A GTFS-Realtime feed, once."),
            Example("odograph import --summary json --no-geocode *.odo | tail -n 1 | jq .refused", "For a program."),
        ]
    ) { context in
        let options = try context.readOptions()
        let summaryFormat: SummaryFormat? = try context.choice(summary)
        let store = try await context.openStore(.create)
        let recorder = try await context.recorder(for: store)
        let (paths, width) = (context.operands, context.terminal.errorWidth)
        let imported = try await recorder.importing(asOf: context.now) { feed throws(StoreError) in
            var reading = ImportReading(options: options, width: width, paths: paths)
            for path in paths { try await reading.read(path, into: feed) }
            reading.finish()
            return reading.code
        }
        let outcome = ImportOutcome(imported.summary)
        Terminal.say(outcome.text)
        for line in outcome.advice { Terminal.say(line) }
        if summaryFormat == .json { try context.write(outcome.json.text + "\n") }
        // Last, since what was imported is safe and told whatever becomes of the addresses.
        if !context.invocation.has(noGeocode) { try await context.resolveAddresses(in: store) }
        await store.close()
        var code = imported.result
        if code == .success, context.invocation.has(strict), outcome.refusedCount > 0 { code = .badData }
        return code
    }
}

extension Context {
    fileprivate func readOptions() throws -> ReadOptions {
        var options = ReadOptions(admission: Admission(receivedTime: now))
        options.format = try choice(ImportCommand.format)
        options.device = try device(ImportCommand.device)
        options.speedUnit = try choice(ImportCommand.speedUnit)
        if let name = invocation[ImportCommand.assumeZone] {
            guard let zone = Zone(name) else {
                throw CommandFailure(.usage, "--assume-zone: there is no time zone \(name)")
            }
            options.assumedZone = zone
        }
        return options
    }

    /// What records positions in a store and draws its trips.
    func recorder(for store: any TrackStorage) async throws -> Recorder {
        try await Recorder(storage: store) { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    }

    /// Draws anew what settings or an erasure changed.
    func derive(in store: any TrackStorage) async throws {
        try await recorder(for: store).settle(asOf: now)
    }
}

extension ImportOutcome {
    fileprivate init(_ summary: ImportSummary) {
        self.init()
        accepted = Int64(summary.accepted)
        duplicate = Int64(summary.duplicate)
        refused = summary.refused.mapValues(Int64.init)
        vehicles = Int64(summary.vehicles)
        trips = Int64(summary.trips)
    }
}
