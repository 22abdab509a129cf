extension InputFormat {
    /// How many bytes are looked at.
    private static let peek = 4096

    /// Recognises the format of an input from its first bytes.
    ///
    /// - Throws: `IngestError` when it is empty, cannot be read, or is none of the known formats.
    init(recognising source: ByteSource) throws(IngestError) {
        _ = try source.require(InputFormat.peek)
        var bytes = UnsafeRawBufferPointer(rebasing: source.bytes.prefix(InputFormat.peek))
        guard !bytes.isEmpty else {
            throw IngestError(kind: .empty, source: source.name, message: "there is nothing in it")
        }
        if let foreign = InputFormat.foreign(bytes) {
            throw IngestError(kind: .notWhatItSeems, source: source.name, message: foreign)
        }
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = UnsafeRawBufferPointer(rebasing: bytes[3...]) }
        let first = bytes.first { !InputFormat.isSpace($0) }
        if first == UInt8(ascii: "<") {
            self = .gpx
        } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x1e {
            self = InputFormat.contains(bytes, "\"locations\"") ? .overland : .geoJSON
        } else if InputFormat.isOwnTracks(bytes) {
            self = .ownTracks
        } else if InputFormat.isTransit(bytes) {
            self = .gtfsRealtime
        } else if InputFormat.isText(bytes) || InputFormat.hasHeader(bytes) {
            self = .csv
        } else if InputFormat.isFramed(bytes, isWhole: bytes.count < InputFormat.peek) {
            self = .framed
        } else {
            let names = InputFormat.allCases.map(\.name).joined(separator: ", ")
            throw IngestError(
                kind: .notWhatItSeems,
                source: source.name,
                message: "this is none of the known formats: \(names)"
                    + (TransitDecoder.looksConverted(bytes) ? TransitDecoder.conversion : "")
            )
        }
    }

    /// What people hand over by mistake, with what to do about it.
    private static func foreign(_ bytes: UnsafeRawBufferPointer) -> String? {
        if bytes.starts(with: [0x1f, 0x8b]) { return "this is compressed (gzip); unpack it first" }
        if bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) { return "this is a ZIP archive; unpack it first" }
        if bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) { return "this is compressed (zstd); unpack it first" }
        if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
            return "this is UTF-16 text; save it as UTF-8"
        }
        if bytes.starts(with: Array("SQLite format 3\0".utf8)) { return "this is an SQLite database" }
        return nil
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// A header message whose first field is a version such as `2.0`.
    private static func isTransit(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 7, bytes[0] == 0x0a, bytes[2] == 0x0a, bytes[1] >= 5, bytes[1] < 0x80 else { return false }
        let length = Int(bytes[3])
        guard (1...8).contains(length), bytes.count >= 4 + length else { return false }
        return bytes[4..<4 + length].allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
        let pattern = Array(text.utf8)
        guard bytes.count >= pattern.count else { return false }
        return (0...bytes.count - pattern.count).contains { bytes[$0...].starts(with: pattern) }
    }

    /// A first line of time, kind and JSON object, separated by tabs.
    private static func isOwnTracks(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let parts = bytes.prefix { $0 != 0x0a }.split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count >= 19, parts[0].count <= 40 else { return false }
        return parts[0].dropFirst(4).first == UInt8(ascii: "-") && parts[2].first == UInt8(ascii: "{")
    }

    /// No control characters but white space.
    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || isSpace($0) }
    }

    /// A first line of text that names coordinates, whatever the rows below it hold.
    private static func hasHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = UnsafeRawBufferPointer(rebasing: bytes.drop(while: isSpace).prefix { $0 != 0x0a && $0 != 0x0d })
        guard line.count < bytes.count, isText(line) else { return false }
        let name = String(decoding: line, as: UTF8.self).lowercased()
        return name.utf8.contains { ",;\t|".utf8.contains($0) } && name.contains("lat")
            && (name.contains("lon") || name.contains("lng"))
    }

    /// A length, and behind it the fields of a batch for as far as they are seen.
    private static func isFramed(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        var reader = WireReader(cursor: base, end: base + bytes.count)
        guard let length = try? reader.varint(), (1...UInt64(FramedDecoder.frameLimit)).contains(length) else {
            return false
        }
        let end = reader.cursor + min(Int(length), reader.count)
        var message = WireReader(cursor: reader.cursor, end: end)
        let isCut = Int(length) > reader.count
        while !message.isAtEnd {
            // A fault where the peeked bytes end says nothing.
            guard let tag = try? message.tag() else { return isCut && message.count < 10 }
            guard (1...15).contains(tag >> 3) else { return false }
            do { try message.skip(tag: tag) } catch { return isCut && tag & 7 != 3 && tag & 7 != 4 }
        }
        return true
    }
}
