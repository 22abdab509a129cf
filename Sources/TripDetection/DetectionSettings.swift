/// The limits by which trips are drawn; each includes equality.
///
/// Kept in the store, for all devices and per device.
package struct DetectionSettings: Hashable, Sendable {
    /// A stay's positions lie within this of their running mean, in metres.
    package var stopRadius = 100.0
    /// A stay lasts at least this, in milliseconds.
    package var stopTime: Int64 = 300_000
    /// A trip's path is at least this, in metres.
    package var leastTripDistance = 200.0
    /// A trip lasts at least this, in milliseconds.
    package var leastTripTime: Int64 = 60_000
    /// Silence from which on nothing is known, in milliseconds between used positions.
    package var gapTime: Int64 = 3_600_000
    /// From this on a leg counts as moving, in metres a second.
    package var movingSpeed = 3 / 3.6
    /// No vehicle is faster, in metres a second.
    package var highestPlausibleSpeed = 250 / 3.6
    /// A position less accurate is not used, in metres.
    package var worstUsedAccuracy = 100.0
    /// Within this of a stop's centre a position is still at the place, in metres.
    package var edgeRadius = 50.0

    package init() {}
}
