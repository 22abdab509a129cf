#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Steps between neighbours, where the Earth may be taken as flat.
extension Coordinate {
    /// Metres in one degree along a meridian, on the sphere of `earthRadius`.
    package static var metresPerDegree: Double { earthRadius * Double.pi / 180 }

    /// The cosine of an angle in degrees.
    package static func cosine(ofDegrees angle: Double) -> Double { cos(angle * Double.pi / 180) }

    /// How far east of another point this one lies, in 1e-7 degrees by the shorter way around.
    package func eastE7(of other: Coordinate) -> Int64 {
        let east = Int64(longitudeE7) - Int64(other.longitudeE7)
        return east > 1_800_000_000 ? east - 3_600_000_000 : east < -1_800_000_000 ? east + 3_600_000_000 : east
    }

    /// The point at a fraction of the way to another one nearby.
    package func moved(towards other: Coordinate, by fraction: Double) -> Coordinate {
        let north = Double(Int64(other.latitudeE7) - Int64(latitudeE7)) * fraction
        let east = Double(other.eastE7(of: self)) * fraction
        return Coordinate(
            latitudeE7: Int32((Double(latitudeE7) + north).rounded()),
            longitudeE7: Coordinate.wrapped(Int64((Double(longitudeE7) + east).rounded()))
        )
    }

    /// The point that lies this many metres to the north and east.
    package func moved(north: Double, east: Double) -> Coordinate {
        let latitude = Double(latitudeE7) + north / Coordinate.metresPerDegree * 1e7
        let width = Coordinate.metresPerDegree * max(1e-9, Coordinate.cosine(ofDegrees: self.latitude))
        return Coordinate(
            latitudeE7: Int32(min(9e8, max(-9e8, latitude.rounded()))),
            longitudeE7: Coordinate.wrapped(Int64((Double(longitudeE7) + east / width * 1e7).rounded()))
        )
    }

    private static func wrapped(_ longitudeE7: Int64) -> Int32 {
        guard longitudeE7.magnitude > 1_800_000_000 else { return Int32(longitudeE7) }
        let turned = (longitudeE7 + 1_800_000_000) % 3_600_000_000
        return Int32((turned < 0 ? turned + 3_600_000_000 : turned) - 1_800_000_000)
    }
}
