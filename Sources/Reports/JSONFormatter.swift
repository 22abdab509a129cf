package import CivilTime

/// Writes records as one JSON array, a record on a line.
package struct JSONFormatter<Record>: RecordFormatter {
    package var columns: [Column<Record>]
    package var zone: Zone
    private var isEmpty = true

    package init(columns: [Column<Record>], zone: Zone = .utc) {
        self.columns = columns
        self.zone = zone
    }

    package func begin(_ out: inout [UInt8]) { out.append("[") }

    package mutating func append(_ record: Record, to out: inout [UInt8]) {
        out.append(isEmpty ? "\n" : ",\n")
        isEmpty = false
        columns.json(of: record, zone: zone).write(to: &out)
    }

    package func end(_ out: inout [UInt8]) { out.append(isEmpty ? "]\n" : "\n]\n") }
}

/// Writes records as JSON objects, one on a line.
package struct NDJSONFormatter<Record>: RecordFormatter {
    package var columns: [Column<Record>]
    package var zone: Zone

    package init(columns: [Column<Record>], zone: Zone = .utc) {
        self.columns = columns
        self.zone = zone
    }

    package func begin(_ out: inout [UInt8]) {}

    package func append(_ record: Record, to out: inout [UInt8]) {
        columns.json(of: record, zone: zone).write(to: &out)
        out.append(UInt8(ascii: "\n"))
    }

    package func end(_ out: inout [UInt8]) {}
}

extension Array {
    /// An object with the columns' names as keys.
    package func json<Record>(of record: Record, zone: Zone) -> JSON where Element == Column<Record> {
        .object(map { ($0.name, $0.json?(record, zone) ?? $0.cell(record).json(zone: zone)) })
    }
}
