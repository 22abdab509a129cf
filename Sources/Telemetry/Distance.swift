#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Coordinate {
    /// The mean radius of the Earth in metres (IUGG R1), the sphere of every distance in Odograph.
    @inlinable package static var earthRadius: Double { 6_371_008.8 }

    /// The great-circle distance to another place in metres, by the haversine formula on a sphere of `earthRadius`.
    ///
    /// Differs from the ellipsoid by up to 0.6 %; exact at the poles and across the antimeridian.
    @inlinable
    package func distance(to other: Coordinate) -> Double {
        let radians = Double.pi / 180e7
        let deltaLatitude = Double(other.latitudeE7 &- latitudeE7) * radians
        let deltaLongitude = Double(Int64(other.longitudeE7) - Int64(longitudeE7)) * radians
        let sinLatitude = sin(deltaLatitude * 0.5)
        let sinLongitude = sin(deltaLongitude * 0.5)
        let cosines = cos(Double(latitudeE7) * radians) * cos(Double(other.latitudeE7) * radians)
        let chord = sinLatitude * sinLatitude + cosines * sinLongitude * sinLongitude
        return 2 * Coordinate.earthRadius * asin(min(1, chord.squareRoot()))
    }

    /// The initial bearing to another place in degrees clockwise from true north, 0 to less than 360.
    package func bearing(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let (from, to) = (latitude * radians, other.latitude * radians)
        let delta = (other.longitude - longitude) * radians
        let east = sin(delta) * cos(to)
        let north = cos(from) * sin(to) - sin(from) * cos(to) * cos(delta)
        let degrees = atan2(east, north) / radians
        return degrees < 0 ? degrees + 360 : degrees
    }
}
