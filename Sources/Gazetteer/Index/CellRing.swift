import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The cells of a latitude-longitude grid near a point, in an order and to an extent that provably misses nothing.
///
/// Cells are numbered row by row from the south pole, and from 180 degrees west within a row. A search looks at the
/// point's own cell, then at the rows by their distance from the point; of each row at the columns that a circle of
/// the present radius can reach. The proof: the great-circle distance is at least the difference in latitude, so a row
/// whose nearest edge is farther than the radius holds nothing nearer; and over all its latitudes a circle of angular
/// radius r around latitude p spans asin(sin r / cos p) of longitude to either side, or all of it when it reaches a
/// pole (r + |p| at or over 90 degrees). A search may shrink the radius as it finds, for each bound is computed anew.
struct CellRing {
    /// Cells along a parallel; half as many rows.
    let columns: Int
    let latitude: Double
    let longitude: Double
    private let cosine: Double

    init(around point: Coordinate, columns: Int) {
        self.columns = columns
        latitude = point.latitude
        longitude = point.longitude
        cosine = cos(latitude * .pi / 180)
    }

    var rows: Int { columns / 2 }
    /// Edge of a cell in degrees.
    var edge: Double { 360 / Double(columns) }
    var ownRow: Int { min(max(Int(((latitude + 90) / edge).rounded(.down)), 0), rows - 1) }
    var ownColumn: Int { min(max(Int(((longitude + 180) / edge).rounded(.down)), 0), columns - 1) }

    /// A bound that rounding cannot make too small: one part in 10^9 and a tenth of a millimetre.
    private static func angle(_ metres: Double) -> Double {
        (metres * (1 + 1e-9) + 1e-4) / Coordinate.earthRadius
    }

    /// The least distance in metres from the point to a row.
    func distance(toRow row: Int) -> Double {
        let south = Double(row) * edge - 90
        let gap = max(south - latitude, latitude - (south + edge), 0)
        return max(gap * .pi / 180 * Coordinate.earthRadius - 1e-3, 0)
    }

    /// Calls the body with ranges of columns of a row that a circle can reach: one, or two across the antimeridian.
    @inline(__always)
    func forEachRange(
        within metres: Double,
        _ body: (ClosedRange<Int>) throws(GazetteerError) -> Void
    ) throws(GazetteerError) {
        let radius = CellRing.angle(metres)
        let reachesPole = radius + abs(latitude) * .pi / 180 >= .pi / 2 - 1e-9
        guard !reachesPole else { return try body(0...(columns - 1)) }
        let share = radius / cosine
        // sin r <= r, and asin x <= x + x³ for small x: spares a lookup of a few hundred metres both.
        let halfAngle = share < 0.01 ? share + share * share * share : asin(min(1, sin(radius) / cosine))
        let half = halfAngle * 180 / .pi + 1e-9
        let first = Int(((longitude - half + 180) / edge).rounded(.down))
        let last = Int(((longitude + half + 180) / edge).rounded(.down))
        guard last - first < columns - 1 else { return try body(0...(columns - 1)) }
        if first < 0 {
            try body((first + columns)...(columns - 1))
            try body(0...max(last, 0))
        } else if last >= columns {
            try body(first...(columns - 1))
            try body(0...(last - columns))
        } else {
            try body(first...last)
        }
    }

    /// Calls the body with every row that a circle can reach, nearest first; the body says the radius from then on.
    @inline(__always)
    func forEachRow(
        within metres: Double,
        _ body: (Int, Double) throws(GazetteerError) -> Double
    ) throws(GazetteerError) {
        var radius = try body(ownRow, metres)
        var (south, north) = (ownRow - 1, ownRow + 1)
        while true {
            let toSouth = south >= 0 ? distance(toRow: south) : .infinity
            let toNorth = north < rows ? distance(toRow: north) : .infinity
            guard min(toSouth, toNorth) <= radius else { return }
            if toSouth <= toNorth {
                radius = try body(south, radius)
                south -= 1
            } else {
                radius = try body(north, radius)
                north += 1
            }
        }
    }
}
