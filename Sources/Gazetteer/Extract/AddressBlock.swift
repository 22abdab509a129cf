import Telemetry

/// A house number as it is stored: a number of digits, or the text as the source has it.
struct HouseNumberCode {
    /// Whether the row stands for an outline, whose own address it is.
    var isLabel: Bool
    var text: String

    init(isLabel: Bool, text: String) {
        self.isLabel = isLabel
        self.text = text
    }

    init(in bytes: Bytes, at offset: inout Int) throws(GazetteerError) {
        let code = try bytes.varint(at: &offset)
        isLabel = code & 2 != 0
        if code & 1 == 0 {
            text = String(code >> 2)
        } else {
            text = try bytes.slice(offset, code >> 2).text
            offset += code >> 2
        }
    }

    @inline(__always)
    static func skip(in bytes: Bytes, at offset: inout Int) throws(GazetteerError) -> Bool {
        let code = try bytes.varint(at: &offset)
        if code & 1 == 1 {
            guard code >> 2 <= bytes.count else { throw Bytes.damage }
            offset += code >> 2
        }
        return code & 2 != 0
    }

    func write(to writer: inout ByteWriter) {
        let flag = isLabel ? 2 : 0
        // Digits alone, as they would be written again: "007" and "0x1F" stay text.
        if let number = Int(text), number >= 0, number < 1 << 40, String(number) == text {
            writer.append(varint: number << 2 | flag)
        } else {
            writer.append(varint: text.utf8.count << 2 | flag | 1)
            writer.bytes.append(contentsOf: text.utf8)
        }
    }
}

/// The address points of one cell.
struct AddressBlock {
    let bytes: Bytes
    let count: Int
    private let columns: Int
    let southE7: Int
    let westE7: Int

    init(_ bytes: Bytes, key: UInt32) throws(GazetteerError) {
        var offset = 0
        count = try bytes.varint(at: &offset)
        columns = offset
        self.bytes = bytes
        southE7 = ExtractGrid.southE7(ofKey: key)
        westE7 = ExtractGrid.westE7(ofKey: key)
        guard count <= bytes.count / 4, columns + count * 4 <= bytes.count else { throw Bytes.damage }
    }

    /// The place of a row, which must be less than `count`.
    @inline(__always)
    func place(_ row: Int) -> (latitudeE7: Int, longitudeE7: Int) {
        let north = bytes.raw.loadUnaligned(fromByteOffset: columns + row * 2, as: UInt16.self)
        let east = bytes.raw.loadUnaligned(fromByteOffset: columns + (count + row) * 2, as: UInt16.self)
        return (southE7 + Int(UInt16(littleEndian: north)), westE7 + Int(UInt16(littleEndian: east)))
    }

    func coordinate(_ row: Int) -> Coordinate {
        let (latitude, longitude) = place(row)
        return Coordinate(
            latitudeE7: Int32(min(latitude, 900_000_000)),
            longitudeE7: Int32(min(longitude, 1_800_000_000))
        )
    }

    /// Walks to a row: its street and its number.
    func record(_ row: Int) throws(GazetteerError) -> (street: Int, number: HouseNumberCode) {
        var offset = columns + count * 4
        var (street, done) = (0, 0)
        while done < count {
            street &+= try bytes.signedVarint(at: &offset)
            let run = try bytes.varint(at: &offset)
            guard run > 0, run <= count - done else { throw Bytes.damage }
            for _ in done..<min(done + run, row) { _ = try HouseNumberCode.skip(in: bytes, at: &offset) }
            if row < done + run { return (street, try HouseNumberCode(in: bytes, at: &offset)) }
            done += run
        }
        throw Bytes.damage
    }

    /// Calls the body with every row that stands for no outline, without reading its number.
    @inline(__always)
    func forEachPoint(_ body: (Int) throws(GazetteerError) -> Void) throws(GazetteerError) {
        var offset = columns + count * 4
        var done = 0
        while done < count {
            _ = try bytes.signedVarint(at: &offset)
            let run = try bytes.varint(at: &offset)
            guard run > 0, run <= count - done else { throw Bytes.damage }
            for row in done..<(done + run) {
                if try !HouseNumberCode.skip(in: bytes, at: &offset) { try body(row) }
            }
            done += run
        }
    }

    /// Calls the body with every row in order.
    func forEachRow(
        _ body: (Int, Int, HouseNumberCode) throws(GazetteerError) -> Void
    ) throws(GazetteerError) {
        var offset = columns + count * 4
        var (street, done) = (0, 0)
        while done < count {
            street &+= try bytes.signedVarint(at: &offset)
            let run = try bytes.varint(at: &offset)
            guard run > 0, run <= count - done else { throw Bytes.damage }
            for row in done..<(done + run) { try body(row, street, try HouseNumberCode(in: bytes, at: &offset)) }
            done += run
        }
    }
}
