import Telemetry

/// The towns of the world with their names, regions, countries and time zones, in one mapped file.
///
/// The format is described in docs/gazetteer.md; `scripts/build-gazetteer` writes it.
package struct TownIndex: Sendable {
    package let file: IndexFile
    let cells: Bytes
    let towns: Bytes
    let large: Bytes
    let regions: RecordTable
    let countries: RecordTable
    let zones: RecordTable
    let names: NameReader

    /// Opens an index of towns.
    ///
    /// - Throws: `GazetteerError` of any kind.
    /// - Complexity: reads the header and the table of languages only.
    package init(path: String) throws(GazetteerError) {
        try self.init(file: IndexFile(path: path))
    }

    init(file: IndexFile) throws(GazetteerError) {
        guard file.kind == .towns else {
            throw GazetteerError(kind: .foreign, message: "\(file.path) is no index of towns")
        }
        self.file = file
        cells = try file.section("CELL")
        towns = try file.section("TOWN")
        large = try file.section("CITY")
        regions = try RecordTable(file.section("REGN"))
        countries = try RecordTable(file.section("CTRY"))
        zones = try RecordTable(file.section("ZONE"))
        names = try NameReader(symbols: file.section("SYMB"), languages: file.section("LANG"))
    }

    /// How many towns there are.
    package var count: Int { file.count(of: "TOWN") }

    /// Tags of the languages in which some town has a name.
    package var languages: [String] { names.languages.keys.sorted() }
}

/// A town by where it stands in the file: cell by rank, row within the cell.
struct TownReference: Hashable, Sendable {
    var cell: Int
    var row: Int
}

/// The fixed part of a cell's block, checked to lie within the section.
struct TownBlock {
    static let columns = 720
    static let stepE7 = 100

    let bytes: Bytes
    let count: Int
    let regionCount: Int
    /// South-west corner in 1e-7 degrees.
    let southE7: Int
    let westE7: Int

    init(_ index: TownIndex, cell: Int) throws(GazetteerError) {
        let key = Int(try index.cells.load(UInt32.self, at: cell * 8))
        let start = Int(try index.cells.load(UInt32.self, at: cell * 8 + 4))
        guard key < TownBlock.columns * TownBlock.columns / 2 else { throw Bytes.damage }
        count = Int(try index.towns.load(UInt16.self, at: start))
        regionCount = Int(try index.towns.load(UInt16.self, at: start + 2))
        bytes = try index.towns.suffix(from: start + 4)
        southE7 = key / TownBlock.columns * 5_000_000 - 900_000_000
        westE7 = key % TownBlock.columns * 5_000_000 - 1_800_000_000
        guard bytes.count >= count * 4 + regionCount * 2 else { throw Bytes.damage }
    }

    /// The place of a row, which must be less than `count`; a damaged offset is held within the range of coordinates.
    @inline(__always)
    func coordinate(_ row: Int) -> Coordinate {
        let north = Int(UInt16(littleEndian: bytes.raw.loadUnaligned(fromByteOffset: row * 2, as: UInt16.self)))
        let east = Int(
            UInt16(littleEndian: bytes.raw.loadUnaligned(fromByteOffset: (count + row) * 2, as: UInt16.self))
        )
        return Coordinate(
            latitudeE7: Int32(min(southE7 + north * TownBlock.stepE7, 900_000_000)),
            longitudeE7: Int32(min(westE7 + east * TownBlock.stepE7, 1_800_000_000))
        )
    }

    /// Walks to a row's record.
    func record(_ row: Int) throws(GazetteerError) -> (region: Int, population: Int, names: NameRecord) {
        guard row >= 0, row < count else { throw Bytes.damage }
        var offset = count * 4 + regionCount * 2
        for _ in 0..<row {
            if regionCount > 1 { _ = try bytes.varint(at: &offset) }
            _ = try bytes.varint(at: &offset)
            try NameRecord.skip(in: bytes, at: &offset)
        }
        let local = regionCount > 1 ? try bytes.varint(at: &offset) : 0
        guard local < regionCount else { throw Bytes.damage }
        let region = Int(try bytes.load(UInt16.self, at: count * 4 + local * 2))
        let population = try bytes.varint(at: &offset)
        return (region, population, try NameRecord(in: bytes, at: &offset))
    }
}
