import Telemetry

/// Reads CSV with named columns; see `CSVColumns` for the names.
final class CSVDecoder: FormatDecoder {
    /// The longest row, in bytes.
    static let rowLimit = 1024 * 1024

    private let source: ByteSource
    private var reader: CSVRowReader
    private var scanner: CSVScanner
    private let columnCount: Int
    /// Rows read so far, the header among them, as a spreadsheet numbers them.
    private var row = 1
    private var hasRows = false

    init(source: ByteSource, context: inout DecodingContext) throws(IngestError) {
        self.source = source
        _ = try source.require(3)
        if source.bytes.starts(with: [0xef, 0xbb, 0xbf]) { source.consume(3) }
        let header = try CSVHeader(source: source)
        columnCount = header.names.count
        scanner = CSVScanner(delimiter: header.delimiter, newline: header.newline)
        row = header.row
        let columns = CSVColumns(header: header.names, speedUnit: context.options.speedUnit)
        try CSVDecoder.check(columns, header: header, source: source)
        if !columns.unknown.isEmpty { context.note("columns not read: \(CSVDecoder.shown(columns.unknown))") }
        if !columns.repeated.isEmpty {
            context.note(
                "columns passed over for others of the same meaning: \(CSVDecoder.shown(columns.repeated))"
            )
        }
        if let name = columns.odometerWithoutUnit {
            context.note("column \(name) not read: its unit is unknown; name it odometer_m or odometer_km")
        }
        var device: Int32?
        if columns.columns[.device] == nil {
            device = try context.fallbackDevice()
        } else if let option = context.options.device {
            context.note("the file names its devices; --device \(option) is not used")
        }
        reader = CSVRowReader(columns: columns, device: device, options: context.options)
    }

    /// The first of many names, and how many more there are.
    private static func shown(_ names: [String]) -> String {
        let limit = 20
        let shown = names.prefix(limit).map { $0.count > 60 ? $0.prefix(60) + "…" : $0[...] }.joined(separator: ", ")
        return names.count > limit ? "\(shown) and \(names.count - limit) more" : shown
    }

    private static func check(_ columns: CSVColumns, header: CSVHeader, source: ByteSource) throws(IngestError) {
        let missing = columns.missing
        guard missing.isEmpty else {
            let found =
                columns.columns.isEmpty
                ? "the text begins \"\(header.names.joined(separator: ", ").prefix(80))\""
                : "the columns are \(header.names.joined(separator: ", ").prefix(300))"
            throw IngestError(
                kind: .notWhatItSeems,
                source: source.name,
                place: "row \(header.row)",
                message: "a CSV header needs \(missing.joined(separator: ", ")); \(found)"
            )
        }
        if let name = columns.speedWithoutUnit {
            throw IngestError(
                kind: .needsOption,
                source: source.name,
                place: "row \(header.row)",
                message: "column \(name) names no unit; say --speed-unit kmh, mps, kn or mph"
            )
        }
    }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        var used = 0
        defer { source.consume(used) }
        var bytes = source.bytes
        while chunk.rowCount < context.options.chunkSize {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            if !rest.isEmpty {
                switch scanner.scan(rest, isAtEnd: source.isAtEnd) {
                case .row(let length):
                    guard length <= CSVDecoder.rowLimit else { throw tooLong() }
                    row += 1
                    let content = UnsafeRawBufferPointer(rebasing: rest[..<length])
                    if scanner.count != 1 || !CSVDecoder.isBlank(content) {
                        take(content, into: &chunk, context: &context)
                        hasRows = true
                    }
                    used += length
                    continue
                case .more: break
                case .unclosed:
                    throw IngestError(
                        kind: .truncated,
                        source: source.name,
                        place: "row \(row + 1)",
                        message: "a quote is opened and never closed"
                    )
                }
            }
            guard rest.count <= CSVDecoder.rowLimit else { throw tooLong() }
            if source.isAtEnd {
                if !hasRows { context.note("there are no rows below the header") }
                return false
            }
            source.consume(used)
            used = 0
            try source.readMore()
            bytes = source.bytes
        }
        return true
    }

    private func tooLong() -> IngestError {
        IngestError(
            kind: .tooLarge,
            source: source.name,
            place: "row \(row + 1)",
            message: "the row is longer than \(CSVDecoder.rowLimit) bytes; perhaps a quote is never closed"
        )
    }

    private static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy(InputFormat.isSpace) }

    @inline(__always)
    private func take(_ content: UnsafeRawBufferPointer, into chunk: inout DecodedChunk, context: inout DecodingContext)
    {
        var device: Int32?
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        let problem: Admission.Problem?
        if scanner.isMalformed {
            problem = Admission.Problem(.malformed, "text stands behind a closing quote, or there are too many fields")
        } else if scanner.count != columnCount {
            let returns = content.dropLast(2).contains(0x0d) && scanner.newline != 0x0d
            problem = Admission.Problem(
                .malformed,
                returns
                    ? "carriage returns stand inside the row; every line must end as the first does"
                    : "the header has \(columnCount) fields and the row \(scanner.count); "
                        + "a decimal comma would do that, numbers are written with a point"
            )
        } else {
            problem = reader.read(content, scanner, &context.table, into: &position, device: &device)
        }
        if let problem {
            let text = String(decoding: content.prefix(1024), as: UTF8.self)
            chunk.refusals.append(context.refusal(problem, place: "row \(row)", device: device, content: text))
        } else if let device {
            chunk.append(position, device: device)
        }
    }
}

/// The first row that is not blank, and what separates its fields.
struct CSVHeader {
    var names: [String] = []
    var delimiter = UInt8(ascii: ",")
    var newline = UInt8(ascii: "\n")
    var row = 0

    init(source: ByteSource) throws(IngestError) {
        while true {
            guard try source.require(1) else {
                throw IngestError(kind: .empty, source: source.name, message: "there is nothing in it but blank lines")
            }
            while !source.bytes.contains(0x0a), !source.isAtEnd, source.count < 65536 { try source.readMore() }
            newline = CSVHeader.newline(of: source.bytes)
            let line = UnsafeRawBufferPointer(rebasing: source.bytes.prefix { $0 != newline })
            row += 1
            if line.allSatisfy(InputFormat.isSpace) {
                source.consume(min(line.count + 1, source.count))
                continue
            }
            delimiter = CSVHeader.delimiter(of: line)
            var scanner = CSVScanner(delimiter: delimiter, newline: newline)
            guard case .row(let length) = scanner.scan(source.bytes, isAtEnd: source.isAtEnd) else {
                throw IngestError(
                    kind: .notWhatItSeems,
                    source: source.name,
                    place: "row \(row)",
                    message: "the first row is no CSV header"
                )
            }
            for index in 0..<scanner.count {
                let field = scanner.field(index)
                let bytes = source.bytes[Int(field.start)..<Int(field.start + field.count)]
                names.append(CSVHeader.trimmed(String(decoding: bytes, as: UTF8.self)))
            }
            source.consume(length)
            return
        }
    }

    /// A carriage return when one ends the first line that is not blank and no newline follows it.
    private static func newline(of bytes: UnsafeRawBufferPointer) -> UInt8 {
        let newline = UInt8(ascii: "\n")
        var isQuoted = false
        var hasText = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == newline { return newline }
            if byte == 0x0d, hasText {
                return bytes[index...].first { $0 != 0x0d } == newline ? newline : byte
            }
            hasText = hasText || !InputFormat.isSpace(byte)
        }
        return newline
    }

    /// Of comma, semicolon, tab and bar the one that stands most often outside quotes.
    private static func delimiter(of line: UnsafeRawBufferPointer) -> UInt8 {
        var counts = [UInt8: Int]()
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        let candidates = [",", ";", "\t", "|"].map { (character: Unicode.Scalar) in UInt8(ascii: character) }
        var best = candidates[0]
        for candidate in candidates where counts[candidate, default: 0] > counts[best, default: 0] { best = candidate }
        return best
    }

    private static func trimmed(_ name: String) -> String {
        var name = name[...]
        while let first = name.first, first.isWhitespace { name.removeFirst() }
        while let last = name.last, last.isWhitespace { name.removeLast() }
        return String(name)
    }
}
