import Foundation

/// The zone in which times that name none are taken, by the time zone database of the system.
package struct AssumedZone: Sendable, Equatable {
    let zone: TimeZone

    /// Looks a zone up; nil when there is none of that name.
    ///
    /// - Parameter name: an IANA name such as `Europe/Helsinki`, or `UTC`.
    package init?(name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    package var name: String { zone.identifier }

    /// Seconds east of UTC at an instant.
    fileprivate func offset(at milliseconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000)))
    }
}

/// Turns clock readings into instants, remembering the offset of the day.
///
/// A reading that occurs twice, when clocks are set back, is taken as the earlier instant. One that never occurs, when
/// they are set forward, is taken with the offset that held before.
struct ZoneConverter {
    let assumed: AssumedZone
    private var day = Int64.min
    /// The offset of all of `day`, or nil when it changes on that day or next to it.
    private var offsetOfDay: Int64?

    init(_ assumed: AssumedZone) { self.assumed = assumed }

    /// The instant of a clock reading that was taken as if it were UTC.
    mutating func instant(ofLocal milliseconds: Int64) -> Int64 {
        let dayLength: Int64 = 86_400_000
        let readingDay = milliseconds >= 0 ? milliseconds / dayLength : (milliseconds - dayLength + 1) / dayLength
        if readingDay != day {
            day = readingDay
            let before = assumed.offset(at: (readingDay - 1) * dayLength)
            offsetOfDay = before == assumed.offset(at: (readingDay + 2) * dayLength) ? before : nil
        }
        if let offsetOfDay { return milliseconds - offsetOfDay * 1000 }
        let before = assumed.offset(at: milliseconds - dayLength)
        let after = assumed.offset(at: milliseconds + dayLength)
        for offset in [before, after] where assumed.offset(at: milliseconds - offset * 1000) == offset {
            return milliseconds - offset * 1000
        }
        return milliseconds - before * 1000
    }
}
