package import CivilTime

/// A named value of a record: a column of CSV, a key of JSON.
///
/// The names and the order of columns are contracts: columns are only ever appended.
package struct Column<Record>: Sendable {
    package var name: String
    package var cell: @Sendable (Record) -> Cell
    /// What JSON has in its place, where a cell is not enough.
    package var json: (@Sendable (Record, Zone) -> JSON)?

    package init(
        _ name: String,
        json: (@Sendable (Record, Zone) -> JSON)? = nil,
        cell: @escaping @Sendable (Record) -> Cell
    ) {
        self.name = name
        self.json = json
        self.cell = cell
    }
}

/// Writes records, one after the other, into bytes that the caller passes on.
package protocol RecordFormatter<Record> {
    associatedtype Record

    mutating func begin(_ out: inout [UInt8])
    mutating func append(_ record: Record, to out: inout [UInt8])
    mutating func end(_ out: inout [UInt8])
}

extension Cell {
    package func json(zone: Zone) -> JSON {
        switch self {
        case .absent: .null
        case .text(let text): .string(text)
        case .integer(let value): .integer(value)
        case .thousandths(let value): .thousandths(value)
        case .degrees(let value): .degrees(value)
        case .instant(let instant): .string(zone.text(instant))
        }
    }
}
