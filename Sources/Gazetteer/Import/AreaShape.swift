import Telemetry

/// A polygon with holes that answers quickly whether a point lies inside: its edges are kept by latitude.
struct AreaShape {
    let rings: [[Coordinate]]
    let south: Int32
    let north: Int32
    let west: Int32
    let east: Int32
    private let bands: [[(Coordinate, Coordinate)]]

    /// Takes closed rings, outer and inner alike: a point is inside when it lies in an odd number of them.
    init?(rings: [[Coordinate]]) {
        let all = rings.joined()
        guard let first = all.first else { return nil }
        var (south, north) = (first.latitudeE7, first.latitudeE7)
        var (west, east) = (first.longitudeE7, first.longitudeE7)
        var edges = 0
        for place in all {
            (south, north) = (min(south, place.latitudeE7), max(north, place.latitudeE7))
            (west, east) = (min(west, place.longitudeE7), max(east, place.longitudeE7))
            edges += 1
        }
        self.rings = rings
        (self.south, self.north, self.west, self.east) = (south, north, west, east)
        let count = max(1, min(edges / 4, 4096))
        var bands = [[(Coordinate, Coordinate)]](repeating: [], count: count)
        for ring in rings {
            for (a, b) in zip(ring, ring.dropFirst()) {
                let low = AreaShape.band(min(a.latitudeE7, b.latitudeE7), south, north, count)
                let high = AreaShape.band(max(a.latitudeE7, b.latitudeE7), south, north, count)
                for number in low...high { bands[number].append((a, b)) }
            }
        }
        self.bands = bands
    }

    private static func band(_ latitude: Int32, _ south: Int32, _ north: Int32, _ count: Int) -> Int {
        let height = Int(north) - Int(south) + 1
        return (Int(latitude) - Int(south)) * count / height
    }

    func contains(_ point: Coordinate) -> Bool {
        guard point.latitudeE7 >= south, point.latitudeE7 <= north, point.longitudeE7 >= west,
            point.longitudeE7 <= east
        else { return false }
        var isInside = false
        for (a, b) in bands[AreaShape.band(point.latitudeE7, south, north, bands.count)]
        where AreaShape.crosses(point, a, b) { isInside.toggle() }
        return isInside
    }

    /// Whether the ray from a point to the east crosses an edge; exact, in integers.
    @inline(__always)
    static func crosses(_ point: Coordinate, _ a: Coordinate, _ b: Coordinate) -> Bool {
        guard (a.latitudeE7 > point.latitudeE7) != (b.latitudeE7 > point.latitudeE7) else { return false }
        let rise = Int64(b.latitudeE7) - Int64(a.latitudeE7)
        let left = (Int64(point.longitudeE7) - Int64(a.longitudeE7)) * rise
        let right = (Int64(point.latitudeE7) - Int64(a.latitudeE7)) * (Int64(b.longitudeE7) - Int64(a.longitudeE7))
        return rise > 0 ? left < right : left > right
    }

    /// Twice the signed area of a ring in square units of 1e-7 degrees, without the shrinking of longitudes.
    static func doubleArea(_ ring: [Coordinate]) -> Double {
        guard let origin = ring.first else { return 0 }
        var sum = 0.0
        for (a, b) in zip(ring, ring.dropFirst()) {
            let (ax, ay) = (
                Double(a.longitudeE7) - Double(origin.longitudeE7), Double(a.latitudeE7) - Double(origin.latitudeE7)
            )
            let (bx, by) = (
                Double(b.longitudeE7) - Double(origin.longitudeE7), Double(b.latitudeE7) - Double(origin.latitudeE7)
            )
            sum += ax * by - bx * ay
        }
        return sum
    }

    /// A point inside: the centroid of the largest ring where it lies inside, else the middle of the widest stretch
    /// on its latitude.
    var labelPoint: Coordinate {
        let largest = rings.max { AreaShape.doubleArea($0).magnitude < AreaShape.doubleArea($1).magnitude } ?? []
        let area = AreaShape.doubleArea(largest)
        guard let origin = largest.first, area != 0 else {
            return rings.first?.first ?? Coordinate(latitudeE7: 0, longitudeE7: 0)
        }
        var (x, y) = (0.0, 0.0)
        for (a, b) in zip(largest, largest.dropFirst()) {
            let (ax, ay) = (
                Double(a.longitudeE7) - Double(origin.longitudeE7), Double(a.latitudeE7) - Double(origin.latitudeE7)
            )
            let (bx, by) = (
                Double(b.longitudeE7) - Double(origin.longitudeE7), Double(b.latitudeE7) - Double(origin.latitudeE7)
            )
            let cross = ax * by - bx * ay
            x += (ax + bx) * cross
            y += (ay + by) * cross
        }
        let centroid = Coordinate(
            latitudeE7: clamp(Double(origin.latitudeE7) + y / (3 * area), south, north),
            longitudeE7: clamp(Double(origin.longitudeE7) + x / (3 * area), west, east)
        )
        if contains(centroid) { return centroid }
        let crossings = rings.flatMap { ring in
            zip(ring, ring.dropFirst()).compactMap { a, b -> Double? in
                guard (a.latitudeE7 > centroid.latitudeE7) != (b.latitudeE7 > centroid.latitudeE7) else { return nil }
                let part =
                    (Double(centroid.latitudeE7) - Double(a.latitudeE7))
                    / (Double(b.latitudeE7) - Double(a.latitudeE7))
                return Double(a.longitudeE7) + part * (Double(b.longitudeE7) - Double(a.longitudeE7))
            }
        }.sorted()
        var best: (width: Double, middle: Double)?
        for index in stride(from: 0, to: crossings.count - 1, by: 2) {
            let width = crossings[index + 1] - crossings[index]
            if width > best?.width ?? 0 { best = (width, (crossings[index] + crossings[index + 1]) / 2) }
        }
        guard let best else { return centroid }
        return Coordinate(latitudeE7: centroid.latitudeE7, longitudeE7: clamp(best.middle, west, east))
    }

    private func clamp(_ value: Double, _ low: Int32, _ high: Int32) -> Int32 {
        Int32(min(max(value.rounded(), Double(low)), Double(high)))
    }
}

/// Joins ways to closed rings by their end nodes.
enum RingAssembler {
    /// The rings that close; what stays open, as at the border of an extract, is left out.
    ///
    /// - Returns: the rings as lists of node ids, the first repeated at the end, and whether everything closed.
    static func rings(of ways: [[Int64]]) -> (rings: [[Int64]], isWhole: Bool) {
        var rings: [[Int64]] = []
        var open: [[Int64]] = []
        for way in ways where way.count > 1 {
            if way.first == way.last { rings.append(way) } else { open.append(way) }
        }
        var byEnd: [Int64: [Int]] = [:]
        for (number, way) in open.enumerated() {
            byEnd[way[0], default: []].append(number)
            byEnd[way[way.count - 1], default: []].append(number)
        }
        var isUsed = [Bool](repeating: false, count: open.count)
        var isWhole = true
        for start in open.indices where !isUsed[start] {
            isUsed[start] = true
            var ring = open[start]
            while ring[0] != ring[ring.count - 1] {
                let end = ring[ring.count - 1]
                guard let next = byEnd[end]?.first(where: { !isUsed[$0] }) else { break }
                isUsed[next] = true
                let way = open[next]
                ring += way[0] == end ? way.dropFirst() : way.reversed().dropFirst()
            }
            if ring[0] == ring[ring.count - 1], ring.count > 3 { rings.append(ring) } else { isWhole = false }
        }
        return (rings, isWhole)
    }
}
