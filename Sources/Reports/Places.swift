internal import Foundation
package import Telemetry
package import TripStore

extension Column<UserPlace> {
    package static let places: [Column<UserPlace>] = [
        Column("name") { .text($0.name) },
        Column("shape") { .text($0.shapeName) },
        Column("latitude") { $0.middle.map { .degrees($0.latitudeE7) } ?? .absent },
        Column("longitude") { $0.middle.map { .degrees($0.longitudeE7) } ?? .absent },
        Column("radius_m") { place in
            guard case .circle(_, let radius) = place.shape else { return .absent }
            return .thousandths(Int64((radius * 1000).rounded()))
        },
        Column("area_m2") { .integer(Int64($0.area.rounded())) },
    ]
}

extension TableColumn<UserPlace> {
    package static let places: [TableColumn<UserPlace>] = [
        TableColumn("NAME", isFlexible: true) { place, _ in place.name },
        TableColumn("SHAPE") { place, _ in place.shapeName },
        TableColumn("MIDDLE") { place, _ in place.middle.map { Measure.point($0) } ?? "" },
        TableColumn("RADIUS", .right) { place, _ in
            guard case .circle(_, let radius) = place.shape else { return "" }
            return Measure.distance(millimetres: Int64((radius * 1000).rounded()))
        },
    ]
}

extension UserPlace {
    fileprivate var shapeName: String {
        switch shape {
        case .circle: "circle"
        case .polygon: "polygon"
        }
    }

    /// The centre, or the middle of the outline's corners.
    fileprivate var middle: Coordinate? {
        switch shape {
        case .circle(let centre, _): return centre
        case .polygon(let rings):
            guard let ring = rings.first, !ring.isEmpty else { return nil }
            let latitude = ring.reduce(0) { $0 + $1.latitude } / Double(ring.count)
            let longitude = ring.reduce(0) { $0 + $1.longitude } / Double(ring.count)
            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }
}

/// Reads the polygons that people draw on maps.
package enum GeoJSONPolygon {
    /// The rings of a GeoJSON polygon, of a feature that is one, or of a collection of exactly one such feature.
    ///
    /// - Parameter bytes: UTF-8.
    /// - Returns: the outline and its holes; nil when it is none of these, or a ring has fewer than three corners.
    package static func rings(_ bytes: [UInt8]) -> [[Coordinate]]? {
        // Anything that is not JSON is no polygon either.
        guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)) else { return nil }
        return rings(of: value)
    }

    fileprivate static func rings(of value: Any) -> [[Coordinate]]? {
        guard let object = value as? [String: Any] else { return nil }
        switch object["type"] as? String {
        case "FeatureCollection":
            guard let features = object["features"] as? [Any], features.count == 1 else { return nil }
            return rings(of: features[0])
        case "Feature": return object["geometry"].flatMap(rings)
        case "Polygon":
            guard let rings = object["coordinates"] as? [[[Double]]], !rings.isEmpty else { return nil }
            var result: [[Coordinate]] = []
            for ring in rings {
                var corners: [Coordinate] = []
                for pair in ring {
                    guard pair.count >= 2, let corner = Coordinate(latitude: pair[1], longitude: pair[0]) else {
                        return nil
                    }
                    corners.append(corner)
                }
                if corners.count > 1, corners.first == corners.last { corners.removeLast() }
                guard corners.count >= 3 else { return nil }
                result.append(corners)
            }
            return result
        default: return nil
        }
    }
}

/// Reads places with names from GeoJSON: polygons, and points with a radius.
package struct GeoJSONPlaces: Sendable {
    package private(set) var places: [UserPlace] = []
    /// What was left out and why, for people.
    package private(set) var notes: [String] = []

    /// Reads a feature collection or one feature; nil when it is neither.
    ///
    /// - Parameter bytes: UTF-8.
    package init?(_ bytes: [UInt8]) {
        // Anything that is not JSON has no features either.
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else { return nil }
        switch object["type"] as? String {
        case "FeatureCollection":
            guard let features = object["features"] as? [Any] else { return nil }
            for (index, feature) in features.enumerated() { add(feature, number: index + 1) }
        case "Feature": add(object, number: 1)
        default: return nil
        }
    }

    private mutating func add(_ value: Any, number: Int) {
        let feature = value as? [String: Any]
        let properties = feature?["properties"] as? [String: Any] ?? [:]
        let geometry = feature?["geometry"] as? [String: Any] ?? [:]
        guard let name = properties["name"] as? String, !name.allSatisfy(\.isWhitespace) else {
            notes.append("feature \(number) has no name")
            return
        }
        guard !places.contains(where: { $0.name == name }) else {
            notes.append("feature \(number) has the name of one before it: \(name)")
            return
        }
        guard let shape = shape(of: geometry, properties: properties) else {
            notes.append("feature \(number) is neither a polygon nor a point with a radius: \(name)")
            return
        }
        places.append(UserPlace(name: name, shape: shape))
    }

    private func shape(of geometry: [String: Any], properties: [String: Any]) -> UserPlace.Shape? {
        switch geometry["type"] as? String {
        case "Polygon": return GeoJSONPolygon.rings(of: geometry).map { .polygon($0) }
        case "MultiPolygon":
            // A place is one area: of several, each needs a name of its own.
            guard let polygons = geometry["coordinates"] as? [Any], polygons.count == 1 else { return nil }
            return GeoJSONPolygon.rings(of: ["type": "Polygon", "coordinates": polygons[0]]).map { .polygon($0) }
        case "Point":
            guard let pair = geometry["coordinates"] as? [Double], pair.count >= 2,
                let centre = Coordinate(latitude: pair[1], longitude: pair[0])
            else { return nil }
            let radius = properties["radius"] as? Double ?? properties["radius_m"] as? Double ?? 100
            return (1...100_000).contains(radius) ? .circle(centre: centre, radius: radius) : nil
        default: return nil
        }
    }
}
