import CProtobufC
import CZlib
import MapMessages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the blobs of an OpenStreetMap extract in PBF one after another: memory holds one blob at a time.
struct PBFFile: ~Copyable {
    /// Where a blob lies, and which kinds of objects it holds.
    struct Blob {
        var offset: Int
        var length: Int
        var isHeader: Bool
    }

    /// The limits that the format sets; a file beyond them is refused before memory is taken.
    static let longestHeader = 64 * 1024
    static let longestBlob = 32 * 1024 * 1024

    let path: String
    private let descriptor: Int32

    init(path: String) throws(GazetteerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            throw GazetteerError(
                kind: code == ENOENT ? .notFound : .system,
                message: "\(path): \(String(cString: strerror(code)))"
            )
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Lists the blobs without unpacking them.
    ///
    /// - Throws: `GazetteerError`: `foreign` when the file does not begin with an OSM header, `damaged` when it ends
    ///   within a blob.
    func blobs() throws(GazetteerError) -> [Blob] {
        var result: [Blob] = []
        var offset = 0
        while true {
            let prefix = try read(at: offset, 4)
            if prefix.isEmpty, !result.isEmpty { return result }
            let length = prefix.reduce(0) { $0 << 8 | Int($1) }
            guard prefix.count == 4, length > 0, length <= PBFFile.longestHeader else { throw wrong(result.isEmpty) }
            let packed = try read(at: offset + 4, length)
            guard packed.count == length,
                let header = osm_pbf__blob_header__unpack(nil, packed.count, packed)
            else { throw wrong(result.isEmpty) }
            defer { osm_pbf__blob_header__free_unpacked(header, nil) }
            let size = Int(header.pointee.datasize)
            guard size >= 0, size <= PBFFile.longestBlob, let type = header.pointee.type else {
                throw wrong(result.isEmpty)
            }
            let isHeader = strcmp(type, "OSMHeader") == 0
            guard isHeader || !result.isEmpty else { throw wrong(true) }
            offset += 4 + length
            if isHeader || strcmp(type, "OSMData") == 0 {
                result.append(Blob(offset: offset, length: size, isHeader: isHeader))
            }
            offset += size
        }
    }

    /// Unpacks a blob's content.
    func content(of blob: Blob) throws(GazetteerError) -> [UInt8] {
        let packed = try read(at: blob.offset, blob.length)
        guard packed.count == blob.length, let message = osm_pbf__blob__unpack(nil, packed.count, packed) else {
            throw wrong(false)
        }
        defer { osm_pbf__blob__free_unpacked(message, nil) }
        if message.pointee.has_raw != 0 {
            return [UInt8](UnsafeBufferPointer(start: message.pointee.raw.data, count: message.pointee.raw.len))
        }
        let size = Int(message.pointee.raw_size)
        guard message.pointee.has_zlib_data != 0, size >= 0, size <= PBFFile.longestBlob else {
            throw GazetteerError(
                kind: .foreign,
                message: "\(path) has a blob that is not packed with zlib; osmium cat -f pbf,pbf_compression=zlib helps"
            )
        }
        let data = message.pointee.zlib_data
        var status: Int32 = Z_OK
        let result = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var length = uLongf(size)
            status = uncompress(buffer.baseAddress, &length, data.data, uLong(data.len))
            count = status == Z_OK ? Int(length) : 0
        }
        guard status == Z_OK, result.count == size else { throw wrong(false) }
        return result
    }

    /// Reads up to a number of bytes; fewer only at the end of the file.
    private func read(at offset: Int, _ length: Int) throws(GazetteerError) -> [UInt8] {
        var code: Int32 = 0
        let result = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let got = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + count },
                    length - count,
                    off_t(offset + count)
                )
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                guard got > 0 else { return }
                count += got
            }
        }
        guard code == 0 else {
            throw GazetteerError(kind: .system, message: "\(path): \(String(cString: strerror(code)))")
        }
        return result
    }

    private func wrong(_ isFirst: Bool) -> GazetteerError {
        isFirst
            ? GazetteerError(kind: .foreign, message: "\(path) is no OpenStreetMap extract in PBF")
            : GazetteerError(kind: .damaged, message: "\(path) is damaged or cut short")
    }
}

/// Which kinds of objects a block holds.
struct BlockKinds: OptionSet {
    let rawValue: UInt8
    static let nodes = BlockKinds(rawValue: 1)
    static let ways = BlockKinds(rawValue: 2)
    static let relations = BlockKinds(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Finds the kinds by the field numbers alone: PrimitiveBlock.primitivegroup is 2; in it nodes are 1 and 2, ways
    /// 3, relations 4.
    init(ofBlock bytes: [UInt8]) throws(GazetteerError) {
        rawValue = try bytes.withUnsafeBytes { raw -> Result<UInt8, GazetteerError> in
            Result { () throws(GazetteerError) in try BlockKinds.kinds(in: Bytes(raw)) }
        }.get()
    }

    private static func kinds(in block: Bytes) throws(GazetteerError) -> UInt8 {
        var kinds: BlockKinds = []
        try forEachField(of: block) { number, content throws(GazetteerError) in
            guard number == 2, let content else { return }
            try forEachField(of: content) { number, _ throws(GazetteerError) in
                switch number {
                case 1, 2: kinds.formUnion(.nodes)
                case 3: kinds.formUnion(.ways)
                case 4: kinds.formUnion(.relations)
                default: break
                }
            }
        }
        return kinds.rawValue
    }

    private static func forEachField(
        of message: Bytes,
        _ body: (Int, Bytes?) throws(GazetteerError) -> Void
    ) throws(GazetteerError) {
        var offset = 0
        while offset < message.count {
            let key = try message.varint(at: &offset)
            switch key & 7 {
            case 0:
                _ = try message.varint(at: &offset)
                try body(key >> 3, nil)
            case 1: offset += 8
            case 2:
                let length = try message.varint(at: &offset)
                try body(key >> 3, try message.slice(offset, length))
                offset += length
            case 5: offset += 4
            default: throw Bytes.damage
            }
        }
    }
}
