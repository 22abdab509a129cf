/// What is wrong with protobuf bytes, and where.
struct WireFault: Error {
    enum Kind {
        case truncated
        case overlongVarint
        case badTag
        case unexpectedWireType
        case tooManyPositions
        case columnLengths
        case repeatedColumns
    }

    var kind: Kind
    /// The address of the byte that could not be read, only to be compared with that of the message.
    var address: Int

    var message: String {
        switch kind {
        case .truncated: "a field reaches beyond the end of its message"
        case .overlongVarint: "a number is longer than ten bytes"
        case .badTag: "no field can begin with this tag"
        case .unexpectedWireType: "a known field has another type than the schema gives it"
        case .tooManyPositions: "more than \(BatchDecoder.limit) positions in one batch"
        case .columnLengths: "the columns do not have as many values as there are positions"
        case .repeatedColumns: "a batch has its columns twice"
        }
    }
}

/// Reads the protobuf wire format from memory that it does not own; every step checks the end.
struct WireReader {
    var cursor: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>

    @inline(__always)
    init(cursor: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
        self.cursor = cursor
        self.end = end
    }

    @inline(__always) var isAtEnd: Bool { cursor >= end }
    @inline(__always) var count: Int { end - cursor }

    @inline(__always)
    func fault(_ kind: WireFault.Kind) -> WireFault { WireFault(kind: kind, address: Int(bitPattern: cursor)) }

    @inline(__always)
    mutating func varint() throws(WireFault) -> UInt64 {
        guard cursor < end else { throw fault(.truncated) }
        let first = cursor.pointee
        if first < 0x80 {
            cursor += 1
            return UInt64(first)
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(WireFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var next = cursor
        while next < end {
            let byte = next.pointee
            next += 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 {
                if shift == 63, byte > 1 { throw fault(.overlongVarint) }
                cursor = next
                return value
            }
            shift += 7
            if shift > 63 { throw fault(.overlongVarint) }
        }
        throw fault(.truncated)
    }

    @inline(__always)
    mutating func signedVarint() throws(WireFault) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    @inline(__always)
    mutating func fixed32() throws(WireFault) -> UInt32 {
        guard end - cursor >= 4 else { throw fault(.truncated) }
        let value = UnsafeRawPointer(cursor).loadUnaligned(as: UInt32.self)
        cursor += 4
        return UInt32(littleEndian: value)
    }

    @inline(__always)
    mutating func fixed64() throws(WireFault) -> UInt64 {
        guard end - cursor >= 8 else { throw fault(.truncated) }
        let value = UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self)
        cursor += 8
        return UInt64(littleEndian: value)
    }

    /// The content of a length-delimited field.
    @inline(__always)
    mutating func delimited() throws(WireFault) -> WireReader {
        let start = cursor
        let length = try varint()
        guard length <= UInt64(end - cursor) else {
            cursor = start
            throw fault(.truncated)
        }
        let content = WireReader(cursor: cursor, end: cursor + Int(length))
        cursor = content.end
        return content
    }

    @inline(__always) var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: cursor, count: count) }

    /// The next tag: field number times eight plus wire type.
    @inline(__always)
    mutating func tag() throws(WireFault) -> UInt32 {
        let start = cursor
        let value = try varint()
        guard value >= 8, value <= UInt64(UInt32.max) else {
            cursor = start
            throw fault(.badTag)
        }
        return UInt32(truncatingIfNeeded: value)
    }

    /// Passes over the value of an unknown field.
    mutating func skip(tag: UInt32) throws(WireFault) {
        switch tag & 7 {
        case 0: _ = try varint()
        case 1: _ = try fixed64()
        case 2: _ = try delimited()
        case 5: _ = try fixed32()
        default: throw fault(.badTag)  // groups were never part of proto3
        }
    }

    /// Passes over a field whose number is not known; fails when it is known and only its wire type differs.
    mutating func skipUnknown(tag: UInt32, known numbers: ClosedRange<UInt32>) throws(WireFault) {
        if numbers.contains(tag >> 3) { throw fault(.unexpectedWireType) }
        try skip(tag: tag)
    }
}
