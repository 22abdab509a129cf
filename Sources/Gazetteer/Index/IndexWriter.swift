import CZlib
import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Little-endian bytes in the making.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(varint value: Int) {
        var rest = UInt(bitPattern: value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(signedVarint value: Int) { append(varint: value << 1 ^ value >> (Int.bitWidth - 1)) }

    mutating func append(text: String) {
        append(varint: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// A count, the offset of each record and of the end, the records.
    mutating func append(table records: [[UInt8]]) {
        append(UInt32(records.count))
        var offset: UInt32 = 0
        append(offset)
        for record in records {
            offset += UInt32(record.count)
            append(offset)
        }
        for record in records { bytes.append(contentsOf: record) }
    }
}

/// Writes an index as a whole: to a new file beside the old, made durable, then renamed over it.
struct IndexWriter {
    var kind: IndexFile.Kind
    var dataTime: Timestamp
    private var sections: [(tag: UInt32, count: Int, content: [UInt8])] = []

    init(kind: IndexFile.Kind, dataTime: Timestamp) {
        self.kind = kind
        self.dataTime = dataTime
    }

    mutating func add(_ name: StaticString, count: Int, _ content: [UInt8]) {
        sections.append((IndexFile.tag(name), count, content))
    }

    /// The whole file.
    func file() -> [UInt8] {
        let headerLength = 48 + 24 * sections.count
        var (table, body) = (ByteWriter(), [UInt8]())
        for section in sections {
            while (headerLength + body.count) % 8 != 0 { body.append(0) }
            table.append(section.tag)
            table.append(UInt32(section.count))
            table.append(UInt64(headerLength + body.count))
            table.append(UInt64(section.content.count))
            body.append(contentsOf: section.content)
        }
        var header = ByteWriter()
        header.append(IndexFile.magic)
        header.append(IndexFile.formatVersion)
        header.append(kind.rawValue)
        header.append(UInt64(headerLength + body.count))
        header.append(UInt32(sections.count))
        header.append(UInt32(0))
        header.append(dataTime.milliseconds / 1000)
        header.append(UInt32(truncatingIfNeeded: crc32_z(0, body, body.count)))
        header.append(UInt32(0))
        var file = header.bytes + table.bytes
        let sum = file.withUnsafeBytes { IndexFile.headerChecksum($0, headerLength) }
        for index in 0..<4 { file[28 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index))) }
        return file + body
    }

    /// Puts the file in place atomically: readers see the old one or the new one, also after a power loss.
    ///
    /// - Returns: the size in bytes.
    /// - Throws: `GazetteerError` of kind `system`; the old file is then untouched.
    func write(to path: String) throws(GazetteerError) -> Int {
        let temporary = path + ".new.\(getpid())"
        let content = file()
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw IndexWriter.failure(temporary) }
        var isWritten = true
        content.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count {
                let count = systemWrite(descriptor, raw.baseAddress.map { $0 + done }, raw.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    isWritten = false
                    return
                }
                done += count
            }
        }
        guard isWritten, fsync(descriptor) == 0, close(descriptor) == 0, rename(temporary, path) == 0 else {
            let failure = IndexWriter.failure(temporary)
            unlink(temporary)
            throw failure
        }
        // The rename itself is durable once the folder is.
        let folder = open(IndexWriter.folder(of: path), O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return content.count
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ path: String) -> GazetteerError {
        GazetteerError(kind: .system, message: "\(path): \(String(cString: strerror(errno)))")
    }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}
