/// An instant in whole milliseconds of UTC since 1970-01-01, leap seconds not counted.
@frozen
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    @inlinable package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    @inlinable package init(seconds: Int64) { milliseconds = seconds * 1000 }

    @inlinable
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The span from one instant to another in milliseconds, negative when `right` is later.
    @inlinable
    package static func - (left: Timestamp, right: Timestamp) -> Int64 { left.milliseconds - right.milliseconds }

    /// The instant a number of milliseconds later.
    @inlinable
    package static func + (left: Timestamp, milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: left.milliseconds + milliseconds)
    }

    /// The first instant that Odograph accepts: 1900-01-01T00:00:00Z.
    @inlinable package static var earliest: Timestamp { Timestamp(seconds: -2_208_988_800) }
    /// The last instant that can be written with four digits of the year: 9999-12-31T23:59:59.999Z.
    @inlinable package static var latest: Timestamp { Timestamp(milliseconds: 253_402_300_799_999) }
}
