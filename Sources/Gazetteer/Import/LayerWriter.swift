import Telemetry

/// Collects the objects of one layer by cell and writes them.
struct LayerWriter {
    /// An encoded object of a cell: its box in whole units within the cell, and its record.
    struct Shape {
        var box: (south: UInt8, west: UInt8, north: UInt8, east: UInt8)
        var record: [UInt8]
    }

    private var cells: [UInt32: [Shape]] = [:]
    private(set) var count = 0

    /// Adds a shape to every cell of a list of keys, encoded for each by the body; without a box it has no part in it.
    mutating func add(to keys: some Sequence<UInt32>, vertices: [Coordinate], _ encode: (UInt32) -> [UInt8]) {
        for key in keys {
            guard let box = LayerWriter.box(of: vertices, in: key) else { continue }
            let record = encode(key)
            guard record.count <= Int(UInt16.max) else { continue }
            cells[key, default: []].append(Shape(box: box, record: record))
            count += 1
        }
    }

    /// Cells that the extent of some vertices touches.
    static func keys(touchedBy vertices: [Coordinate]) -> [UInt32] {
        guard let first = vertices.first else { return [] }
        var (south, north, west, east) = (first.latitudeE7, first.latitudeE7, first.longitudeE7, first.longitudeE7)
        for vertex in vertices {
            (south, north) = (min(south, vertex.latitudeE7), max(north, vertex.latitudeE7))
            (west, east) = (min(west, vertex.longitudeE7), max(east, vertex.longitudeE7))
        }
        var keys: [UInt32] = []
        for row in ExtractGrid.row(south)...ExtractGrid.row(north) {
            for column in ExtractGrid.column(west)...ExtractGrid.column(east) {
                keys.append(UInt32(row * ExtractGrid.columns + column))
            }
        }
        return keys
    }

    /// The extent of some vertices within a cell, rounded outwards.
    private static func box(
        of vertices: [Coordinate],
        in key: UInt32
    ) -> (south: UInt8, west: UInt8, north: UInt8, east: UInt8)? {
        guard let first = vertices.first else { return nil }
        var (south, north, west, east) = (first.latitudeE7, first.latitudeE7, first.longitudeE7, first.longitudeE7)
        for vertex in vertices {
            (south, north) = (min(south, vertex.latitudeE7), max(north, vertex.latitudeE7))
            (west, east) = (min(west, vertex.longitudeE7), max(east, vertex.longitudeE7))
        }
        let (baseSouth, baseWest) = (ExtractGrid.southE7(ofKey: key), ExtractGrid.westE7(ofKey: key))
        let unit = ExtractGrid.boxUnitE7
        let most = ExtractGrid.edgeE7 / unit
        func low(_ value: Int32, _ base: Int) -> UInt8 { UInt8(min(max(Int(value) - base, 0) / unit, most)) }
        func high(_ value: Int32, _ base: Int) -> UInt8 {
            UInt8(min(max(Int(value) - base + unit - 1, 0) / unit, most))
        }
        return (low(south, baseSouth), low(west, baseWest), high(north, baseSouth), high(east, baseWest))
    }

    /// The directory and the blocks.
    func sections() -> (directory: [UInt8], blocks: [UInt8]) {
        var (directory, blocks) = (ByteWriter(), ByteWriter())
        for key in cells.keys.sorted() {
            guard let shapes = cells[key] else { continue }
            directory.append(key)
            directory.append(UInt32(blocks.bytes.count))
            blocks.append(varint: shapes.count)
            for shape in shapes {
                blocks.bytes += [shape.box.south, shape.box.west, shape.box.north, shape.box.east]
            }
            for shape in shapes { blocks.append(UInt16(shape.record.count)) }
            for shape in shapes { blocks.bytes += shape.record }
        }
        return (directory.bytes, blocks.bytes)
    }

    /// Writes vertices, each from the one before it, the first from the corner of the cell; they must be whole units.
    static func append(_ vertices: [Coordinate], key: UInt32, to writer: inout ByteWriter) {
        writer.append(varint: vertices.count)
        var (south, west) = (ExtractGrid.southE7(ofKey: key), ExtractGrid.westE7(ofKey: key))
        for vertex in vertices {
            writer.append(signedVarint: (Int(vertex.latitudeE7) - south) / ExtractGrid.vertexUnitE7)
            writer.append(signedVarint: (Int(vertex.longitudeE7) - west) / ExtractGrid.vertexUnitE7)
            (south, west) = (Int(vertex.latitudeE7), Int(vertex.longitudeE7))
        }
    }
}

/// An address point on its way into the index.
struct AddressRow {
    var place: Coordinate
    var street: UInt32
    var number: HouseNumberCode

    /// The directory and the blocks of the layer of address points.
    static func sections(of rows: [AddressRow]) -> (directory: [UInt8], blocks: [UInt8]) {
        let keyed = rows.map { (key: ExtractGrid.key(of: $0.place), row: $0) }.sorted { left, right in
            (left.key, left.row.street, left.row.place, left.row.number.text)
                < (right.key, right.row.street, right.row.place, right.row.number.text)
        }
        var (directory, blocks) = (ByteWriter(), ByteWriter())
        var start = 0
        while start < keyed.count {
            let key = keyed[start].key
            var end = start
            while end < keyed.count, keyed[end].key == key { end += 1 }
            let cell = keyed[start..<end]
            start = end
            directory.append(key)
            directory.append(UInt32(blocks.bytes.count))
            blocks.append(varint: cell.count)
            let (south, west) = (ExtractGrid.southE7(ofKey: key), ExtractGrid.westE7(ofKey: key))
            for entry in cell { blocks.append(UInt16(clamping: Int(entry.row.place.latitudeE7) - south)) }
            for entry in cell { blocks.append(UInt16(clamping: Int(entry.row.place.longitudeE7) - west)) }
            var (street, first) = (0, cell.startIndex)
            while first < cell.endIndex {
                let own = cell[first].row.street
                var last = first
                while last < cell.endIndex, cell[last].row.street == own { last += 1 }
                blocks.append(signedVarint: Int(own) - street)
                blocks.append(varint: last - first)
                for entry in cell[first..<last] { entry.row.number.write(to: &blocks) }
                (street, first) = (Int(own), last)
            }
        }
        return (directory.bytes, blocks.bytes)
    }
}
