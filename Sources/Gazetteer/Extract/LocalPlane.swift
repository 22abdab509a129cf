import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A flat map around a point in metres, the point at its origin: exact enough for the few hundred metres of a lookup.
///
/// Below 85 degrees it scales longitudes by the cosine of the point's latitude (an error of 3 mm at 150 m and 60
/// degrees); nearer to a pole it projects the sphere orthographically, which is right at the pole itself. Longitudes
/// wrap at the antimeridian.
struct LocalPlane {
    private let latitudeE7: Int
    private let longitudeE7: Int
    private let metresNorth: Double
    private let metresEast: Double
    let isNearPole: Bool

    init(at point: Coordinate) {
        latitudeE7 = Int(point.latitudeE7)
        longitudeE7 = Int(point.longitudeE7)
        metresNorth = Coordinate.earthRadius * .pi / 180e7
        metresEast = metresNorth * cos(point.latitude * .pi / 180)
        isNearPole = point.latitudeE7.magnitude > 850_000_000
    }

    /// A place on the map, east and north of the point.
    @inline(__always)
    func project(latitudeE7 latitude: Int, longitudeE7 longitude: Int) -> SIMD2<Double> {
        var east = longitude &- longitudeE7
        if east > 1_800_000_000 { east -= 3_600_000_000 } else if east < -1_800_000_000 { east += 3_600_000_000 }
        if isNearPole { return orthographic(latitude, east) }
        return SIMD2(Double(east) * metresEast, Double(latitude &- latitudeE7) * metresNorth)
    }

    @inline(__always)
    func project(_ place: Coordinate) -> SIMD2<Double> {
        project(latitudeE7: Int(place.latitudeE7), longitudeE7: Int(place.longitudeE7))
    }

    @inline(never)
    private func orthographic(_ latitude: Int, _ east: Int) -> SIMD2<Double> {
        let radians = Double.pi / 180e7
        let (own, other) = (Double(latitudeE7) * radians, Double(latitude) * radians)
        let turn = Double(east) * radians
        let half = sin(turn / 2)
        return SIMD2(
            Coordinate.earthRadius * cos(other) * sin(turn),
            // sin(other - own), plus what the turn takes away: no difference of nearly equal products.
            Coordinate.earthRadius * (sin(other - own) + 2 * sin(own) * cos(other) * half * half)
        )
    }

    /// The square of the distance from the origin to a stretch.
    @inline(__always)
    static func squaredDistance(from a: SIMD2<Double>, to b: SIMD2<Double>) -> Double {
        let along = b - a
        let length = (along * along).sum()
        guard length > 0 else { return (a * a).sum() }
        let part = min(max(-(a * along).sum() / length, 0), 1)
        let nearest = a + part * along
        return (nearest * nearest).sum()
    }

    /// The direction from the map's point to a place near it, in degrees clockwise from true north, 0 to less than 360.
    func bearing(to place: Coordinate) -> Double {
        let spot = project(place)
        let degrees = atan2(spot.x, spot.y) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The place that lies at a spot of the map; only for spots near the origin, off the poles.
    func place(at spot: SIMD2<Double>) -> Coordinate {
        let north = Double(latitudeE7) + spot.y / metresNorth
        var east = Double(longitudeE7) + (metresEast > 0.01 * metresNorth ? spot.x / metresEast : 0)
        if east > 1_800_000_000 { east -= 3_600_000_000 } else if east < -1_800_000_000 { east += 3_600_000_000 }
        return Coordinate(
            latitudeE7: Int32(min(max(north, -900_000_000), 900_000_000).rounded()),
            longitudeE7: Int32(min(max(east, -1_800_000_000), 1_800_000_000).rounded())
        )
    }
}
