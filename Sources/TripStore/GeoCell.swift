package import Telemetry

/// The grid of some 150 m by which places, houses and questions are found again.
package enum GeoCell {
    /// The height of a row in 1e-7 degrees, about 156 m.
    private static let height: Int64 = 14_000

    /// The cell that holds a point.
    package static func number(of point: Coordinate) -> Int64 {
        let row = (Int64(point.latitudeE7) + 900_000_000) / height
        return row << 32 | (Int64(point.longitudeE7) + 1_800_000_000) / width(ofRow: row)
    }

    /// The cells that can hold something within a distance in metres of a point, as ranges of numbers.
    package static func ranges(around point: Coordinate, radius: Double) -> [ClosedRange<Int64>] {
        let reach = radius / Coordinate.metresPerDegree * 1.01
        let south = max(-90, point.latitude - reach)
        let north = min(90, point.latitude + reach)
        let rows = Int64((south + 90) * 1e7) / height...Int64((north + 90) * 1e7) / height
        let lengthening = Coordinate.cosine(ofDegrees: min(90, point.latitude.magnitude + reach))
        let halfE7 = lengthening < 1e-4 ? 1_800_000_000 : min(1_800_000_000, Int64(reach / lengthening * 1e7) + 1)
        let middle = Int64(point.longitudeE7) + 1_800_000_000
        return rows.flatMap { row in
            let width = width(ofRow: row)
            return spans(from: middle - halfE7, to: middle + halfE7).map {
                row << 32 | $0.lowerBound / width...row << 32 | $0.upperBound / width
            }
        }
    }

    /// Columns of a row are about as wide as it is high, wherever it is.
    private static func width(ofRow row: Int64) -> Int64 {
        let latitude = (Double(row) + 0.5) * Double(height) / 1e7 - 90
        return Int64(min(3_600_000_000, Double(height) / max(1e-6, Coordinate.cosine(ofDegrees: latitude))))
    }

    /// A range of longitudes, counted from 180 degrees west, cut at the antimeridian.
    private static func spans(from west: Int64, to east: Int64) -> [ClosedRange<Int64>] {
        let whole: Int64 = 3_600_000_000
        if east - west >= whole { return [0...whole] }
        if west < 0 { return [0...east, west + whole...whole] }
        if east > whole { return [west...whole, 0...east - whole] }
        return [west...east]
    }
}
