import Telemetry

/// The grid of an extract's index: cells of 0.004 degrees, so that an offset in 1e-7 degrees fits 16 bits.
enum ExtractGrid {
    static let columns = 90_000
    static let edgeE7 = 40_000
    /// Unit of the boxes by which outlines and lines are passed over: 2e-5 degrees, 200 to a cell.
    static let boxUnitE7 = 200
    /// Unit of the vertices of outlines and lines: 1e-6 degrees, 11 cm at most.
    static let vertexUnitE7 = 10

    static func row(_ latitudeE7: Int32) -> Int { min((Int(latitudeE7) + 900_000_000) / edgeE7, columns / 2 - 1) }
    static func column(_ longitudeE7: Int32) -> Int {
        min((Int(longitudeE7) + 1_800_000_000) / edgeE7, columns - 1)
    }
    static func key(of place: Coordinate) -> UInt32 {
        UInt32(row(place.latitudeE7) * columns + column(place.longitudeE7))
    }
    static func southE7(ofKey key: UInt32) -> Int { Int(key) / columns * edgeE7 - 900_000_000 }
    static func westE7(ofKey key: UInt32) -> Int { Int(key) % columns * edgeE7 - 1_800_000_000 }

    /// A place rounded to whole vertex units.
    static func rounded(_ place: Coordinate) -> Coordinate {
        Coordinate(latitudeE7: rounded(place.latitudeE7), longitudeE7: rounded(place.longitudeE7))
    }

    private static func rounded(_ value: Int32) -> Int32 {
        let unit = Int32(vertexUnitE7)
        return (value + (value >= 0 ? unit / 2 : -unit / 2)) / unit * unit
    }
}
