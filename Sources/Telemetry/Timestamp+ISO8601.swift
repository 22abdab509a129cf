/// Year, month and day in the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Comparable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date a number of days after 1970-01-01.
    ///
    /// By Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01, negative before it; by the same source, days_from_civil.
    package var daysSince1970: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether the day exists in that month of that year.
    package var isValid: Bool {
        (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self
    }

    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// What a text says about an instant: the clock reading, and the zone when it names one.
package struct ClockReading: Hashable, Sendable {
    /// The reading taken as if it were UTC.
    package var asUTC: Timestamp
    /// Seconds east of UTC, or nil when the text names no zone.
    package var offsetSeconds: Int?

    /// The instant, or nil when the text names no zone.
    package var timestamp: Timestamp? {
        offsetSeconds.map { asUTC + Int64(-$0) * 1000 }
    }
}

extension ClockReading {
    /// Reads ISO 8601 as RFC 3339 narrows it, `2026-03-29T10:15:30.5+02:00`; nil for anything else.
    ///
    /// A space may stand for the `T`, the zone may be `Z`, `+hh:mm`, `+hhmm`, `+hh` or missing, seconds may be missing,
    /// and digits beyond the millisecond are rounded. A leap second (60) is the next minute's first.
    package init?(iso8601 text: some Collection<UInt8>) {
        var reader = DigitReader(text)
        guard let year = reader.number(digits: 4), reader.take("-"),
            let month = reader.number(digits: 2), reader.take("-"), let day = reader.number(digits: 2)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(digits: 2), hour <= 23, reader.take(":"),
            let minute = reader.number(digits: 2), minute <= 59
        else { return nil }
        var second = 0
        var millisecond = 0
        if reader.take(":") {
            guard let value = reader.number(digits: 2), value <= 60 else { return nil }
            second = value
            if reader.take(".") || reader.take(",") {
                guard let fraction = reader.fractionInMilliseconds() else { return nil }
                millisecond = fraction
            }
        }
        let ofDay = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
        asUTC = Timestamp(milliseconds: date.daysSince1970 * 86_400_000 + Int64(ofDay))
        guard let zone = reader.zone(), reader.isAtEnd else { return nil }
        offsetSeconds = zone.offset
    }
}

extension Timestamp {
    /// Reads an ISO 8601 instant that names its zone; nil for anything else.
    package init?(iso8601 text: String) {
        guard let reading = ClockReading(iso8601: text.utf8), let timestamp = reading.timestamp else { return nil }
        self = timestamp
    }

    /// ISO 8601 with the offset written out: `2026-03-29T10:15:30+02:00`, `Z` for no offset.
    ///
    /// - Parameter offsetSeconds: seconds east of UTC at this instant; seconds of the offset are not shown.
    /// - Returns: 20 to 29 characters, with milliseconds only where there are any.
    package func iso8601(offsetSeconds: Int = 0) -> String {
        let local = milliseconds + Int64(offsetSeconds) * 1000
        let days = local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
        let ofDay = Int(local - days * 86_400_000)
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(number: date.year, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.append(number: date.month, digits: 2)
        text.append(UInt8(ascii: "-"))
        text.append(number: date.day, digits: 2)
        text.append(UInt8(ascii: "T"))
        text.append(number: ofDay / 3_600_000, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(number: ofDay / 60_000 % 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(number: ofDay / 1000 % 60, digits: 2)
        if ofDay % 1000 != 0 {
            text.append(UInt8(ascii: "."))
            text.append(number: ofDay % 1000, digits: 3)
        }
        if offsetSeconds == 0 {
            text.append(UInt8(ascii: "Z"))
        } else {
            text.append(UInt8(ascii: offsetSeconds < 0 ? "-" : "+"))
            text.append(number: abs(offsetSeconds) / 3600, digits: 2)
            text.append(UInt8(ascii: ":"))
            text.append(number: abs(offsetSeconds) / 60 % 60, digits: 2)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}

/// Takes fixed-width numbers and single characters from the front of ASCII text.
private struct DigitReader<Text: Collection<UInt8>> {
    private var rest: Text.SubSequence

    init(_ text: Text) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// One digit or more after the decimal point, rounded to thousandths: 0 to 1000.
    mutating func fractionInMilliseconds() -> Int? {
        guard let first = nextDigit() else { return nil }
        var value = first * 1000
        var weight = 100
        while let digit = nextDigit() {
            value += digit * weight
            weight /= 10
        }
        return (value + 5) / 10
    }

    /// The zone, with a nil offset when the text ends here; nil when it is no zone.
    mutating func zone() -> (offset: Int?, Void)? {
        if isAtEnd { return (nil, ()) }
        if take("Z") || take("z") { return (0, ()) }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(digits: 2), hours <= 18 else { return nil }
        var minutes = 0
        if !isAtEnd {
            _ = take(":")
            guard let value = number(digits: 2), value <= 59 else { return nil }
            minutes = value
        }
        let seconds = (hours * 60 + minutes) * 60
        return (isEast ? seconds : -seconds, ())
    }

    private mutating func nextDigit() -> Int? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }
}
