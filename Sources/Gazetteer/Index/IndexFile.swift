import CZlib
package import Telemetry

/// The container of every index: a header with its own checksum, a table of sections, the sections.
///
/// Opening checks the header and that every section lies within the file; every later read is checked against its
/// section, so that a damaged or hostile file gives a typed error or a wrong name, never a crash. The checksum over
/// the whole content reads every page, which an opening of under a millisecond cannot: `verify()` does it when asked.
package struct IndexFile: Sendable {
    /// What an index holds.
    package enum Kind: UInt32, Sendable {
        case towns = 1
        case extract = 2
    }

    package static let formatVersion: UInt32 = 1

    package let path: String
    package let kind: Kind
    /// The time stamp of the source's data.
    package let dataTime: Timestamp
    /// Size of the file in bytes.
    package let size: Int
    /// What the file says about itself: `name`, `source`, `attribution`, `licence` and more by kind.
    package let info: [String: String]
    private let contentChecksum: UInt32
    private let contentStart: Int
    private let sections: [UInt32: (count: Int, range: Range<Int>)]
    private let file: MappedFile

    /// Opens and checks the header.
    ///
    /// - Throws: `GazetteerError` of kind `notFound`, `system`, `foreign`, `unsupportedVersion` or `damaged`.
    package init(path: String) throws(GazetteerError) {
        let file = try MappedFile(path: path)
        let bytes = Bytes(file.bytes)
        guard bytes.count >= 48, try bytes.load(UInt64.self, at: 0) == IndexFile.magic else {
            throw GazetteerError(kind: .foreign, message: "\(path) is no gazetteer index")
        }
        let version = try bytes.load(UInt32.self, at: 8)
        guard version == IndexFile.formatVersion else {
            throw GazetteerError(
                kind: .unsupportedVersion,
                message: "\(path) has format version \(version), this program reads \(IndexFile.formatVersion)"
            )
        }
        let sectionCount = Int(try bytes.load(UInt32.self, at: 24))
        let headerLength = 48 + sectionCount * 24
        guard sectionCount <= 64, headerLength <= bytes.count, try bytes.load(UInt64.self, at: 16) == bytes.count,
            try bytes.load(UInt32.self, at: 28) == IndexFile.headerChecksum(file.bytes, headerLength)
        else { throw GazetteerError(kind: .damaged, message: "\(path) is cut short, or its header is damaged") }
        guard let kind = Kind(rawValue: try bytes.load(UInt32.self, at: 12)) else {
            throw GazetteerError(kind: .foreign, message: "\(path) is an index of an unknown kind")
        }
        var sections: [UInt32: (count: Int, range: Range<Int>)] = [:]
        for number in 0..<sectionCount {
            let entry = 48 + number * 24
            let start = Int(truncatingIfNeeded: try bytes.load(UInt64.self, at: entry + 8))
            let length = Int(truncatingIfNeeded: try bytes.load(UInt64.self, at: entry + 16))
            _ = try bytes.slice(start, length)
            let count = Int(try bytes.load(UInt32.self, at: entry + 4))
            sections[try bytes.load(UInt32.self, at: entry)] = (count, start..<(start + length))
        }
        self.path = path
        self.kind = kind
        size = bytes.count
        dataTime = Timestamp(seconds: min(max(try bytes.load(Int64.self, at: 32), -2_208_988_800), 253_402_300_799))
        contentChecksum = try bytes.load(UInt32.self, at: 40)
        contentStart = headerLength
        self.sections = sections
        self.file = file
        var info: [String: String] = [:]
        if let section = sections[IndexFile.tag("INFO")] {
            let text = try bytes.slice(section.range.lowerBound, section.range.count).text
            for line in text.split(separator: "\n") {
                guard let mark = line.firstIndex(of: "=") else { continue }
                info[String(line[..<mark])] = String(line[line.index(after: mark)...])
            }
        }
        self.info = info
    }

    /// Reads everything and compares the checksum: the way to find a damaged disk.
    ///
    /// - Throws: `GazetteerError` of kind `damaged`.
    package func verify() throws(GazetteerError) {
        guard let start = file.bytes.baseAddress else { return }
        let sum = crc32_z(0, (start + contentStart).assumingMemoryBound(to: UInt8.self), size - contentStart)
        guard UInt32(truncatingIfNeeded: sum) == contentChecksum else {
            throw GazetteerError(kind: .damaged, message: "\(path) is damaged: its checksum differs")
        }
    }

    /// The bytes of a section, which live as long as the file does; empty when there is none of that name.
    func section(_ name: StaticString) throws(GazetteerError) -> Bytes {
        guard let section = sections[IndexFile.tag(name)] else {
            return Bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try Bytes(file.bytes).slice(section.range.lowerBound, section.range.count)
    }

    /// The number of records that the section table names.
    func count(of name: StaticString) -> Int { sections[IndexFile.tag(name)]?.count ?? 0 }

    /// `ODOGAZ\r\n`: the line end shows a file that a text-mode copy has damaged.
    static var magic: UInt64 { 0x0A0D_5A41_474F_444F }

    static func tag(_ name: StaticString) -> UInt32 {
        name.withUTF8Buffer { $0.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// CRC-32 over the header and the section table, its own four bytes taken as zero.
    static func headerChecksum(_ bytes: UnsafeRawBufferPointer, _ length: Int) -> UInt32 {
        var copy = [UInt8](bytes[0..<length])
        for index in 28..<32 { copy[index] = 0 }
        return UInt32(truncatingIfNeeded: crc32_z(0, copy, copy.count))
    }
}
