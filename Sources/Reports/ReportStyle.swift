package import CivilTime

/// The forms in which every report can be written.
package enum ReportFormat: String, CaseIterable, Sendable {
    case table, csv, json, ndjson
}

/// How a report is to look.
package struct ReportStyle: Sendable {
    package var format: ReportFormat
    package var zone: Zone
    package var csv = CSVStyle()
    /// Columns of the terminal; nil when the output goes elsewhere.
    package var terminalWidth: Int?
    package var hasColours = false

    package init(format: ReportFormat = .table, zone: Zone = .utc) {
        self.format = format
        self.zone = zone
    }

    /// What writes records in this style.
    ///
    /// - Parameters:
    ///   - columns: of CSV, and the keys of JSON.
    ///   - table: the columns for people.
    /// - Returns: a fresh formatter, good for one report.
    package func formatter<Record>(
        columns: [Column<Record>],
        table: [TableColumn<Record>]
    ) -> any RecordFormatter<Record> {
        switch format {
        case .table:
            TableFormatter(columns: table, zone: zone, terminalWidth: terminalWidth, hasColours: hasColours)
        case .csv: CSVFormatter(columns: columns, style: csv, zone: zone)
        case .json: JSONFormatter(columns: columns, zone: zone)
        case .ndjson: NDJSONFormatter(columns: columns, zone: zone)
        }
    }
}

/// The forms in which trips can be written: those of every report, and those that show the way.
package enum TripFormat: String, CaseIterable, Sendable {
    case table, csv, json, ndjson, geojson, gpx

    /// The same form as other reports have it; nil for one that shows the way.
    package var report: ReportFormat? { ReportFormat(rawValue: rawValue) }
}
