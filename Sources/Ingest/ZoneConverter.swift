import CivilTime
import Telemetry

/// Turns clock readings into instants, remembering the offset of the day.
///
/// A reading that occurs twice, when clocks are set back, is taken as the earlier instant. One that never occurs, when
/// they are set forward, is taken with the offset that held before.
struct ZoneConverter {
    let assumed: Zone
    private var day = Int64.min
    /// The offset of all of `day`, or nil when it changes on that day or next to it.
    private var offsetOfDay: Int64?

    init(_ assumed: Zone) { self.assumed = assumed }

    private func offset(at milliseconds: Int64) -> Int64 {
        Int64(assumed.offsetSeconds(at: Timestamp(milliseconds: milliseconds)))
    }

    /// The instant of a clock reading that was taken as if it were UTC.
    mutating func instant(ofLocal milliseconds: Int64) -> Int64 {
        let dayLength: Int64 = 86_400_000
        let readingDay = milliseconds >= 0 ? milliseconds / dayLength : (milliseconds - dayLength + 1) / dayLength
        if readingDay != day {
            day = readingDay
            let before = offset(at: (readingDay - 1) * dayLength)
            offsetOfDay = before == offset(at: (readingDay + 2) * dayLength) ? before : nil
        }
        if let offsetOfDay { return milliseconds - offsetOfDay * 1000 }
        let before = offset(at: milliseconds - dayLength)
        let after = offset(at: milliseconds + dayLength)
        for candidate in [before, after] where offset(at: milliseconds - candidate * 1000) == candidate {
            return milliseconds - candidate * 1000
        }
        return milliseconds - before * 1000
    }
}
