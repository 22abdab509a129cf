import Telemetry

/// The vertices of an outline or a line, decoded one by one: the first from the corner of its cell, each further one
/// from the one before it.
struct VertexReader {
    private let bytes: Bytes
    private var offset: Int
    private var left: Int
    private var latitude: Int
    private var longitude: Int

    /// Reads the count at an offset of a record in a cell.
    init(_ bytes: Bytes, at offset: Int, key: UInt32) throws(GazetteerError) {
        self.bytes = bytes
        self.offset = offset
        left = try bytes.varint(at: &self.offset)
        latitude = ExtractGrid.southE7(ofKey: key)
        longitude = ExtractGrid.westE7(ofKey: key)
    }

    @inline(__always)
    mutating func next() throws(GazetteerError) -> (latitudeE7: Int, longitudeE7: Int)? {
        guard left > 0 else { return nil }
        left -= 1
        latitude &+= try bytes.signedVarint(at: &offset) &* ExtractGrid.vertexUnitE7
        longitude &+= try bytes.signedVarint(at: &offset) &* ExtractGrid.vertexUnitE7
        return (latitude, longitude)
    }

    /// The square of the distance from the map's origin to the line.
    @inline(__always)
    mutating func squaredDistance(on plane: LocalPlane) throws(GazetteerError) -> Double {
        guard let first = try next() else { return .infinity }
        var last = plane.project(latitudeE7: first.latitudeE7, longitudeE7: first.longitudeE7)
        var best = (last * last).sum()
        while let vertex = try next() {
            let spot = plane.project(latitudeE7: vertex.latitudeE7, longitudeE7: vertex.longitudeE7)
            best = min(best, LocalPlane.squaredDistance(from: last, to: spot))
            last = spot
        }
        return best
    }
}

/// The outline of a building: whose address it bears, and its ring without the repeated first vertex.
struct OutlineRecord {
    /// Number of the street plus one; 0 when the building bears no address itself.
    let street: Int
    /// Whether address points lie in it, which then beat its own address.
    let hasPoints: Bool
    let number: HouseNumberCode
    private let bytes: Bytes
    private let label: Int
    private let key: UInt32

    init(_ bytes: Bytes, key: UInt32) throws(GazetteerError) {
        var offset = 0
        let head = try bytes.varint(at: &offset)
        street = head >> 1
        hasPoints = head & 1 == 1
        number = street > 0 ? try HouseNumberCode(in: bytes, at: &offset) : HouseNumberCode(isLabel: true, text: "")
        label = offset
        self.bytes = bytes
        self.key = key
    }

    /// The point that stands for the building.
    func labelPoint() throws(GazetteerError) -> Coordinate {
        var offset = label
        let north = ExtractGrid.southE7(ofKey: key) &+ (try bytes.signedVarint(at: &offset))
        let east = ExtractGrid.westE7(ofKey: key) &+ (try bytes.signedVarint(at: &offset))
        return Coordinate(
            latitudeE7: Int32(min(max(north, -900_000_000), 900_000_000)),
            longitudeE7: Int32(min(max(east, -1_800_000_000), 1_800_000_000))
        )
    }

    func vertices() throws(GazetteerError) -> VertexReader {
        var offset = label
        _ = try bytes.signedVarint(at: &offset)
        _ = try bytes.signedVarint(at: &offset)
        return try VertexReader(bytes, at: offset, key: key)
    }

    /// Whether the map's origin lies inside, the square of its distance to the ring, and that of the farthest vertex.
    @inline(__always)
    func relation(on plane: LocalPlane) throws(GazetteerError) -> (isInside: Bool, squared: Double, farthest: Double) {
        var reader = try vertices()
        guard let start = try reader.next() else { return (false, .infinity, 0) }
        let first = plane.project(latitudeE7: start.latitudeE7, longitudeE7: start.longitudeE7)
        var last = first
        var (isInside, best, farthest) = (false, (first * first).sum(), (first * first).sum())
        var isOpen = true
        while isOpen {
            var spot = first
            if let vertex = try reader.next() {
                spot = plane.project(latitudeE7: vertex.latitudeE7, longitudeE7: vertex.longitudeE7)
                farthest = max(farthest, (spot * spot).sum())
            } else {
                isOpen = false
            }
            best = min(best, LocalPlane.squaredDistance(from: last, to: spot))
            if (last.y > 0) != (spot.y > 0), last.x - last.y * (spot.x - last.x) / (spot.y - last.y) > 0 {
                isInside.toggle()
            }
            last = spot
        }
        return (isInside, best, farthest)
    }
}

/// A stretch of a named street within one cell.
struct LineRecord {
    let street: Int
    private let bytes: Bytes
    private let start: Int
    private let key: UInt32

    init(_ bytes: Bytes, key: UInt32) throws(GazetteerError) {
        var offset = 0
        street = try bytes.varint(at: &offset)
        start = offset
        self.bytes = bytes
        self.key = key
    }

    func vertices() throws(GazetteerError) -> VertexReader { try VertexReader(bytes, at: start, key: key) }
}

/// A line along which house numbers rise or fall evenly; whole in every cell that it touches.
struct InterpolationRecord {
    let street: Int
    let first: Int
    let last: Int
    let step: Int
    private let bytes: Bytes
    private let start: Int
    private let key: UInt32

    init(_ bytes: Bytes, key: UInt32) throws(GazetteerError) {
        var offset = 0
        street = try bytes.varint(at: &offset)
        first = try bytes.varint(at: &offset)
        last = try bytes.varint(at: &offset)
        step = try bytes.varint(at: &offset)
        guard step > 0, first < 1 << 32, last < 1 << 32, step < 1 << 32 else { throw Bytes.damage }
        start = offset
        self.bytes = bytes
        self.key = key
    }

    func vertices() throws(GazetteerError) -> VertexReader { try VertexReader(bytes, at: start, key: key) }

    /// The square of the distance, the number at the nearest spot of the line, and that spot.
    func nearest(on plane: LocalPlane) throws(GazetteerError) -> (squared: Double, number: Int, spot: SIMD2<Double>) {
        var reader = try vertices()
        guard let start = try reader.next() else { return (.infinity, first, .zero) }
        var last = plane.project(latitudeE7: start.latitudeE7, longitudeE7: start.longitudeE7)
        var (best, bestSpot, bestAlong, along) = ((last * last).sum(), last, 0.0, 0.0)
        while let vertex = try reader.next() {
            let spot = plane.project(latitudeE7: vertex.latitudeE7, longitudeE7: vertex.longitudeE7)
            let leg = spot - last
            let squaredLength = (leg * leg).sum()
            let part = squaredLength > 0 ? min(max(-(last * leg).sum() / squaredLength, 0), 1) : 0
            let nearest = last + part * leg
            if (nearest * nearest).sum() < best {
                (best, bestSpot) = ((nearest * nearest).sum(), nearest)
                bestAlong = along + part * squaredLength.squareRoot()
            }
            along += squaredLength.squareRoot()
            last = spot
        }
        let share = along > 0 ? bestAlong / along : 0
        let steps = (share * Double(self.last - first) / Double(step)).rounded()
        return (best, first + Int(steps) * step, bestSpot)
    }
}
