package import Telemetry

/// The centre of a stop place: the robust mean of the endpoints that joined it.
///
/// One fix is some 8 m off and names the wrong house one time in four; the mean of many visits does not. Places never
/// merge, an endpoint keeps the place that it joined, and a centre stays within `reach` of its first point, so that a
/// place cannot wander to the next house but one.
package struct StopPlace: Hashable, Sendable {
    /// An endpoint joins the nearest centre that is at most this far, in metres.
    package static let joinRadius = 25.0
    /// A vehicle's next begin joins the place of its last end up to this distance, in metres.
    package static let returnRadius = 60.0
    /// How far a centre may move from its first point, in metres.
    package static let reach = 12.0
    /// Visits farther than this from the centre count less, in metres.
    package static let knee = 12.0
    /// A centre that moved this far from where its address was asked for is asked for again, in metres.
    package static let refreshDistance = 3.0

    package let first: Coordinate
    package private(set) var centre: Coordinate
    /// Sum of the visits' weights, each at most one.
    package private(set) var weight: Double
    package private(set) var visitCount: Int64

    /// A place of one visit.
    package init(first: Coordinate) {
        self.first = first
        centre = first
        weight = 1
        visitCount = 1
    }

    /// A place as it was stored.
    package init(first: Coordinate, centre: Coordinate, weight: Double, visitCount: Int64) {
        self.first = first
        self.centre = centre
        self.weight = weight
        self.visitCount = visitCount
    }

    /// Moves the centre towards one more endpoint.
    package mutating func visit(_ point: Coordinate) {
        let distance = centre.distance(to: point)
        let share = distance <= Self.knee ? 1 : Self.knee / distance
        weight += share
        visitCount += 1
        let moved = centre.moved(towards: point, by: share / weight)
        let wandered = first.distance(to: moved)
        centre = wandered <= Self.reach ? moved : first.moved(towards: moved, by: Self.reach / wandered)
    }

    /// Which of the places near a point an endpoint there joins.
    ///
    /// - Parameters:
    ///   - point: where the endpoint is.
    ///   - candidates: the centres nearby with their keys; those out of reach do no harm.
    ///   - previous: the key of the place where the same device's last trip ended, for the begin of its next one.
    /// - Returns: the key of the nearest centre within reach, of equal ones the smallest; nil for a new place.
    package static func joined<Key: Comparable>(
        by point: Coordinate,
        among candidates: some Sequence<(key: Key, centre: Coordinate)>,
        previous: Key? = nil
    ) -> Key? {
        var best: (distance: Double, key: Key)?
        for (key, centre) in candidates {
            let distance = centre.distance(to: point)
            if key == previous, distance <= returnRadius { return key }
            guard distance <= joinRadius else { continue }
            if let found = best, (found.distance, found.key) <= (distance, key) { continue }
            best = (distance, key)
        }
        return best?.key
    }
}
