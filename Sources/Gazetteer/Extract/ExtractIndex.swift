package import Telemetry

/// The houses, streets and areas of one OpenStreetMap extract, in one mapped file.
///
/// The format is described in docs/gazetteer.md; `ExtractImport` writes it.
package struct ExtractIndex: Sendable {
    package let file: IndexFile
    /// Tags of the languages that names are kept in besides their own.
    package let languages: [String]
    package let attribution: String
    /// South-west and north-east corner of everything that the index holds.
    package let southWest: Coordinate
    package let northEast: Coordinate
    let layers: ExtractLayers
    let streets: Bytes
    let contexts: Bytes
    let names: RecordTable
    let areas: RecordTable
    let grid: CellLayer
    let settlements: Bytes

    /// Opens an index.
    ///
    /// - Throws: `GazetteerError` of any kind.
    /// - Complexity: reads the header only.
    package init(path: String) throws(GazetteerError) { try self.init(file: IndexFile(path: path)) }

    init(file: IndexFile) throws(GazetteerError) {
        guard file.kind == .extract else {
            throw GazetteerError(kind: .foreign, message: "\(file.path) is no index of an extract")
        }
        self.file = file
        func layer(_ directory: StaticString, _ blocks: StaticString) throws(GazetteerError) -> CellLayer {
            try CellLayer(directory: file.section(directory), blocks: file.section(blocks))
        }
        layers = try ExtractLayers(
            addresses: layer("ACEL", "ADDR"),
            outlines: layer("OCEL", "OUTL"),
            lines: layer("LCEL", "LINE"),
            interpolations: layer("ICEL", "INTP")
        )
        streets = try file.section("STRT")
        contexts = try file.section("CTXT")
        names = try RecordTable(file.section("NAME"))
        areas = try RecordTable(file.section("AREA"))
        grid = try layer("GCEL", "GRID")
        settlements = try file.section("PLAC")
        let tags = try RecordTable(file.section("LANG"))
        var languages: [String] = []
        for number in 0..<min(tags.count, 255) { languages.append(try tags[number].text) }
        self.languages = languages
        attribution = file.info["attribution"] ?? ""
        let box = try file.section("BBOX")
        southWest = try ExtractIndex.corner(box, at: 0)
        northEast = try ExtractIndex.corner(box, at: 8)
    }

    private static func corner(_ box: Bytes, at offset: Int) throws(GazetteerError) -> Coordinate {
        let corner = Coordinate(
            latitudeE7: try box.load(Int32.self, at: offset),
            longitudeE7: try box.load(Int32.self, at: offset + 4)
        )
        guard corner.isValid else { throw Bytes.damage }
        return corner
    }

    /// How many address points there are.
    package var addressCount: Int { file.count(of: "ADDR") }
    /// How many building outlines, counted once for each cell that they touch.
    package var outlineCount: Int { file.count(of: "OUTL") }
    /// How many streets, counted once for each combination with a town and a postcode.
    package var streetCount: Int { file.count(of: "STRT") }

    /// What the file's parts take, in bytes.
    package var sizes: (addresses: Int, outlines: Int, lines: Int) {
        func size(_ names: [StaticString]) -> Int { names.reduce(0) { $0 + ((try? file.section($1).count) ?? 0) } }
        return (size(["ACEL", "ADDR"]), size(["OCEL", "OUTL"]), size(["LCEL", "LINE"]))
    }

    /// An address point as the index has it.
    package struct AddressPoint: Sendable {
        package var place: Coordinate
        package var street: String
        package var house: String
    }

    /// All address points, in the order of the file.
    package func addressPoints() throws(GazetteerError) -> [AddressPoint] {
        var result: [AddressPoint] = []
        for rank in 0..<layers.addresses.cellCount {
            let block = try AddressBlock(layers.addresses.block(rank), key: layers.addresses.key(rank))
            try block.forEachRow { row, number, house throws(GazetteerError) in
                let street = try name(street(number).name, language: "")?.text ?? ""
                result.append(AddressPoint(place: block.coordinate(row), street: street, house: house.text))
            }
        }
        return result
    }

    // MARK: Names

    /// Languages to try, best first: `pt-BR`, then `pt`, as far as the index has them.
    func preference(for language: String) -> [(number: UInt8, tag: String)] {
        var result: [(number: UInt8, tag: String)] = []
        var tag = language[...]
        while !tag.isEmpty {
            if let number = languages.firstIndex(where: { $0 == tag }) {
                result.append((UInt8(truncatingIfNeeded: number), String(tag)))
            }
            tag = tag.lastIndex(of: "-").map { tag[..<$0] } ?? ""
        }
        return result
    }

    /// A name in a language, and the language found; nil for the name that the map gives first.
    func name(
        _ number: Int,
        _ preference: [(number: UInt8, tag: String)]
    ) throws(GazetteerError) -> (text: String, language: String?)? {
        guard number > 0 else { return nil }
        let record = try names[number]
        var offset = 0
        let length = try record.varint(at: &offset)
        let own = try record.slice(offset, length)
        let others = try record.suffix(from: offset + length)
        if others.count > 0 {
            for wanted in preference {
                guard let text = try translation(wanted.number, in: others) else { continue }
                return (text.isEmpty ? own.text : text, wanted.tag)
            }
        }
        return (own.text, nil)
    }

    func name(_ number: Int, language: String) throws(GazetteerError) -> (text: String, language: String?)? {
        try name(number, preference(for: language))
    }

    private func translation(_ language: UInt8, in others: Bytes) throws(GazetteerError) -> String? {
        var offset = 0
        while offset < others.count {
            let own = try others.load(UInt8.self, at: offset)
            offset += 1
            let length = try others.varint(at: &offset)
            let text = try others.slice(offset, length)
            offset += length
            if own == language { return text.text }
        }
        return nil
    }

    // MARK: Streets

    /// A street: number of its name and of its context, and whether it is a place or only a road number.
    func street(_ number: Int) throws(GazetteerError) -> (name: Int, context: Int, isPlace: Bool, isReference: Bool) {
        guard number >= 0, number <= streets.count / 20 else { throw Bytes.damage }
        let flags = try streets.load(UInt32.self, at: number * 20 + 8)
        return (
            Int(try streets.load(UInt32.self, at: number * 20)),
            Int(try streets.load(UInt32.self, at: number * 20 + 4)),
            flags & 1 != 0, flags & 2 != 0
        )
    }

    /// A number of the context: 0 district, 1 town, 2 region, 3 country, 4 code, 5 postcode, 6 zone.
    func context(_ number: Int, _ part: Int) throws(GazetteerError) -> Int {
        guard number >= 0, number <= contexts.count / 28 else { throw Bytes.damage }
        return Int(try contexts.load(UInt32.self, at: number * 28 + part * 4))
    }

    static func countryCode(_ value: Int) -> String? {
        guard value != 0 else { return nil }
        return String(decoding: [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)], as: UTF8.self)
    }
}
