import Telemetry

/// Reads fix times as files write them: ISO 8601, or a number of seconds or milliseconds since 1970-01-01 UTC.
struct TimeText {
    /// What a bare number counts.
    enum Unit {
        /// Below 1e11 in magnitude seconds (until the year 5138), from there to below 1e14 milliseconds (from 1973-03-03).
        case byMagnitude
        case seconds
        case milliseconds
    }

    enum Reading: Equatable {
        /// Milliseconds of UTC since 1970-01-01.
        case instant(Int64)
        /// A clock reading without a zone, as if it were UTC.
        case local(Int64)
        case none
    }

    private var cachedDate: UInt64 = 0
    private var cachedSuffix: UInt16 = 0
    private var cachedDay: Int64 = 0

    /// Reads trimmed text.
    mutating func read(_ bytes: UnsafeRawBufferPointer, number unit: Unit = .byMagnitude) -> Reading {
        if let reading = readOrdinary(bytes) { return reading }
        // Only a date has a hyphen behind four digits.
        if bytes.count < 5 || bytes[4] != 0x2d { return TimeText.readNumber(bytes, unit) }
        if let reading = ClockReading(iso8601: bytes) {
            return reading.timestamp.map { .instant($0.milliseconds) } ?? .local(reading.asUTC.milliseconds)
        }
        return .none
    }

    /// `2026-03-29T10:15:30`, perhaps with a fraction and a zone, quickly; nil says to look more closely.
    @inline(__always)
    private mutating func readOrdinary(_ bytes: UnsafeRawBufferPointer) -> Reading? {
        let count = bytes.count
        guard count >= 19, bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54 || bytes[10] == 0x20,
            bytes[13] == 0x3a, bytes[16] == 0x3a
        else { return nil }
        let date = bytes.loadUnaligned(as: UInt64.self)
        let suffix = bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        if date != cachedDate || suffix != cachedSuffix {
            guard let year = TimeText.digits(bytes, 0, 4), let month = TimeText.digits(bytes, 5, 2),
                let day = TimeText.digits(bytes, 8, 2)
            else { return nil }
            let civil = CivilDate(year: year, month: month, day: day)
            guard civil.isValid else { return nil }
            (cachedDate, cachedSuffix, cachedDay) = (date, suffix, civil.daysSince1970)
        }
        guard let hour = TimeText.digits(bytes, 11, 2), let minute = TimeText.digits(bytes, 14, 2),
            let second = TimeText.digits(bytes, 17, 2), hour < 24, minute < 60, second < 60
        else { return nil }
        var milliseconds = cachedDay * 86_400_000 + Int64((hour * 60 + minute) * 60 + second) * 1000
        var index = 19
        if index < count, bytes[index] == 0x2e {
            var value: Int64 = 0
            var digits = 0
            index += 1
            while index < count, bytes[index] &- 0x30 < 10 {
                if digits < 4 { value = value * 10 + Int64(bytes[index] &- 0x30) }
                digits += 1
                index += 1
            }
            guard digits > 0 else { return nil }
            for _ in min(digits, 4)..<4 { value *= 10 }
            milliseconds += (value + 5) / 10
        }
        if index == count { return .local(milliseconds) }
        if index + 1 == count, bytes[index] == 0x5a { return .instant(milliseconds) }
        guard index + 6 == count, bytes[index] == 0x2b || bytes[index] == 0x2d, bytes[index + 3] == 0x3a,
            let hours = TimeText.digits(bytes, index + 1, 2), let minutes = TimeText.digits(bytes, index + 4, 2),
            hours <= 18, minutes < 60
        else { return nil }
        let offset = Int64(hours * 60 + minutes) * 60_000
        return .instant(bytes[index] == 0x2b ? milliseconds - offset : milliseconds + offset)
    }

    @inline(__always)
    private static func digits(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<start + count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    private static func readNumber(_ bytes: UnsafeRawBufferPointer, _ unit: Unit) -> Reading {
        if let value = Number.integer(bytes) {
            let isSeconds = unit == .seconds || unit == .byMagnitude && value.magnitude < 100_000_000_000
            let (product, overflow) = value.multipliedReportingOverflow(by: isSeconds ? 1000 : 1)
            guard !overflow, product.magnitude < 100_000_000_000_000_000 else { return .none }
            return unit == .byMagnitude && value.magnitude >= 100_000_000_000_000 ? .none : .instant(product)
        }
        guard let value = Number.decimal(bytes), value.isFinite else { return .none }
        let isSeconds = unit == .seconds || unit == .byMagnitude && value.magnitude < 1e11
        let milliseconds = (isSeconds ? value * 1000 : value).rounded()
        guard milliseconds.magnitude < 1e17, unit != .byMagnitude || milliseconds.magnitude < 1e14 else { return .none }
        return .instant(Int64(milliseconds))
    }
}
