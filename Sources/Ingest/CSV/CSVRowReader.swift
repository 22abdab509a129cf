import Telemetry

/// Understands the fields of one CSV row and has it judged.
struct CSVRowReader {
    private typealias Column = CSVColumns.Column
    private typealias Meaning = CSVColumns.Meaning

    private let device: Int32?
    private let deviceColumn: Column?
    private let latitude: Column
    private let longitude: Column
    private let timeColumn: Column
    private let dateColumn: Column?
    private let ignition: Column?
    private let valid: Column?
    private let numbers: [(meaning: Meaning, column: Column)]
    private let admission: Admission
    private let timeUnit: TimeText.Unit
    private let isUTC: Bool
    private var time = TimeText()
    private var zone: ZoneConverter?
    /// Holds a field whose doubled quotes were made single.
    private let scratch = CSVScratch()

    /// - Parameters:
    ///   - columns: with latitude, longitude and time.
    ///   - device: the device of all rows, when there is no column for it.
    ///   - options: zone and admission.
    init(columns: CSVColumns, device: Int32?, options: ReadOptions) {
        let found = columns.columns
        guard let latitude = found[.latitude], let longitude = found[.longitude], let time = found[.time] else {
            preconditionFailure("the header was checked")
        }
        (self.latitude, self.longitude, timeColumn) = (latitude, longitude, time)
        deviceColumn = found[.device]
        dateColumn = found[.date]
        ignition = found[.ignition]
        valid = found[.valid]
        self.device = device
        admission = options.admission
        timeUnit = columns.timeUnit
        isUTC = columns.isUTC
        zone = options.assumedZone.map(ZoneConverter.init)
        let optional: [Meaning] = [.speed, .heading, .altitude, .accuracy, .hdop, .satellites, .odometer]
        numbers = optional.compactMap { meaning in found[meaning].map { (meaning, $0) } }
    }

    /// Reads a row of as many fields as the header has.
    ///
    /// - Returns: why it is refused, if it is; `device` is set as soon as it is known.
    mutating func read(
        _ row: UnsafeRawBufferPointer,
        _ scanner: borrowing CSVScanner,
        _ table: inout DeviceTable,
        into position: inout Position,
        device: inout Int32?
    ) -> Admission.Problem? {
        var report = Report()
        if let deviceColumn {
            let bytes = field(deviceColumn, row, scanner)
            guard !CSVRowReader.isNothing(bytes) else {
                return Admission.Problem(.noDevice, "\(deviceColumn.name) is empty")
            }
            device = table.index(of: bytes)
            guard device != nil else {
                return Admission.Problem(
                    .badDevice,
                    "\(deviceColumn.name) must be 1 to 128 bytes of UTF-8 without control characters"
                )
            }
        } else {
            device = self.device
        }
        var clock = field(timeColumn, row, scanner)
        if let dateColumn, !clock.isEmpty { clock = joined(dateColumn, row, scanner, clock) }
        if let problem = readTime(clock, into: &report) { return problem }
        if let problem = degrees(latitude, row, scanner, &report.latitude, &report.hasLatitude) { return problem }
        if let problem = degrees(longitude, row, scanner, &report.longitude, &report.hasLongitude) { return problem }
        for (meaning, column) in numbers {
            let bytes = field(column, row, scanner)
            if bytes.isEmpty || CSVRowReader.isNothing(bytes) { continue }
            guard let number = Number.decimal(bytes) else { return CSVRowReader.notANumber(column, bytes, .malformed) }
            report.set(meaning, number * column.scale)
        }
        if let problem = readFlags(row, scanner, into: &report) { return problem }
        return admission.admit(report, into: &position)
    }

    private mutating func readTime(_ bytes: UnsafeRawBufferPointer, into report: inout Report) -> Admission.Problem? {
        guard !CSVRowReader.isNothing(bytes) else { return Admission.Problem(.noTime, "\(timeColumn.name) is empty") }
        switch time.read(bytes, number: timeUnit) {
        case .instant(let milliseconds):
            report.fixTimeMilliseconds = milliseconds
        case .local(let milliseconds):
            if isUTC {
                report.fixTimeMilliseconds = milliseconds
            } else if zone != nil {
                report.fixTimeMilliseconds = zone?.instant(ofLocal: milliseconds) ?? milliseconds
            } else {
                return Admission.Problem(
                    .timeWithoutZone,
                    "\(timeColumn.name) \(CSVRowReader.shown(bytes)) names no zone; say which with --assume-zone"
                )
            }
        case .none:
            return Admission.Problem(
                .badTime,
                "\(timeColumn.name) must be ISO 8601 or seconds or milliseconds since 1970, found \(CSVRowReader.shown(bytes))"
            )
        }
        report.hasTime = true
        return nil
    }

    @inline(__always)
    private mutating func degrees(
        _ column: Column,
        _ row: UnsafeRawBufferPointer,
        _ scanner: borrowing CSVScanner,
        _ value: inout Double,
        _ isPresent: inout Bool
    ) -> Admission.Problem? {
        let bytes = field(column, row, scanner)
        guard let number = Number.decimal(bytes) else {
            if CSVRowReader.isNothing(bytes) { return Admission.Problem(.noCoordinates, "\(column.name) is empty") }
            return CSVRowReader.notANumber(column, bytes, .badCoordinates)
        }
        value = column.scale == 1 ? number : number * column.scale
        isPresent = true
        return nil
    }

    private mutating func readFlags(
        _ row: UnsafeRawBufferPointer,
        _ scanner: borrowing CSVScanner,
        into report: inout Report
    ) -> Admission.Problem? {
        if let ignition {
            let bytes = field(ignition, row, scanner)
            if !CSVRowReader.isNothing(bytes) {
                guard let isOn = CSVRowReader.flag(bytes) else { return CSVRowReader.notAFlag(ignition, bytes) }
                report.setIgnition(isOn)
            }
        }
        if let valid {
            let bytes = field(valid, row, scanner)
            if !CSVRowReader.isNothing(bytes) {
                guard let isValid = CSVRowReader.flag(bytes) else { return CSVRowReader.notAFlag(valid, bytes) }
                report.setValid(isValid)
            }
        }
        return nil
    }

    /// A field without white space at its ends and with doubled quotes made single; valid until the next call.
    @inline(__always)
    private func field(
        _ column: Column,
        _ row: UnsafeRawBufferPointer,
        _ scanner: borrowing CSVScanner
    ) -> UnsafeRawBufferPointer {
        let field = scanner.field(column.index)
        var start = Int(field.start)
        var end = start + Int(field.count)
        while start < end, row[start] == 0x20 || row[start] == 0x09 { start += 1 }
        while end > start, row[end - 1] == 0x20 || row[end - 1] == 0x09 { end -= 1 }
        let bytes = UnsafeRawBufferPointer(rebasing: row[start..<end])
        return field.hasEscapes ? scratch.unescaped(bytes) : bytes
    }

    /// A date and the time that stands in another column, as one text; a time that has its own date stays as it is.
    private func joined(
        _ dateColumn: Column,
        _ row: UnsafeRawBufferPointer,
        _ scanner: borrowing CSVScanner,
        _ time: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        // A date with quotes in it is none, and would be put where `time` may lie.
        guard !scanner.field(dateColumn.index).hasEscapes else { return time }
        let date = field(dateColumn, row, scanner)
        guard date.count == 10, time.count >= 5, time[2] == UInt8(ascii: ":") else { return time }
        return scratch.joined(date, time)
    }

    /// Whether a field says that there is no value: empty, or one of the words that programs write for that.
    @inline(__always)
    private static func isNothing(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.isEmpty || bytes.count <= 4 && !(bytes[0] &- 0x30 < 10) && isNothingWord(bytes)
    }

    @inline(never)
    private static func isNothingWord(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ["null", "none", "\\n", "n/a"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }

    private static func flag(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        if bytes.count == 1, bytes[0] == 0x30 || bytes[0] == 0x31 { return bytes[0] == 0x31 }
        switch String(decoding: bytes.prefix(8), as: UTF8.self).lowercased() {
        case "true", "on", "yes", "t", "y": return true
        case "false", "off", "no", "f", "n": return false
        default: return nil
        }
    }

    private static func notAFlag(_ column: Column, _ bytes: UnsafeRawBufferPointer) -> Admission.Problem {
        Admission.Problem(.malformed, "\(column.name) must be true or false, 1 or 0, found \(shown(bytes))")
    }

    @inline(never)
    private static func notANumber(
        _ column: Column,
        _ bytes: UnsafeRawBufferPointer,
        _ reason: Refusal.Reason
    ) -> Admission.Problem {
        bytes.contains(UInt8(ascii: ","))
            ? Admission.Problem(reason, "\(column.name) \(shown(bytes)) has a comma; numbers are written with a point")
            : Admission.Problem(reason, "\(column.name) must be a number, found \(shown(bytes))")
    }

    private static func shown(_ bytes: UnsafeRawBufferPointer) -> String {
        "\"" + String(decoding: bytes.prefix(60), as: UTF8.self) + (bytes.count > 60 ? "…" : "") + "\""
    }
}

/// Memory for one field whose doubled quotes were made single.
private final class CSVScratch {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

    deinit { storage.deallocate() }

    /// The texts with a space between them; valid until the next call.
    func joined(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // The second may lie in this memory, so that the result is put together elsewhere.
        let text = Array(first) + [0x20] + Array(second)
        if text.count > storage.count {
            storage.deallocate()
            storage = .allocate(byteCount: text.count * 2, alignment: 1)
        }
        storage.copyBytes(from: text)
        return UnsafeRawBufferPointer(rebasing: storage[..<text.count])
    }

    /// The text with doubled quotes made single; valid until the next call.
    func unescaped(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if bytes.count > storage.count {
            storage.deallocate()
            storage = .allocate(byteCount: bytes.count * 2, alignment: 1)
        }
        var index = 0
        var count = 0
        while index < bytes.count {
            storage[count] = bytes[index]
            count += 1
            index += bytes[index] == UInt8(ascii: "\"") ? 2 : 1
        }
        return UnsafeRawBufferPointer(rebasing: storage[..<count])
    }
}
