package import CivilTime

/// How CSV is written, by RFC 4180: UTF-8, lines end in CR LF, fields are quoted where they must be.
package struct CSVStyle: Hashable, Sendable {
    /// One ASCII character between fields.
    package var separator: UInt8 = UInt8(ascii: ",")
    /// Begins with the UTF-8 byte order mark that some spreadsheets need.
    package var hasByteOrderMark = false

    package init() {}

    /// The separator that a text means, `tab` or one printable character; nil for what stands in quotes, numbers or
    /// times.
    package static func separator(_ text: String) -> UInt8? {
        if text == "tab" || text == "\t" || text == "\\t" { return UInt8(ascii: "\t") }
        guard text.utf8.count == 1, let byte = text.utf8.first, (0x20..<0x7F).contains(byte),
            !text.contains(where: { $0.isLetter || $0.isNumber || "\"'.+-:".contains($0) })
        else { return nil }
        return byte
    }
}

/// Writes records as CSV.
///
/// Numbers have a decimal point whatever the locale. A text that begins with `=`, `+`, `-`, `@`, `'`, a tab or a
/// carriage return gets one apostrophe before it, so that no spreadsheet takes it for a formula; taking one off
/// restores it. Numbers, times and texts that begin otherwise are left as they are.
package struct CSVFormatter<Record>: RecordFormatter {
    package var columns: [Column<Record>]
    package var style: CSVStyle
    package var zone: Zone

    package init(columns: [Column<Record>], style: CSVStyle = CSVStyle(), zone: Zone = .utc) {
        self.columns = columns
        self.style = style
        self.zone = zone
    }

    package func begin(_ out: inout [UInt8]) {
        if style.hasByteOrderMark { out.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
        for (index, column) in columns.enumerated() {
            if index > 0 { out.append(style.separator) }
            append(text: column.name, to: &out)
        }
        out.append("\r\n")
    }

    package func append(_ record: Record, to out: inout [UInt8]) {
        for (index, column) in columns.enumerated() {
            if index > 0 { out.append(style.separator) }
            write(column.cell(record), to: &out)
        }
        out.append("\r\n")
    }

    package func end(_ out: inout [UInt8]) {}

    private func write(_ cell: Cell, to out: inout [UInt8]) {
        switch cell {
        case .absent: break
        case .text(let text): append(text: text, to: &out)
        case .integer(let value): out.append(decimal: value)
        case .thousandths(let value): out.append(thousandths: value)
        case .degrees(let value): out.append(degreesE7: value)
        case .instant(let instant): out.append(zone.text(instant))
        }
    }

    private func append(text: String, to out: inout [UInt8]) {
        let bytes = text.utf8
        let isGuarded = bytes.first.map { CSVGuard.isNeeded(before: $0) } ?? false
        let isQuoted = bytes.contains { byte in
            byte == style.separator || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r")
        }
        if isQuoted { out.append(UInt8(ascii: "\"")) }
        if isGuarded { out.append(UInt8(ascii: "'")) }
        if isQuoted {
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { out.append(byte) }
                out.append(byte)
            }
            out.append(UInt8(ascii: "\""))
        } else {
            out.append(contentsOf: bytes)
        }
    }
}

/// The first characters that spreadsheets take for the begin of a formula, and the apostrophe itself.
package enum CSVGuard {
    package static func isNeeded(before byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "'"),
            UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            true
        default: false
        }
    }
}
