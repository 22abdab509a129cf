/// Finds the fields of one CSV row as RFC 4180 writes them, in place.
struct CSVScanner: ~Copyable {
    /// Where a field stands in the row, without its quotes.
    struct Field {
        var start: Int32
        var count: Int32
        /// Doubled quotes inside are to be read as one.
        var hasEscapes: Bool
    }

    enum Outcome {
        /// The row, with its line end, has this many bytes.
        case row(Int)
        /// The row goes on behind the bytes.
        case more
        /// A quote that is never closed.
        case unclosed
    }

    /// More columns than this are not told apart.
    static let columnLimit = 1024

    let delimiter: UInt8
    /// What ends a row: a newline, or a carriage return in files that have no newlines.
    let newline: UInt8
    private let fields: UnsafeMutablePointer<Field>
    /// The number of fields of the last row.
    private(set) var count = 0
    /// Text stood behind the closing quote of a field of the last row.
    private(set) var isMalformed = false

    init(delimiter: UInt8, newline: UInt8) {
        self.newline = newline
        self.delimiter = delimiter
        fields = .allocate(capacity: CSVScanner.columnLimit)
    }

    deinit { fields.deallocate() }

    /// A field of the last row.
    @inline(__always)
    func field(_ index: Int) -> Field {
        precondition(index < count, "a field of the row")
        return fields[index]
    }

    /// Scans the row that begins with the first of the bytes, of which there is at least one.
    @inline(__always)
    mutating func scan(_ bytes: UnsafeRawBufferPointer, isAtEnd: Bool) -> Outcome {
        let end = bytes.count
        let quote = UInt8(ascii: "\"")
        var index = 0
        count = 0
        isMalformed = false
        while true {
            var start = index
            var stop: Int
            var hasEscapes = false
            if index < end, bytes[index] == quote {
                start += 1
                index += 1
                while true {
                    while index < end, bytes[index] != quote { index += 1 }
                    if index + 1 >= end {
                        guard isAtEnd else { return .more }
                        guard index < end else { return .unclosed }
                        break
                    }
                    guard bytes[index + 1] == quote else { break }
                    hasEscapes = true
                    index += 2
                }
                stop = index
                index += 1
                let rest = index
                while index < end, bytes[index] != delimiter, bytes[index] != newline { index += 1 }
                if index > rest,
                    !(index == rest + 1 && bytes[rest] == UInt8(ascii: "\r")
                        && (index == end || bytes[index] == newline))
                {
                    isMalformed = true
                }
            } else {
                while index < end, bytes[index] != delimiter, bytes[index] != newline { index += 1 }
                stop = index
                if stop > start, bytes[stop - 1] == UInt8(ascii: "\r"), index == end || bytes[index] == newline {
                    stop -= 1
                }
            }
            if index >= end, !isAtEnd { return .more }
            if count < CSVScanner.columnLimit {
                fields[count] = Field(start: Int32(start), count: Int32(stop - start), hasEscapes: hasEscapes)
                count += 1
            } else {
                isMalformed = true
            }
            if index >= end { return .row(end) }
            index += 1
            if bytes[index - 1] == newline { return .row(index) }
        }
    }
}
