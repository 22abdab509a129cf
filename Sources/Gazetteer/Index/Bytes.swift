/// A run of little-endian bytes of a mapped file, every access to which is checked.
///
/// It does not own the mapping: whoever keeps one keeps the `MappedFile` beside it.
struct Bytes: @unchecked Sendable {
    // Unchecked: read-only memory, kept alive by the index that holds it.
    let raw: UnsafeRawBufferPointer

    init(_ raw: UnsafeRawBufferPointer) { self.raw = raw }

    var count: Int { raw.count }

    /// What every read outside the run throws.
    static var damage: GazetteerError {
        GazetteerError(kind: .damaged, message: "the index contradicts itself: an offset points outside its section")
    }

    func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type,
        at offset: Int
    ) throws(GazetteerError) -> Number {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { throw Bytes.damage }
        return Number(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: type))
    }

    func slice(_ offset: Int, _ length: Int) throws(GazetteerError) -> Bytes {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { throw Bytes.damage }
        return Bytes(UnsafeRawBufferPointer(rebasing: raw[offset..<(offset + length)]))
    }

    func suffix(from offset: Int) throws(GazetteerError) -> Bytes { try slice(offset, count - offset) }

    /// Reads an unsigned LEB128 number of at most 63 bits, and moves the offset behind it.
    @inline(__always)
    func varint(at offset: inout Int) throws(GazetteerError) -> Int {
        var value = 0
        var shift = 0
        while shift < 63 {
            guard offset >= 0, offset < count else { throw Bytes.damage }
            let byte = raw[offset]
            offset += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Bytes.damage
    }

    /// A signed number in zigzag form.
    @inline(__always)
    func signedVarint(at offset: inout Int) throws(GazetteerError) -> Int {
        let value = try varint(at: &offset)
        return value >> 1 ^ -(value & 1)
    }

    /// The bytes as UTF-8; whatever is none becomes U+FFFD.
    var text: String { String(decoding: raw, as: UTF8.self) }
}

/// Records of any length by number: a count, the offset of each record and of the end, the records.
struct RecordTable: Sendable {
    let count: Int
    private let bytes: Bytes

    init(_ bytes: Bytes) throws(GazetteerError) {
        self.bytes = bytes
        count = Int(try bytes.load(UInt32.self, at: 0))
        _ = try bytes.slice(4, (count + 1) * 4)
    }

    subscript(number: Int) -> Bytes {
        get throws(GazetteerError) {
            guard number >= 0, number < count else { throw Bytes.damage }
            let start = Int(try bytes.load(UInt32.self, at: 4 + number * 4))
            let end = Int(try bytes.load(UInt32.self, at: 8 + number * 4))
            return try bytes.slice(4 + (count + 1) * 4 + start, end - start)
        }
    }
}
