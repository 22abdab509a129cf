import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension TownIndex {
    /// The nearest town by great-circle distance; of equally near ones the first in the file.
    ///
    /// - Parameters:
    ///   - point: where to look from.
    ///   - limit: how far at most, in metres; a town exactly there counts.
    /// - Returns: the town and its distance in metres, or nil when none is within the limit.
    /// - Throws: `GazetteerError` of kind `damaged`.
    func nearest(to point: Coordinate, within limit: Double) throws(GazetteerError) -> (TownReference, Double)? {
        var search = NearestTown(point: point, limit: limit)
        let ring = CellRing(around: point, columns: TownBlock.columns)
        let ownCell = ring.ownRow * TownBlock.columns + ring.ownColumn
        try search.look(in: self, cells: ownCell...ownCell, skipping: -1)
        try ring.forEachRow(within: search.distance) { row, radius throws(GazetteerError) in
            try ring.forEachRange(within: radius) { range throws(GazetteerError) in
                let first = row * TownBlock.columns
                let keys = (first + range.lowerBound)...(first + range.upperBound)
                try search.look(in: self, cells: keys, skipping: ownCell)
            }
            return search.distance
        }
        return search.found.map { ($0, search.distance) }
    }

    /// The rank of the first cell whose key is not less.
    func firstCell(notBelow key: Int) throws(GazetteerError) -> Int {
        var (low, high) = (0, cells.count / 8)
        while low < high {
            let middle = (low + high) / 2
            if Int(try cells.load(UInt32.self, at: middle * 8)) < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What a search for the nearest town has found so far.
private struct NearestTown {
    let point: Coordinate
    var distance: Double
    var found: TownReference?
    private let cosine: Double

    init(point: Coordinate, limit: Double) {
        self.point = point
        distance = limit
        cosine = max(cos(point.latitude * .pi / 180), 0)
    }

    mutating func look(in index: TownIndex, cells keys: ClosedRange<Int>, skipping: Int) throws(GazetteerError) {
        var cell = try index.firstCell(notBelow: keys.lowerBound)
        while cell * 8 < index.cells.count {
            let key = Int(try index.cells.load(UInt32.self, at: cell * 8))
            guard key <= keys.upperBound else { return }
            if key != skipping { look(in: try TownBlock(index, cell: cell), cell: cell) }
            cell += 1
        }
    }

    /// Looks at every row whose distance can be under the best so far.
    ///
    /// With a = sin²(dφ/2) + cos φ1 cos φ2 sin²(dλ/2), the haversine of the distance, and sin x >= x (1 - X²/6) for
    /// 0 <= x <= X, a is at least (1 - X²/6)² (dφ²/4 + cos φ1 c dλ²/4), c being the least cosine in the cell and X the
    /// greatest half difference: a bound without a sine, which spares nearly all rows the exact formula.
    private mutating func look(in block: TownBlock, cell: Int) {
        let radians = Double.pi / 180e7
        let south = Double(block.southE7) * radians
        let leastCosine = max(min(cos(south), cos(south + 0.5 * .pi / 180)), 0)
        let factor = cosine * leastCosine
        var bound = haversineOfBest
        for row in 0..<block.count {
            let place = block.coordinate(row)
            let north = Double(place.latitudeE7 &- point.latitudeE7) * radians * 0.5
            var turn = Int(place.longitudeE7) - Int(point.longitudeE7)
            if turn > 1_800_000_000 { turn -= 3_600_000_000 } else if turn < -1_800_000_000 { turn += 3_600_000_000 }
            let east = Double(turn) * radians * 0.5
            let shrink = 1 - max(north * north, east * east) / 6
            guard shrink * shrink * (north * north + factor * east * east) <= bound else { continue }
            let candidate = point.distance(to: place)
            let reference = TownReference(cell: cell, row: row)
            if candidate < distance || (candidate == distance && isFirst(reference)) {
                distance = candidate
                found = reference
                bound = haversineOfBest
            }
        }
    }

    private func isFirst(_ reference: TownReference) -> Bool {
        guard let found else { return true }
        return (reference.cell, reference.row) < (found.cell, found.row)
    }

    /// The haversine of the best distance, enlarged by more than rounding can take away.
    private var haversineOfBest: Double {
        let half = sin(min(distance / (2 * Coordinate.earthRadius), .pi / 2))
        return half * half * (1 + 1e-9) + 1e-22
    }
}
