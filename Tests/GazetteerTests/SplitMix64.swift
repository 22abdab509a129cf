import Foundation
import Telemetry

/// A seeded source of chance, the same on every run.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// From 0 to less than 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Mean 0, deviation 1.
    mutating func gaussian() -> Double {
        (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * .pi * unit())
    }

    mutating func point(near place: Coordinate, spreadE7: Double) -> Coordinate {
        let latitude = Double(place.latitudeE7) + (unit() - 0.5) * 2 * spreadE7
        let longitude = Double(place.longitudeE7) + (unit() - 0.5) * 2 * spreadE7
        return Coordinate(
            latitudeE7: Int32(min(max(latitude, -900_000_000), 900_000_000)),
            longitudeE7: Int32(min(max(longitude, -1_800_000_000), 1_800_000_000))
        )
    }

    mutating func pointOnSphere() -> Coordinate {
        Coordinate(
            latitudeE7: Int32(asin(unit() * 2 - 1) * 180 / .pi * 1e7),
            longitudeE7: Int32((unit() * 360 - 180) * 1e7)
        )
    }
}
