package import Telemetry
package import TripStore

/// What the cache can prove about a point.
///
/// A question that was answered with the k nearest houses, the farthest at r, makes a disk of radius r in which every
/// house is known. For another point p whose nearest known house lies at d, such a disk around q proves by the triangle
/// inequality that no unknown house is nearer, if |p - q| + d <= r.
package enum Coverage {
    /// What was proven.
    package enum Verdict: Hashable, Sendable {
        case house(Address, distance: Double)
        /// No house lies within `houseReach`.
        case noHouse
        /// A single answer close by: an address, or nothing.
        case single(Address?)
    }

    /// A house farther than this is not the address of a point, in metres.
    package static let houseReach = 100.0
    /// Disks are not larger, in metres.
    package static let highestRadius = 150.0
    /// A single answer holds this far around its question, in metres.
    package static let singleRadius = 5.0
    /// Distances on the sphere and on the ellipsoid differ by up to half a percent.
    package static let margin = 0.995

    /// The answer for a point, if it can be given without asking.
    package static func verdict(on point: Coordinate, from cached: CachedAnswers) -> Verdict? {
        var nearest: (distance: Double, house: Address)?
        for house in cached.houses {
            guard let place = house.point else { continue }
            let distance = place.distance(to: point)
            if distance < nearest?.distance ?? .infinity { nearest = (distance, house) }
        }
        let reach = min(houseReach, nearest?.distance ?? .infinity)
        let isProven = cached.disks.contains { $0.centre.distance(to: point) + reach <= $0.radius * margin }
        if isProven, let nearest, nearest.distance <= houseReach {
            return .house(nearest.house, distance: nearest.distance)
        }
        let single =
            cached.singles
            .map { (distance: $0.point.distance(to: point), address: $0.address) }
            .filter { $0.distance <= singleRadius }
            .min { $0.distance < $1.distance }
        if let single { return .single(single.address) }
        return isProven ? .noHouse : nil
    }

    /// The radius in which an answer names every house.
    ///
    /// - Parameters:
    ///   - houses: the points of the answer in the provider's order.
    ///   - question: where was asked.
    ///   - limit: how many were asked for.
    ///   - searched: how far the provider was told to look, in metres; nil when it was not told.
    /// - Returns: metres; nil when the answer cannot be trusted to name every house.
    package static func radius(
        of houses: [Coordinate],
        around question: Coordinate,
        limit: Int,
        searched: Double?
    ) -> Double? {
        var farthest = 0.0
        for house in houses {
            let distance = question.distance(to: house)
            // A provider that ranks by something else than distance may know nearer houses that it did not name.
            if distance < farthest - 0.25 { return nil }
            farthest = max(farthest, distance)
        }
        let radius = houses.count >= limit ? min(farthest, searched ?? .infinity) : searched ?? farthest
        return min(radius, highestRadius)
    }
}
