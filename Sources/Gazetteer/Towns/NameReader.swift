/// The coded names of one place: its own, and what other languages call it.
struct NameRecord {
    let own: Bytes
    let others: Bytes

    /// Reads the record at an offset, and moves the offset behind it.
    init(in bytes: Bytes, at offset: inout Int) throws(GazetteerError) {
        let (ownLength, othersLength) = try NameRecord.lengths(in: bytes, at: &offset)
        own = try bytes.slice(offset, ownLength)
        others = try bytes.slice(offset + ownLength, othersLength)
        offset += ownLength + othersLength
    }

    /// Moves an offset behind the record.
    static func skip(in bytes: Bytes, at offset: inout Int) throws(GazetteerError) {
        let (own, others) = try lengths(in: bytes, at: &offset)
        offset += own + others
    }

    @inline(__always)
    private static func lengths(in bytes: Bytes, at offset: inout Int) throws(GazetteerError) -> (Int, Int) {
        let first = try bytes.varint(at: &offset)
        let others = first & 1 == 0 ? 0 : try bytes.varint(at: &offset)
        guard first >> 1 <= bytes.count, others <= bytes.count else { throw Bytes.damage }
        return (first >> 1, others)
    }
}

/// Decodes names: a byte stands for one of 255 strings of a table, 255 for the byte behind it.
struct NameReader: Sendable {
    private let tables: [RecordTable]
    /// Number and table of each language, by its tag.
    let languages: [String: (number: UInt8, table: Int)]
    private let tableOfLanguage: [Int]

    init(symbols: Bytes, languages section: Bytes) throws(GazetteerError) {
        let groups = try RecordTable(symbols)
        var tables: [RecordTable] = []
        for number in 0..<min(groups.count, 256) { tables.append(try RecordTable(groups[number])) }
        let tags = try RecordTable(section)
        guard tags.count <= 255, !tables.isEmpty else { throw Bytes.damage }
        var languages: [String: (number: UInt8, table: Int)] = [:]
        for number in 0..<tags.count {
            let record = try tags[number]
            let table = Int(try record.load(UInt8.self, at: 0))
            guard table < tables.count else { throw Bytes.damage }
            languages[try record.suffix(from: 1).text] = (UInt8(number), table)
        }
        self.tables = tables
        self.languages = languages
        tableOfLanguage = languages.values.sorted { $0.number < $1.number }.map(\.table)
    }

    /// A place's name in a language, and the language found; nil for the name that the source gives first.
    ///
    /// `pt-BR` falls back to `pt`, then to the source's own name.
    func name(_ record: NameRecord, language: String) throws(GazetteerError) -> (text: String, language: String?) {
        var tag = language[...]
        while !tag.isEmpty {
            if let wanted = languages[String(tag)], let text = try text(record, wanted) {
                return (text, String(tag))
            }
            tag = tag.lastIndex(of: "-").map { tag[..<$0] } ?? ""
        }
        return (try decode(record.own, tables[0]), nil)
    }

    /// Pairs of a language and a coded text; an empty text is that of the next pair, or at the end the place's own.
    private func text(_ record: NameRecord, _ wanted: (number: UInt8, table: Int)) throws(GazetteerError) -> String? {
        var offset = 0
        var isFound = false
        while offset < record.others.count {
            let number = try record.others.load(UInt8.self, at: offset)
            offset += 1
            let length = try record.others.varint(at: &offset)
            isFound = isFound || number == wanted.number
            guard length > 0 else { continue }
            let coded = try record.others.slice(offset, length)
            offset += length
            if isFound { return try decode(coded, tables[wanted.table]) }
        }
        return isFound ? try decode(record.own, tables[0]) : nil
    }

    private func decode(_ coded: Bytes, _ table: RecordTable) throws(GazetteerError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(coded.count * 3)
        var offset = 0
        while offset < coded.count {
            let code = try coded.load(UInt8.self, at: offset)
            offset += 1
            if code == 255 {
                result.append(try coded.load(UInt8.self, at: offset))
                offset += 1
            } else {
                result.append(contentsOf: try table[Int(code)].raw)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
