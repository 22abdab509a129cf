internal import Foundation
package import Telemetry

/// A time zone: what the clocks at a place show at an instant, and which instants a clock reading may mean.
///
/// Instants are milliseconds; the offsets come from the machine's zone data.
package struct Zone: Hashable, Sendable {
    /// What it was asked for by: `UTC`, an IANA name, or an offset.
    package let name: String
    private let zone: TimeZone

    package static let utc = Zone(name: "UTC", zone: .gmt)

    private init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
    }

    /// Takes an IANA name (`Europe/Berlin`), `UTC` or `Z`, an offset (`+02:00`), or `system` for the machine's own.
    ///
    /// - Returns: nil when it is none of these.
    package init?(_ name: String) {
        switch name {
        case "UTC", "utc", "Z", "z": self = .utc
        case "system": self.init(name: TimeZone.current.identifier, zone: .current)
        case _ where name.hasPrefix("+") || name.hasPrefix("-"):
            guard let reading = ClockReading(iso8601: "2000-01-01T00:00:00\(name)".utf8),
                let offset = reading.offsetSeconds, let zone = TimeZone(secondsFromGMT: offset)
            else { return nil }
            self.init(name: name, zone: zone)
        default:
            // Foundation also takes abbreviations, which name no place and change their meaning with the season.
            guard name.contains("/") || TimeZone.knownTimeZoneIdentifiers.contains(name),
                let zone = TimeZone(identifier: name)
            else { return nil }
            self.init(name: name, zone: zone)
        }
    }

    /// Seconds east of UTC at an instant.
    package func offsetSeconds(at instant: Timestamp) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
    }

    /// ISO 8601 with the offset at that instant.
    package func text(_ instant: Timestamp) -> String {
        instant.iso8601(offsetSeconds: offsetSeconds(at: instant))
    }

    /// The day that the calendar at the place shows at an instant.
    package func date(of instant: Timestamp) -> CivilDate {
        let local = instant + Int64(offsetSeconds(at: instant)) * 1000
        return CivilDate(daysSince1970: local.milliseconds.floorDivided(by: 86_400_000))
    }

    /// The instant of a clock reading, given as if it were UTC.
    ///
    /// Where the clocks were set back and show it twice, the first; where they were set forward over it, the instant
    /// at which they were set forward.
    package func instant(ofReading reading: Timestamp) -> Timestamp {
        // No zone changes its offset twice within two days.
        let before = Int64(offsetSeconds(at: reading + -86_400_000)) * 1000
        let after = Int64(offsetSeconds(at: reading + 86_400_000)) * 1000
        let first = reading + -max(before, after)
        let second = reading + -min(before, after)
        for candidate in [first, second] where candidate + Int64(offsetSeconds(at: candidate)) * 1000 == reading {
            return candidate
        }
        return change(after: first, notAfter: second)
    }

    /// The first instant of a day: midnight, or later where the clocks pass over midnight.
    package func start(of date: CivilDate) -> Timestamp {
        instant(ofReading: Timestamp(milliseconds: date.daysSince1970 * 86_400_000))
    }

    /// The first instant whose offset is that of the end of a span in which it changes once.
    private func change(after begin: Timestamp, notAfter end: Timestamp) -> Timestamp {
        let offset = offsetSeconds(at: end)
        var low = begin.milliseconds
        var high = end.milliseconds
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsetSeconds(at: Timestamp(milliseconds: middle)) == offset { high = middle } else { low = middle }
        }
        return Timestamp(milliseconds: high)
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity.
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
