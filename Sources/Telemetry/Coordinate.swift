/// A place on the WGS 84 ellipsoid in whole 1e-7 degrees (about 1 cm), the precision of the wire and of the store.
///
/// Integers make equality, order and storage exact: what was accepted is what is read back.
@frozen
package struct Coordinate: Hashable, Sendable {
    /// Latitude in 1e-7 degrees, north positive, -900 000 000 to 900 000 000.
    package var latitudeE7: Int32
    /// Longitude in 1e-7 degrees, east positive, -1 800 000 000 to 1 800 000 000.
    package var longitudeE7: Int32

    @inlinable
    package init(latitudeE7: Int32, longitudeE7: Int32) {
        self.latitudeE7 = latitudeE7
        self.longitudeE7 = longitudeE7
    }

    /// Rounds degrees to the nearest 1e-7; nil when a value is not finite or out of range.
    ///
    /// - Parameters:
    ///   - latitude: degrees, -90 to 90.
    ///   - longitude: degrees, -180 to 180.
    @inlinable
    package init?(latitude: Double, longitude: Double) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }  // false for NaN too
        latitudeE7 = Int32((latitude * 1e7).rounded())
        longitudeE7 = Int32((longitude * 1e7).rounded())
    }

    /// Latitude in degrees, north positive.
    @inlinable package var latitude: Double { Double(latitudeE7) / 1e7 }
    /// Longitude in degrees, east positive.
    @inlinable package var longitude: Double { Double(longitudeE7) / 1e7 }

    /// Whether both values are exactly zero, which receivers without a fix often send.
    @inlinable package var isZero: Bool { latitudeE7 == 0 && longitudeE7 == 0 }

    /// Whether the values lie in the ranges of their documentation.
    @inlinable package var isValid: Bool {
        latitudeE7.magnitude <= 900_000_000 && longitudeE7.magnitude <= 1_800_000_000
    }
}

extension Coordinate: Comparable {
    /// Orders by latitude, then by longitude: the last tie-break between positions of one instant.
    @inlinable
    package static func < (left: Coordinate, right: Coordinate) -> Bool {
        (left.latitudeE7, left.longitudeE7) < (right.latitudeE7, right.longitudeE7)
    }
}
