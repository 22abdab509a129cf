package import CivilTime

/// A column of a table for people.
package struct TableColumn<Record>: Sendable {
    package enum Alignment: Sendable { case left, right }

    package var heading: String
    package var alignment: Alignment
    /// It gives way first where the terminal is narrow.
    package var isFlexible: Bool
    /// Where that is not enough columns are left out, the highest rank first; 0 stays.
    package var rank: Int
    package var text: @Sendable (Record, Zone) -> String

    package init(
        _ heading: String,
        _ alignment: Alignment = .left,
        isFlexible: Bool = false,
        rank: Int = 0,
        text: @escaping @Sendable (Record, Zone) -> String
    ) {
        self.heading = heading
        self.alignment = alignment
        self.isFlexible = isFlexible
        self.rank = rank
        self.text = text
    }
}

/// Writes records as a table aligned by display width.
///
/// Widths come from the first thousand records, so that memory stays constant; later texts that are wider push their
/// line to the right. Only on a terminal lines are cut to its width and headings stand out.
package struct TableFormatter<Record>: RecordFormatter {
    package var columns: [TableColumn<Record>]
    package var zone: Zone
    /// Columns of the terminal; nil to cut nothing.
    package var terminalWidth: Int?
    package var hasColours: Bool
    /// Headings of columns that were left out for want of width; known at the end.
    package private(set) var hidden: [String] = []
    private var waiting: [[String]] = []
    private var widths: [Int]?

    package init(
        columns: [TableColumn<Record>],
        zone: Zone = .utc,
        terminalWidth: Int? = nil,
        hasColours: Bool = false
    ) {
        self.columns = columns
        self.zone = zone
        self.terminalWidth = terminalWidth
        self.hasColours = hasColours
    }

    package func begin(_ out: inout [UInt8]) {}

    package mutating func append(_ record: Record, to out: inout [UInt8]) {
        if let widths {
            write(columns.map { $0.text(record, zone).printable }, widths: widths, to: &out)
        } else {
            waiting.append(columns.map { $0.text(record, zone).printable })
            if waiting.count == 1000 { settle(&out) }
        }
    }

    package mutating func end(_ out: inout [UInt8]) {
        if widths == nil, !waiting.isEmpty { settle(&out) }
    }

    /// Chooses the widths and writes what waited for them.
    private mutating func settle(_ out: inout [UInt8]) {
        var chosen = naturalWidths()
        if let terminalWidth { narrow(&chosen, to: terminalWidth) }
        while let terminalWidth, TableFormatter.lineWidth(chosen) > terminalWidth, leaveOutColumn() {
            chosen = naturalWidths()
            narrow(&chosen, to: terminalWidth)
        }
        widths = chosen
        if hasColours { out.append("\u{1B}[1m") }
        write(columns.map(\.heading), widths: chosen, to: &out, ending: hasColours ? "\u{1B}[0m\n" : "\n")
        for row in waiting { write(row, widths: chosen, to: &out) }
        waiting = []
    }

    private func naturalWidths() -> [Int] {
        var widths = columns.map(\.heading.displayWidth)
        for row in waiting {
            for (index, text) in row.enumerated() { widths[index] = max(widths[index], text.displayWidth) }
        }
        return widths
    }

    /// Leaves out the column of the highest rank.
    ///
    /// - Returns: false when all that is left has to stay.
    private mutating func leaveOutColumn() -> Bool {
        guard let index = columns.indices.max(by: { columns[$0].rank < columns[$1].rank }), columns[index].rank > 0
        else { return false }
        hidden.append(columns.remove(at: index).heading)
        for row in waiting.indices { waiting[row].remove(at: index) }
        return true
    }

    private static func lineWidth(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * (widths.count - 1) }

    /// Takes width from the widest flexible column until the line fits or all of them are short.
    private func narrow(_ widths: inout [Int], to limit: Int) {
        var surplus = TableFormatter.lineWidth(widths) - limit
        while surplus > 0 {
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > 12 }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            surplus -= 1
        }
    }

    private func write(_ row: [String], widths: [Int], to out: inout [UInt8], ending: String = "\n") {
        var line = ""
        for (index, text) in row.enumerated() {
            if index > 0 { line += "  " }
            let shown = terminalWidth == nil ? text : text.cut(toWidth: widths[index])
            let isRight = columns[index].alignment == .right
            line += index == row.count - 1 && !isRight ? shown : shown.padded(toWidth: widths[index], atFront: isRight)
        }
        if let terminalWidth { line = line.cut(toWidth: terminalWidth) }
        while line.last == " " { line.removeLast() }
        out.append(line)
        out.append(ending)
    }
}
