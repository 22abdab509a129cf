package import Telemetry

/// A time as people say it: `yesterday`, `2026-03-29`, `2026-03`, `-6h`, `2026-03-29 10:15`, or ISO 8601 with its zone.
///
/// It names a span, half open: the whole of a day or month, or a single instant.
package struct TimeExpression: Hashable, Sendable {
    package var begin: Timestamp
    /// The first instant after it; `begin` when it is a single instant.
    package var end: Timestamp

    package var isInstant: Bool { begin == end }

    /// What is understood, for messages.
    package static let forms =
        "now, today, yesterday, monday (the latest), 2026-03-29, 2026-03, 2026-03-29T10:15, "
        + "2026-03-29T10:15:00+02:00, -90m, -6h, -7d, -2w"

    /// Understands a text; nil when it is not understood.
    ///
    /// - Parameters:
    ///   - text: upper and lower case are the same.
    ///   - zone: in which days begin, and in which a time without an offset is meant.
    ///   - now: what relative times count from.
    package init?(_ text: String, zone: Zone, now: Timestamp) {
        let word = text.lowercased()
        let today = zone.date(of: now)
        if word == "now" {
            self.init(instant: now)
        } else if let distance = TimeExpression.daysAgo(word, today: today) {
            self.init(day: CivilDate(daysSince1970: today.daysSince1970 - distance), zone: zone)
        } else if let relative = TimeExpression.relative(word) {
            self.init(instant: now + relative)
        } else if let date = TimeExpression.date(word) {
            self.init(day: date, zone: zone)
        } else if let month = TimeExpression.date(word + "-01") {
            let next = CivilDate(
                year: month.month == 12 ? month.year + 1 : month.year,
                month: month.month % 12 + 1,
                day: 1
            )
            self.init(begin: zone.start(of: month), end: zone.start(of: next))
        } else if let reading = ClockReading(iso8601: text.utf8) {
            self.init(instant: reading.timestamp ?? zone.instant(ofReading: reading.asUTC))
        } else {
            return nil
        }
    }

    private init(begin: Timestamp, end: Timestamp) {
        self.begin = begin
        self.end = end
    }

    private init(instant: Timestamp) { self.init(begin: instant, end: instant) }

    private init(day: CivilDate, zone: Zone) {
        self.init(
            begin: zone.start(of: day),
            end: zone.start(of: CivilDate(daysSince1970: day.daysSince1970 + 1))
        )
    }

    /// How many days ago a named day was: `today`, `yesterday`, or the latest day of that name before today.
    private static func daysAgo(_ word: String, today: CivilDate) -> Int64? {
        switch word {
        case "today": return 0
        case "yesterday": return 1
        case "tomorrow": return -1
        default:
            let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
            guard let wanted = names.firstIndex(of: word) else { return nil }
            // 1970-01-01 was a Thursday.
            let current = ((today.daysSince1970 + 3) % 7 + 7) % 7
            let distance = (current - Int64(wanted) + 7) % 7
            return distance == 0 ? 7 : distance
        }
    }

    /// A signed number and a unit, in milliseconds: `-6h`, `-90min`, `-2 days`.
    private static func relative(_ word: String) -> Int64? {
        guard let sign = word.first, sign == "-" || sign == "+" else { return nil }
        let digits = word.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), count < 1_000_000 else { return nil }
        let unit = word.dropFirst(1 + digits.count).drop { $0 == " " }
        let length: Int64
        switch unit {
        case "s", "sec", "second", "seconds": length = 1000
        case "m", "min", "minute", "minutes": length = 60_000
        case "h", "hour", "hours": length = 3_600_000
        case "d", "day", "days": length = 86_400_000
        case "w", "week", "weeks": length = 7 * 86_400_000
        default: return nil
        }
        return (sign == "-" ? -1 : 1) * count * length
    }

    private static func date(_ word: String) -> CivilDate? {
        guard word.utf8.count == 10,
            let midnight = ClockReading(iso8601: (word + "t00:00:00").utf8), midnight.offsetSeconds == nil
        else { return nil }
        return CivilDate(daysSince1970: midnight.asUTC.milliseconds.floorDivided(by: 86_400_000))
    }
}
