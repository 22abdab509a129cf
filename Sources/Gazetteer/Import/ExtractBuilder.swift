import Telemetry

/// Makes an index of what a scan took: resolves places, finds what is above each street, sorts into cells.
struct ExtractBuilder {
    private let scan: ExtractScan
    private var resolver: ContextResolver
    private var names = NamePool()
    private var contexts: [AddressContext: UInt32] = [:]
    private var contextList: [AddressContext] = []
    private var streets: [StreetKey: UInt32] = [:]
    private var streetList: [(key: StreetKey, place: Coordinate)] = []
    private var streetNameNumbers: [UInt32: UInt32] = [:]
    private var scanNames: [UInt32: UInt32] = [:]
    private var rows: [AddressRow] = []
    private var outlines = LayerWriter()
    private var lines = LayerWriter()
    private var interpolations = LayerWriter()
    private var nodePlaces: [UInt32: [Coordinate]] = [:]
    private let areas: [ExtractScan.Area]
    private(set) var counts: ImportCounts

    private struct StreetKey: Hashable {
        var name: UInt32
        var context: UInt32
        var flags: UInt32
    }

    init(scan: ExtractScan, towns: TownIndex?) {
        self.scan = scan
        counts = scan.counts
        var (areas, shapes): ([ExtractScan.Area], [AreaShape]) = ([], [])
        for area in scan.areas {
            let ways =
                area.way.map { [ExtractBuilder.ids($0, scan)] }
                ?? area.ways.compactMap { scan.memberWays[$0].map { ExtractBuilder.ids($0, scan) } }
            let (rings, isWhole) = RingAssembler.rings(of: ways)
            let isComplete = isWhole && (area.way != nil || ways.count == area.ways.count)
            let places = rings.map { ring in ring.compactMap { scan.locations[$0] } }
            guard isComplete, zip(rings, places).allSatisfy({ $0.count == $1.count }),
                let shape = AreaShape(rings: places.map { $0.map(ExtractGrid.rounded) })
            else {
                counts.brokenAreas += 1
                continue
            }
            areas.append(area)
            shapes.append(shape)
        }
        // A part of a country before the country, a district before its town: finer levels come first when sorted.
        let order = areas.indices.sorted { (areas[$0].level, $0) < (areas[$1].level, $1) }
        self.areas = order.map { areas[$0] }
        counts.areas = areas.count
        counts.settlements = scan.settlements.count
        resolver = ContextResolver(
            areas: self.areas,
            shapes: order.map { shapes[$0] },
            settlements: scan.settlements,
            towns: towns,
            languages: scan.languages
        )
    }

    private static func ids(_ way: ExtractScan.Way, _ scan: ExtractScan) -> [Int64] { Array(scan.nodes[way.nodes]) }

    private func places(_ way: ExtractScan.Way) -> [Coordinate] {
        scan.nodes[way.nodes].compactMap { scan.locations[$0] }
    }

    // MARK: Streets

    private mutating func street(
        name: UInt32,
        at place: Coordinate,
        tags: ExtractScan.AddressTags?,
        flags: UInt32
    ) throws(GazetteerError) -> UInt32 {
        let context = try resolver.context(at: place, tags: tags, strings: scan.strings, names: &names)
        let contextNumber: UInt32
        if let known = contexts[context] {
            contextNumber = known
        } else {
            contextNumber = UInt32(contextList.count)
            contexts[context] = contextNumber
            contextList.append(context)
        }
        let nameNumber: UInt32
        if let known = streetNameNumbers[name] {
            nameNumber = known
        } else {
            nameNumber = names.intern(scan.streetNames.names[Int(name)])
            streetNameNumbers[name] = nameNumber
            scanNames[nameNumber] = name
        }
        let key = StreetKey(name: nameNumber, context: contextNumber, flags: flags)
        if let known = streets[key] { return known }
        let number = UInt32(streetList.count)
        streets[key] = number
        streetList.append((key, place))
        return number
    }

    private mutating func addStreets() throws(GazetteerError) {
        for street in scan.streets {
            let places = places(street.way).map(ExtractGrid.rounded)
            guard places.count > 1 else { continue }
            let middle = places[places.count / 2]
            let number = try self.street(name: street.name, at: middle, tags: nil, flags: street.isReference ? 2 : 0)
            counts.streetSegments += places.count - 1
            add(line: places, street: number)
        }
    }

    /// Cuts a line into stretches, one for each run of segments that touch a cell.
    private mutating func add(line: [Coordinate], street: UInt32) {
        var open: [UInt32: [Coordinate]] = [:]
        func close(_ key: UInt32, _ stretch: [Coordinate], _ lines: inout LayerWriter) {
            lines.add(to: [key], vertices: stretch) { key in
                var writer = ByteWriter()
                writer.append(varint: Int(street))
                LayerWriter.append(stretch, key: key, to: &writer)
                return writer.bytes
            }
        }
        for (a, b) in zip(line, line.dropFirst()) {
            // A segment across the antimeridian would touch every cell of its row: no mapper draws one.
            guard a.longitudeE7.distance(to: b.longitudeE7).magnitude < 1_800_000_000 else { continue }
            let keys = LayerWriter.keys(touchedBy: [a, b])
            for (key, stretch) in open.sorted(by: { $0.key < $1.key }) where !keys.contains(key) {
                close(key, stretch, &lines)
                open[key] = nil
            }
            for key in keys {
                if var stretch = open[key], stretch.count < 100 {
                    stretch.append(b)
                    open[key] = stretch
                } else {
                    if let full = open[key] { close(key, full, &lines) }
                    open[key] = [a, b]
                }
            }
        }
        for (key, stretch) in open.sorted(by: { $0.key < $1.key }) { close(key, stretch, &lines) }
    }

    // MARK: Addresses

    /// The street of an address: its own, else the nearest named one within 150 m, else none.
    private mutating func street(
        of tags: ExtractScan.AddressTags,
        at place: Coordinate,
        nearest: ExtractLayers
    ) throws(GazetteerError) -> UInt32 {
        var name = tags.street
        if name == 0 {
            let ring = CellRing(around: place, columns: ExtractGrid.columns)
            if let found = try nearest.street(at: place, LocalPlane(at: place), ring) {
                name = scanNames[streetList[found.street].key.name] ?? 0
            }
        }
        return try street(name: name, at: place, tags: tags, flags: tags.isPlace ? 1 : 0)
    }

    private mutating func addAddresses(_ nearest: ExtractLayers) throws(GazetteerError) {
        for node in scan.addressNodes {
            let street = try street(of: node.tags, at: node.place, nearest: nearest)
            rows.append(
                AddressRow(place: node.place, street: street, number: .init(isLabel: false, text: node.tags.number))
            )
            nodePlaces[ExtractGrid.key(of: node.place), default: []].append(node.place)
        }
        for way in scan.addressWays {
            var rings: [[Coordinate]]
            if way.members.isEmpty {
                rings = [places(way.way)]
            } else {
                let ways = way.members.compactMap { scan.memberWays[$0].map { ExtractBuilder.ids($0, scan) } }
                rings = RingAssembler.rings(of: ways).rings.map { $0.compactMap { scan.locations[$0] } }
                if rings.isEmpty, let some = way.members.compactMap({ scan.memberWays[$0] }).first {
                    rings = [places(some)]
                }
            }
            guard let place = rings.first?.first else { continue }
            if !way.members.isEmpty { counts.addressRelations += 1 }
            let isClosed = rings.allSatisfy { $0.count > 3 && $0.first == $0.last }
            guard isClosed, let shape = AreaShape(rings: rings) else {
                let longest = rings.max { $0.count < $1.count } ?? []
                let middle = longest.isEmpty ? place : longest[longest.count / 2]
                let street = try street(of: way.tags, at: middle, nearest: nearest)
                rows.append(
                    AddressRow(place: middle, street: street, number: .init(isLabel: false, text: way.tags.number))
                )
                continue
            }
            let label = shape.labelPoint
            let street = try street(of: way.tags, at: label, nearest: nearest)
            let number = HouseNumberCode(isLabel: true, text: way.tags.number)
            let isOutlined = add(outline: shape, label: label, street: street, number: number)
            rows.append(AddressRow(place: label, street: street, number: .init(isLabel: isOutlined, text: number.text)))
        }
        for building in scan.buildings {
            let ring = places(building)
            guard ring.count > 3, ring.first == ring.last, let shape = AreaShape(rings: [ring]) else { continue }
            _ = add(outline: shape, label: shape.labelPoint, street: nil, number: .init(isLabel: true, text: ""))
        }
    }

    /// Adds the outlines of a building; one without an own address only when address points lie in it.
    ///
    /// Courtyards are filled: who stands in one is at that house.
    ///
    /// - Returns: whether an outline was added; one with over 500 vertices, or over 2 km long, is none.
    private mutating func add(
        outline shape: AreaShape,
        label: Coordinate,
        street: UInt32?,
        number: HouseNumberCode
    ) -> Bool {
        var isAdded = false
        for whole in shape.rings {
            var ring = whole.map(ExtractGrid.rounded)
            ring.removeLast()
            let keys = LayerWriter.keys(touchedBy: ring)
            guard ring.count > 2, ring.count <= 500, keys.count <= 64,
                let filled = AreaShape(rings: [ring + [ring[0]]])
            else { continue }
            // Only rings that are not a courtyard of another ring.
            if shape.rings.count > 1, AreaShape(rings: shape.rings.filter { $0 != whole })?.contains(whole[0]) ?? false
            {
                continue
            }
            let hasPoints = keys.contains { key in nodePlaces[key]?.contains { filled.contains($0) } ?? false }
            guard hasPoints || street != nil else { continue }
            outlines.add(to: keys, vertices: ring) { key in
                var writer = ByteWriter()
                writer.append(varint: (street.map { Int($0) + 1 } ?? 0) << 1 | (hasPoints ? 1 : 0))
                if street != nil { number.write(to: &writer) }
                writer.append(signedVarint: Int(label.latitudeE7) - ExtractGrid.southE7(ofKey: key))
                writer.append(signedVarint: Int(label.longitudeE7) - ExtractGrid.westE7(ofKey: key))
                LayerWriter.append(ring, key: key, to: &writer)
                return writer.bytes
            }
            isAdded = true
            counts.outlines += 1
        }
        return isAdded
    }

    // MARK: Interpolation

    private mutating func addInterpolations() throws(GazetteerError) {
        for line in scan.interpolations {
            let step: Int
            switch line.type {
            case "odd", "even": step = 2
            case "all": step = 1
            default:
                guard let number = Int(line.type), (1...1000).contains(number) else { continue }
                step = number
            }
            let ids = scan.nodes[line.way.nodes]
            var from: (index: Int, tags: ExtractScan.AddressTags)?
            for index in ids.indices {
                guard let tags = scan.numberOfNode[ids[index]] else { continue }
                defer { from = (index, tags) }
                guard let start = from, let first = Int(start.tags.number), let last = Int(tags.number), first >= 0,
                    last >= 0, first < 1 << 31, last < 1 << 31, first != last
                else { continue }
                let places = ids[start.index...index].compactMap { scan.locations[$0] }.map(ExtractGrid.rounded)
                guard places.count > 1 else { continue }
                var own = start.tags
                if own.street == 0 { own.street = line.street }
                let street = try street(name: own.street, at: places[0], tags: own, flags: 0)
                counts.interpolationLines += 1
                interpolations.add(to: LayerWriter.keys(touchedBy: places), vertices: places) { key in
                    var writer = ByteWriter()
                    writer.append(varint: Int(street))
                    for value in [first, last, step] { writer.append(varint: value) }
                    LayerWriter.append(places, key: key, to: &writer)
                    return writer.bytes
                }
            }
        }
    }

    // MARK: The file

    /// Builds the whole index.
    ///
    /// - Parameter info: what the file says about itself.
    /// - Returns: a writer that holds all sections.
    /// - Throws: `GazetteerError` when the index of towns is damaged.
    mutating func build(info: [(String, String)]) throws(GazetteerError) -> IndexWriter {
        try addStreets()
        let lineSections = lines.sections()
        // Addresses without a street ask the lines just written for the nearest.
        try lineSections.directory.withBytes { directory throws(GazetteerError) in
            try lineSections.blocks.withBytes { blocks throws(GazetteerError) in
                let none = CellLayer(directory: .none, blocks: .none)
                let layer = CellLayer(directory: directory, blocks: blocks)
                try addAddresses(
                    ExtractLayers(addresses: none, outlines: none, lines: layer, interpolations: none)
                )
            }
        }
        try addInterpolations()
        let areaSections = areaSections()
        let settlementSection = settlementSection()
        var writer = IndexWriter(kind: .extract, dataTime: scan.dataTime)
        writer.add("INFO", count: 1, [UInt8](info.map { "\($0)=\($1)" }.joined(separator: "\n").utf8))
        writer.add("BBOX", count: 1, box())
        writer.add("LANG", count: scan.languages.count, table(scan.languages.map { [UInt8]($0.utf8) }))
        writer.add("NAME", count: names.names.count, table(names.names.map(ExtractBuilder.encode)))
        writer.add("CTXT", count: contextList.count, contextSection())
        writer.add("STRT", count: streetList.count, streetSection())
        let addressSections = AddressRow.sections(of: rows)
        writer.add("ACEL", count: addressSections.directory.count / 8, addressSections.directory)
        writer.add("ADDR", count: rows.count, addressSections.blocks)
        let outlineSections = outlines.sections()
        writer.add("OCEL", count: outlineSections.directory.count / 8, outlineSections.directory)
        writer.add("OUTL", count: outlines.count, outlineSections.blocks)
        writer.add("LCEL", count: lineSections.directory.count / 8, lineSections.directory)
        writer.add("LINE", count: lines.count, lineSections.blocks)
        let interpolationSections = interpolations.sections()
        writer.add("ICEL", count: interpolationSections.directory.count / 8, interpolationSections.directory)
        writer.add("INTP", count: interpolations.count, interpolationSections.blocks)
        writer.add("AREA", count: areas.count, areaSections.areas)
        writer.add("GCEL", count: areaSections.directory.count / 8, areaSections.directory)
        writer.add("GRID", count: areaSections.directory.count / 8, areaSections.blocks)
        writer.add("PLAC", count: settlementSection.count / 16, settlementSection)
        return writer
    }

    private func table(_ records: [[UInt8]]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(table: records)
        return writer.bytes
    }

    private static func encode(_ name: PlaceName) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(text: name.own)
        for other in name.others {
            writer.append(other.language)
            // A language that has the name as it is takes one byte.
            writer.append(text: other.text == name.own ? "" : other.text)
        }
        return writer.bytes
    }

    private func contextSection() -> [UInt8] {
        var writer = ByteWriter()
        for context in contextList {
            for value in [
                context.district, context.town, context.region, context.country, context.countryCode,
                context.postcode, context.zone,
            ] { writer.append(value) }
        }
        return writer.bytes
    }

    private func streetSection() -> [UInt8] {
        var writer = ByteWriter()
        for street in streetList {
            writer.append(street.key.name)
            writer.append(street.key.context)
            writer.append(street.key.flags)
            writer.append(street.place.latitudeE7)
            writer.append(street.place.longitudeE7)
        }
        return writer.bytes
    }

    private mutating func settlementSection() -> [UInt8] {
        var writer = ByteWriter()
        for settlement in scan.settlements.sorted(by: { ($0.place, $0.name.own) < ($1.place, $1.name.own) }) {
            writer.append(settlement.place.latitudeE7)
            writer.append(settlement.place.longitudeE7)
            writer.append(names.intern(settlement.name))
            writer.append(UInt32(settlement.kind.rawValue))
        }
        return writer.bytes
    }

    private mutating func areaSections() -> (areas: [UInt8], directory: [UInt8], blocks: [UInt8]) {
        var records: [[UInt8]] = []
        for (area, shape) in zip(areas, resolver.locator.shapes) {
            var writer = ByteWriter()
            writer.append(names.intern(area.name))
            let letters = Array((area.countryCode ?? "").utf8)
            writer.append(UInt8(area.level))
            writer.append(area.settlement?.rawValue ?? 0)
            writer.append(letters.count == 2 ? UInt16(letters[0]) | UInt16(letters[1]) << 8 : 0)
            writer.append(varint: shape.rings.count)
            for ring in shape.rings {
                writer.append(varint: ring.count)
                var (south, west) = (0, 0)
                for vertex in ring {
                    writer.append(signedVarint: (Int(vertex.latitudeE7) - south) / ExtractGrid.vertexUnitE7)
                    writer.append(signedVarint: (Int(vertex.longitudeE7) - west) / ExtractGrid.vertexUnitE7)
                    (south, west) = (Int(vertex.latitudeE7), Int(vertex.longitudeE7))
                }
            }
            records.append(writer.bytes)
        }
        var (directory, blocks) = (ByteWriter(), ByteWriter())
        for key in resolver.locator.cells.keys.sorted() {
            directory.append(key)
            directory.append(UInt32(blocks.bytes.count))
            let entries = resolver.locator.cells[key] ?? []
            blocks.append(varint: entries.count)
            for entry in entries { blocks.append(varint: Int(entry)) }
        }
        return (table(records), directory.bytes, blocks.bytes)
    }

    /// The extent of the objects: south, west, north, east.
    private func box() -> [UInt8] {
        let places = rows.map(\.place) + streetList.map(\.place) + scan.settlements.map(\.place)
        var writer = ByteWriter()
        writer.append(places.map(\.latitudeE7).min() ?? 0)
        writer.append(places.map(\.longitudeE7).min() ?? 0)
        writer.append(places.map(\.latitudeE7).max() ?? 0)
        writer.append(places.map(\.longitudeE7).max() ?? 0)
        return writer.bytes
    }
}

extension [UInt8] {
    /// Lends the bytes for the time of the call.
    fileprivate func withBytes(_ body: (Bytes) throws(GazetteerError) -> Void) throws(GazetteerError) {
        try withUnsafeBytes { raw -> Result<Void, GazetteerError> in
            Result { () throws(GazetteerError) in try body(Bytes(raw)) }
        }.get()
    }
}

extension Bytes {
    /// No bytes.
    static var none: Bytes { Bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
}
