import Arguments
import Reports
import Telemetry
import TripStore

/// Reading back what was refused.
enum QuarantineCommand {
    static let counts = Option("counts", help: "Only how many there are for each reason.")

    static let command = Command<Action>(
        "quarantine",
        summary: "list reports that were refused, with the reason and where they came from",
        options: [counts] + Option.report,
        examples: [
            Example("odograph quarantine --counts", "How many reports were refused, by reason."),
            Example("odograph quarantine --format csv > refused.csv", "All of them, as they came."),
        ]
    ) { context in
        let style = try context.style()
        let store = try await context.openStore()
        let count: Int
        if context.invocation.has(counts) {
            let counts = try await store.refusalCounts().sorted { $0.key.rawValue < $1.key.rawValue }
            count = try await context.write(
                RecordStream(counts.map { RefusalCount(reason: $0.key, count: $0.value) }),
                columns: Column.refusalCounts,
                table: TableColumn.refusalCounts,
                style: style
            )
        } else {
            count = try await context.write(
                try await store.refusals(),
                columns: Column.refusals,
                table: TableColumn.refusals,
                style: style
            )
        }
        if count == 0, style.format == .table { Terminal.say("Nothing was refused.") }
        await store.close()
        return .success
    }
}
