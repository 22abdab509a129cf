import Telemetry

/// One kind of object of an extract, in sorted cells: a directory of keys and offsets, and the cells' blocks.
struct CellLayer: Sendable {
    private let directory: Bytes
    private let blocks: Bytes

    init(directory: Bytes, blocks: Bytes) {
        self.directory = directory
        self.blocks = blocks
    }

    var cellCount: Int { directory.count / 8 }

    func key(_ rank: Int) throws(GazetteerError) -> UInt32 { try directory.load(UInt32.self, at: rank * 8) }

    /// A cell's block: to the end of the layer, since a block knows its own length.
    func block(_ rank: Int) throws(GazetteerError) -> Bytes {
        let start = Int(try directory.load(UInt32.self, at: rank * 8 + 4))
        let end = rank + 1 < cellCount ? Int(try directory.load(UInt32.self, at: rank * 8 + 12)) : blocks.count
        return try blocks.slice(start, end - start)
    }

    /// The rank of the first cell whose key is not less.
    func rank(notBelow key: UInt32) throws(GazetteerError) -> Int {
        var (low, high) = (0, cellCount)
        while low < high {
            let middle = (low + high) / 2
            if try self.key(middle) < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls the body with the blocks of all cells that a circle can reach, nearest row first; the body returns the
    /// radius from then on.
    ///
    /// Distances on the flat map of a lookup differ from those on the sphere by less than one in a thousand: the ring
    /// is that much wider.
    @inline(__always)
    func forEachCell(
        near ring: CellRing,
        within metres: Double,
        _ body: (UInt32, Bytes) throws(GazetteerError) -> Double
    ) throws(GazetteerError) {
        var radius = metres
        try ring.forEachRow(within: metres * 1.001 + 0.01) { row, bound throws(GazetteerError) in
            try ring.forEachRange(within: bound) { range throws(GazetteerError) in
                let first = UInt32(row * ring.columns + range.lowerBound)
                let last = UInt32(row * ring.columns + range.upperBound)
                var rank = try rank(notBelow: first)
                while rank < cellCount {
                    let key = try key(rank)
                    guard key <= last else { break }
                    radius = try body(key, try block(rank))
                    rank += 1
                }
            }
            return radius * 1.001 + 0.01
        }
    }
}

/// The boxes of a block of shapes: each object's extent within the cell, and where its record begins.
struct ShapeBlock {
    let bytes: Bytes
    let count: Int
    private let boxes: Int
    private let south: Int
    private let west: Int

    init(_ bytes: Bytes, key: UInt32) throws(GazetteerError) {
        var offset = 0
        count = try bytes.varint(at: &offset)
        boxes = offset
        self.bytes = bytes
        south = ExtractGrid.southE7(ofKey: key)
        west = ExtractGrid.westE7(ofKey: key)
        // Also keeps the product below from overflowing.
        guard count <= bytes.count / 6, offset + count * 6 <= bytes.count else { throw Bytes.damage }
    }

    /// Calls the body with the record of every shape whose box may be nearer than the bound; the body returns the
    /// bound from then on, the square of a distance.
    @inline(__always)
    func forEachRecord(
        on plane: LocalPlane,
        at point: Coordinate,
        within squared: Double,
        _ body: (Bytes) throws(GazetteerError) -> Double
    ) throws(GazetteerError) {
        var bound = squared
        var record = boxes + count * 6
        for number in 0..<count {
            let length = Int(try bytes.load(UInt16.self, at: boxes + count * 4 + number * 2))
            defer { record += length }
            guard squaredDistance(toBox: number, on: plane, at: point) <= bound else { continue }
            bound = try body(try bytes.slice(record, length))
        }
    }

    /// A lower bound of the square of the distance to a shape's box.
    @inline(__always)
    private func squaredDistance(toBox number: Int, on plane: LocalPlane, at point: Coordinate) -> Double {
        let base = boxes + number * 4
        let unit = ExtractGrid.boxUnitE7
        let (south, west) = (self.south + Int(bytes.raw[base]) * unit, self.west + Int(bytes.raw[base + 1]) * unit)
        let (north, east) = (self.south + Int(bytes.raw[base + 2]) * unit, self.west + Int(bytes.raw[base + 3]) * unit)
        return plane.squaredDistance(toBoxSouth: south, west: west, north: north, east: east)
    }
}

extension LocalPlane {
    /// A lower bound of the square of the distance to a box; 0 near the poles, where a box is no rectangle.
    @inline(__always)
    func squaredDistance(toBoxSouth south: Int, west: Int, north: Int, east: Int) -> Double {
        guard !isNearPole else { return 0 }
        let low = project(latitudeE7: south, longitudeE7: west)
        let high = project(latitudeE7: north, longitudeE7: east)
        let gap = SIMD2(max(low.x, -high.x, 0), max(low.y, -high.y, 0))
        // One part in a million and a millimetre less, against rounding.
        return max((gap * gap).sum() * 0.999_999 - 1e-3, 0)
    }
}
