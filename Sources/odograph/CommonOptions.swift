import Arguments
import Ingest
import Reports

typealias Action = @Sendable (Context) async throws -> ExitCode

extension Option {
    static let store = Option(
        "store",
        value: "PATH",
        help: "The store; default ODOGRAPH_STORE, else a file in your data folder."
    )

    static let zone = Option(
        "zone",
        value: "ZONE",
        help: "Time zone of days and of printed times: an IANA name such as Europe/Berlin, an offset such as +02:00, "
            + "system for this machine's; default UTC."
    )
    static let format = Option(
        "format",
        value: "FORMAT",
        help: "One of \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")); default table."
    )
    static let separator = Option(
        "separator",
        value: "CHARACTER",
        help: "Between the fields of CSV, \";\" or tab for one; default a comma."
    )
    static let byteOrderMark = Option("bom", help: "Begin CSV with a byte order mark, for spreadsheets that need one.")
    static let vehicle = Option("vehicle", value: "NAME", help: "Only this vehicle, by its name or device.")
    static let since = Option("since", value: "TIME", help: "Only what ends after this.")
    static let until = Option("until", value: "TIME", help: "Only what begins before this; a day counts as a whole.")
    static let day = Option("day", value: "DAY", help: "Only this day, or this month: yesterday, 2026-03-29, 2026-03.")

    static let report: [Option] = [.format, .zone, .separator, .byteOrderMark]
    static let history: [Option] = [.vehicle, .since, .until, .day]
}

extension [String] {
    /// What every command with times says about them.
    static let timeForms = [
        "Times are given as people say them: now, today, yesterday, monday (the latest before today), 2026-03-29, "
            + "2026-03, 2026-03-29T10:15, 2026-03-29T10:15:00+02:00, -90m, -6h, -7d, -2w. Days begin in --zone."
    ]
}
