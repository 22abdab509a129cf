import Telemetry

@testable import Gazetteer

/// Every object of an index as plain lists, and the rule applied to all of them without cells.
struct BruteForce {
    struct Row {
        var place: Coordinate
        var street: Int
        var number: String
        var isLabel: Bool
    }

    struct Outline {
        var record: OutlineRecord
        var ring: [Coordinate]
        var label: Coordinate
    }

    let index: ExtractIndex
    private(set) var rows: [Row] = []
    private(set) var outlines: [Outline] = []
    private(set) var lines: [(street: Int, vertices: [Coordinate])] = []
    private(set) var interpolations: [InterpolationRecord] = []

    init(_ index: ExtractIndex) throws {
        self.index = index
        for rank in 0..<index.layers.addresses.cellCount {
            let block = try AddressBlock(index.layers.addresses.block(rank), key: index.layers.addresses.key(rank))
            try block.forEachRow { row, street, number throws(GazetteerError) in
                let place = block.coordinate(row)
                rows.append(Row(place: place, street: street, number: number.text, isLabel: number.isLabel))
            }
        }
        try BruteForce.forEach(index.layers.outlines) { record, key throws(GazetteerError) in
            let outline = try OutlineRecord(record, key: key)
            outlines.append(
                Outline(record: outline, ring: try BruteForce.all(outline.vertices()), label: try outline.labelPoint())
            )
        }
        try BruteForce.forEach(index.layers.lines) { record, key throws(GazetteerError) in
            let line = try LineRecord(record, key: key)
            lines.append((line.street, try BruteForce.all(line.vertices())))
        }
        try BruteForce.forEach(index.layers.interpolations) { record, key throws(GazetteerError) in
            interpolations.append(try InterpolationRecord(record, key: key))
        }
    }

    private static func forEach(
        _ layer: CellLayer,
        _ body: (Bytes, UInt32) throws(GazetteerError) -> Void
    ) throws {
        let far = Coordinate(latitudeE7: 0, longitudeE7: 0)
        for rank in 0..<layer.cellCount {
            let key = try layer.key(rank)
            let block = try ShapeBlock(layer.block(rank), key: key)
            try block.forEachRecord(on: LocalPlane(at: far), at: far, within: .infinity) {
                record throws(GazetteerError) in
                try body(record, key)
                return .infinity
            }
        }
    }

    private static func all(_ reader: VertexReader) throws(GazetteerError) -> [Coordinate] {
        var (reader, result) = (reader, [Coordinate]())
        while let vertex = try reader.next() {
            result.append(
                Coordinate(latitudeE7: Int32(vertex.latitudeE7), longitudeE7: Int32(vertex.longitudeE7))
            )
        }
        return result
    }

    /// The address point nearest to a place.
    func nearestRow(to point: Coordinate) -> Row? {
        rows.min { $0.place.distance(to: point) < $1.place.distance(to: point) }
    }

    private func squared(_ plane: LocalPlane, _ place: Coordinate) -> Double {
        let spot = plane.project(place)
        return (spot * spot).sum()
    }

    private func squared(_ plane: LocalPlane, line: [Coordinate]) -> Double {
        let spots = line.map { plane.project($0) }
        return zip(spots, spots.dropFirst()).map { LocalPlane.squaredDistance(from: $0, to: $1) }.min() ?? .infinity
    }

    private func isInside(_ plane: LocalPlane, _ ring: [Coordinate]) -> Bool {
        var isInside = false
        for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
            let (from, to) = (plane.project(a), plane.project(b))
            if (from.y > 0) != (to.y > 0), from.x - from.y * (to.x - from.x) / (to.y - from.y) > 0 { isInside.toggle() }
        }
        return isInside
    }

    /// What the rule says, by looking at everything.
    func verdict(at point: Coordinate) throws -> String {
        let plane = LocalPlane(at: point)
        let house = try house(at: point, plane)
        let street = lines.map { (squared(plane, line: $0.vertices), $0.street) }
            .filter { $0.0 <= ExtractLayers.streetReach * ExtractLayers.streetReach }
            .min { $0 < $1 }
            .map { FoundStreet(street: $0.1, distance: $0.0.squareRoot()) }
        var interpolated: FoundHouse?
        for line in interpolations {
            let nearest = try line.nearest(on: plane)
            let distance = nearest.squared.squareRoot()
            guard distance <= ExtractLayers.houseReach, distance < interpolated?.distance ?? .infinity else { continue }
            interpolated = FoundHouse(
                street: line.street,
                number: String(nearest.number),
                distance: distance,
                point: point,
                way: .onInterpolation
            )
        }
        let choice = try AddressRule.choose(house: house, interpolated: interpolated, street: street) {
            one,
            other throws(GazetteerError) in
            try index.street(one).name == index.street(other).name
        }.0
        return BruteForce.text(choice)
    }

    private func house(at point: Coordinate, _ plane: LocalPlane) throws -> FoundHouse? {
        let limit = ExtractLayers.houseReach * ExtractLayers.houseReach
        // Orthographic projection folds the far side of the Earth onto the near one.
        let rows = rows.filter {
            ($0.place.latitudeE7 > 0) == (point.latitudeE7 > 0) || $0.place.distance(to: point) < 1000
        }
        let nearest = rows.map { (squared(plane, $0.place), $0) }.min { $0.0 < $1.0 }.flatMap {
            $0.0 <= limit ? $0 : nil
        }
        func found(_ row: (Double, Row), _ way: FoundHouse.Way) -> FoundHouse {
            FoundHouse(
                street: row.1.street,
                number: row.1.number,
                distance: row.0.squareRoot(),
                point: row.1.place,
                way: way
            )
        }
        if let nearest, nearest.0 <= 9 { return found(nearest, .pointNearby) }
        let around = outlines.first { $0.record.hasPoints && isInside(plane, $0.ring) }
        let best = outlines.filter { $0.record.street > 0 }
            .compactMap { outline -> (Double, Double, Double, Outline)? in
                let isAround = isInside(plane, outline.ring)
                if isAround, outline.record.hasPoints { return nil }
                let wall = isAround ? 0 : squared(plane, line: outline.ring + outline.ring.prefix(1)).squareRoot()
                let label = squared(plane, outline.label).squareRoot()
                return ((wall + label) / 2, label, wall, outline)
            }
            .min {
                ($0.0, $0.1, $0.3.record.street, $0.3.record.number.text)
                    < ($1.0, $1.1, $1.3.record.street, $1.3.record.number.text)
            }
            .flatMap { $0.0 < nearest?.0.squareRoot() ?? limit.squareRoot() ? $0 : nil }
        if let around {
            let measure = best?.0 ?? nearest?.0.squareRoot() ?? limit.squareRoot()
            let inside = rows.filter { !$0.isLabel && isInside(LocalPlane(at: $0.place), around.ring) }
            let contained = inside.map { (squared(plane, $0.place), $0) }.min { $0.0 < $1.0 }
            if let contained, contained.0 <= 4 * measure * measure { return found(contained, .pointInOutline) }
        }
        if let best {
            return FoundHouse(
                street: best.3.record.street - 1,
                number: best.3.record.number.text,
                distance: best.2,
                point: best.3.label,
                way: .outline
            )
        }
        return nearest.map { found($0, .nearestPoint) }
    }

    static func text(_ choice: RuleChoice) -> String {
        switch choice {
        case .house(let house):
            "house \(house.street) \(house.number) \(millimetres(house.distance)) \(house.way.rawValue)"
        case .interpolated(let house): "interpolated \(house.street) \(house.number) \(millimetres(house.distance))"
        case .street(let street): "street \(street.street) \(millimetres(street.distance))"
        case .nothing: "nothing"
        }
    }

    private static func millimetres(_ metres: Double) -> Int { Int((metres * 1000).rounded()) }
}
