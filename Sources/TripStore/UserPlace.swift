package import Telemetry

/// A name that the user gave to a circle or polygon; it is shown before an address and never replaces it.
package struct UserPlace: Hashable, Sendable {
    /// Where a place is.
    package enum Shape: Hashable, Sendable {
        /// The radius is in metres.
        case circle(centre: Coordinate, radius: Double)
        /// The first ring is the outline, the others are holes; a ring need not repeat its first corner.
        case polygon([[Coordinate]])
    }

    package var name: String
    package var shape: Shape

    package init(name: String, shape: Shape) {
        self.name = name
        self.shape = shape
    }
}

extension UserPlace {
    /// Whether a point lies within, the edge of a circle included.
    package func contains(_ point: Coordinate) -> Bool {
        switch shape {
        case .circle(let centre, let radius): centre.distance(to: point) <= radius
        case .polygon(let rings):
            rings.first.map { Self.ring($0, contains: point) } ?? false
                && !rings.dropFirst().contains { Self.ring($0, contains: point) }
        }
    }

    /// The area in square metres, holes taken off.
    package var area: Double {
        switch shape {
        case .circle(_, let radius): Double.pi * radius * radius
        case .polygon(let rings):
            rings.enumerated().reduce(0) { $0 + ($1.offset == 0 ? 1 : -1) * Self.area(of: $1.element) }
        }
    }

    /// The box that holds every point of the place: the half heights are degrees from `middle`.
    ///
    /// - Returns: nil for a polygon without corners.
    package var box: (south: Double, north: Double, middle: Double, halfWidth: Double)? {
        switch shape {
        case .circle(let centre, let radius):
            let height = radius / Coordinate.metresPerDegree * 1.01
            let reach = min(90, centre.latitude.magnitude + height)
            let width = reach >= 89.9 ? 180 : height / Coordinate.cosine(ofDegrees: reach)
            return (centre.latitude - height, centre.latitude + height, centre.longitude, min(180, width))
        case .polygon(let rings):
            guard let ring = rings.first, let first = ring.first else { return nil }
            let latitudes = ring.map(\.latitude)
            let offsets = ring.map { Double($0.eastE7(of: first)) / 1e7 }
            let (west, east) = (offsets.min() ?? 0, offsets.max() ?? 0)
            return (
                latitudes.min() ?? 0, latitudes.max() ?? 0, first.longitude + (west + east) / 2, (east - west) / 2
            )
        }
    }

    /// The place that names a point: the one of the smallest area, of equal ones the first by name.
    package static func naming(_ point: Coordinate, among places: some Sequence<UserPlace>) -> UserPlace? {
        var best: (area: Double, place: UserPlace)?
        for place in places where place.contains(point) {
            let area = place.area
            if let found = best, (found.area, found.place.name) <= (area, place.name) { continue }
            best = (area, place)
        }
        return best?.place
    }

    /// Ray casting towards the east, in degrees: a ring's edges are straight on the plate carrée, as GeoJSON says.
    private static func ring(_ ring: [Coordinate], contains point: Coordinate) -> Bool {
        guard var last = ring.last else { return false }
        var inside = false
        for corner in ring {
            let (a, b) = (last, corner)
            last = corner
            guard (a.latitudeE7 > point.latitudeE7) != (b.latitudeE7 > point.latitudeE7) else { continue }
            let (east, other) = (Double(a.eastE7(of: point)), Double(b.eastE7(of: point)))
            let share =
                Double(Int64(point.latitudeE7) - Int64(a.latitudeE7))
                / Double(Int64(b.latitudeE7) - Int64(a.latitudeE7))
            if east + (other - east) * share > 0 { inside.toggle() }
        }
        return inside
    }

    private static func area(of ring: [Coordinate]) -> Double {
        guard let first = ring.first, var last = ring.last else { return 0 }
        let scale = Coordinate.metresPerDegree / 1e7
        let shrink = Coordinate.cosine(ofDegrees: ring.reduce(0) { $0 + $1.latitude } / Double(ring.count))
        var doubled = 0.0
        for corner in ring {
            let (x0, y0) = (Double(last.eastE7(of: first)), Double(last.latitudeE7 - first.latitudeE7))
            let (x1, y1) = (Double(corner.eastE7(of: first)), Double(corner.latitudeE7 - first.latitudeE7))
            doubled += x0 * y1 - x1 * y0
            last = corner
        }
        return (doubled / 2 * scale * scale * shrink).magnitude
    }
}

/// The user's places in the order in which they name: many points are asked for, few places are near any of them.
struct UserPlaceNames {
    private struct Entry {
        var place: UserPlace
        var south: Double
        var north: Double
    }

    private let entries: [Entry]

    init(_ places: [UserPlace]) {
        entries =
            places
            .map { (place: $0, area: $0.area) }
            .sorted { ($0.area, $0.place.name) < ($1.area, $1.place.name) }
            .compactMap { item in
                item.place.box.map { Entry(place: item.place, south: $0.south, north: $0.north) }
            }
    }

    /// The name of the smallest place that holds a point.
    func name(of point: Coordinate) -> String? {
        let latitude = point.latitude
        return entries.first { entry in
            latitude >= entry.south && latitude <= entry.north && entry.place.contains(point)
        }?.place.name
    }
}
