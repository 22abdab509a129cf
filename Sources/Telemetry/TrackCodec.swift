/// The stored form of some hundred positions of one device in key order; lossless and independent of the machine.
///
/// All numbers are little endian. A chunk is a header of 48 bytes, thirteen columns, and 8 bytes of zero behind them, so
/// that a reader may load eight bytes wherever a value begins.
///
///     0   u32   checksum of the bytes from 4 on
///     4   u8    format version, 1
///     5   u8    0
///     6   u16   fields that any position has (`Position.Fields`)
///     8   u32   number of positions
///     12  u32   bytes of the whole chunk
///     16  i64   first fix time, ms
///     24  i64   last fix time, ms
///     32  i32   box: least latitude, greatest latitude, least longitude, greatest longitude, 1e-7 degrees
///     48  columns: fix time, latitude, longitude, fields, received time, speed, heading, altitude, accuracy, HDOP,
///         satellites, odometer, attributes
///
/// A **varint** has seven bits a byte, the least first; **zigzag** folds signed into unsigned: 0, -1, 1, -2 are 0, 1,
/// 2, 3.
///
/// A **column** is a tag byte, the first value as zigzag varint, and blocks. The tag's bits 0 and 1 are the order:
/// 0, all values equal the first, no blocks follow; 1, a value is the one before plus the residual; 2, a value is the
/// one before plus its step plus the residual (the step before the first value is 0); 3, a value is the first plus the
/// residual. Bits 2 and 3 are a power of ten by which residuals were divided. Bit 4, in the column of the received
/// time, says that the fix time was taken off first. The heading's order 1 counts modulo a full turn. The column of
/// attributes begins with the number of distinct references as varint and these as u64; its values are indices.
///
/// A **block** covers 128 values, the last one fewer: u8 bit width w, u8 number of exceptions, and for order 3 a zigzag
/// varint that is added to each residual; then w bits for each value (the first value's residual is 0), the lowest
/// first, rounded up to bytes; then for each exception u8 index in the block and a varint that is shifted left by w
/// and added. Orders 1 and 2 zigzag their residuals, order 3 has none below 0 after its base was taken off.
///
/// The **checksum** starts as h = 0x9e3779b97f4a7c15 and takes each u64 x of the bytes, the last one filled up with
/// zero: h = (h ^ x) * 0xd6e8feb86659fd93, h = h ^ (h >> 32), modulo 2^64; it is the low half of h.
package enum TrackCodec {
    /// How many positions a chunk holds at most, unless more of them share one millisecond.
    package static let chunkSize = 512

    static let version: UInt8 = 1
    static let headerSize = 48
    static let padding = 8
    static let blockSize = 128
    /// A wider residual goes on as an exception: a value and its bit offset fit one load of eight bytes.
    static let highestWidth = 56

    enum Order: UInt8 {
        case constant, delta, deltaOfDelta, offset
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash: UInt64 = 0x9e37_79b9_7f4a_7c15
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            hash = (hash ^ word) &* 0xd6e8_feb8_6659_fd93
            hash ^= hash >> 32
            offset += 8
        }
        if offset < bytes.count {
            var word: UInt64 = 0
            for index in offset..<bytes.count { word |= UInt64(bytes[index]) << UInt64((index - offset) * 8) }
            hash = (hash ^ word) &* 0xd6e8_feb8_6659_fd93
            hash ^= hash >> 32
        }
        return UInt32(truncatingIfNeeded: hash)
    }

    @inline(__always)
    static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)) }

    @inline(__always)
    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }
}

/// A chunk's bytes are not what an encoder wrote.
package struct TrackCodecError: Error, Equatable, Sendable {
    package enum Kind: Sendable {
        /// The bytes changed since they were written.
        case damaged
        /// A newer version wrote them.
        case unknownVersion
    }

    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }
}

/// What can be said of a chunk without decoding its columns.
package struct TrackChunkHeader: Hashable, Sendable {
    package var count: Int
    package var first: Timestamp
    package var last: Timestamp
    package var southWest: Coordinate
    package var northEast: Coordinate
    /// The fields that any of the positions has.
    package var fields: Position.Fields

    /// Reads and checks the header, and the checksum of everything.
    package init(_ bytes: UnsafeRawBufferPointer) throws(TrackCodecError) {
        guard bytes.count >= TrackCodec.headerSize + TrackCodec.padding else { throw TrackCodecError(kind: .damaged) }
        func load<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
            T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        guard bytes[4] == TrackCodec.version else { throw TrackCodecError(kind: .unknownVersion) }
        guard load(12, UInt32.self) == bytes.count,
            load(0, UInt32.self) == TrackCodec.checksum(UnsafeRawBufferPointer(rebasing: bytes[4...]))
        else { throw TrackCodecError(kind: .damaged) }
        fields = Position.Fields(rawValue: load(6, UInt16.self))
        count = Int(load(8, UInt32.self))
        first = Timestamp(milliseconds: load(16, Int64.self))
        last = Timestamp(milliseconds: load(24, Int64.self))
        southWest = Coordinate(latitudeE7: load(32, Int32.self), longitudeE7: load(40, Int32.self))
        northEast = Coordinate(latitudeE7: load(36, Int32.self), longitudeE7: load(44, Int32.self))
    }
}
