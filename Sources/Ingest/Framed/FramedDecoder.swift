import Telemetry

/// Reads `odograph.v1.PositionBatch` messages, each behind its length as a varint.
final class FramedDecoder: FormatDecoder {
    /// The longest batch that is read, in bytes.
    static let frameLimit = 16 * 1024 * 1024

    private let source: ByteSource
    private let decoder = BatchDecoder()
    private var frame = 0

    init(source: ByteSource) { self.source = source }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        while chunk.rowCount < context.options.chunkSize {
            guard try source.require(1) else { return false }
            _ = try source.require(10)
            let (length, header) = try frameLength()
            guard length <= FramedDecoder.frameLimit else {
                throw error(
                    .tooLarge,
                    at: 0,
                    "a batch of \(length) bytes; at most \(FramedDecoder.frameLimit) are read"
                )
            }
            guard length > 0 else { throw error(.damaged, at: 0, "batch \(frame + 1) is empty and names no device") }
            guard try source.require(header + length) else {
                throw error(
                    .truncated,
                    at: 0,
                    "batch \(frame + 1) should have \(length) bytes and the input ends after \(source.count - header)"
                )
            }
            frame += 1
            let content = UnsafeRawBufferPointer(rebasing: source.bytes[header..<header + length])
            if let fault = decoder.decode(
                content,
                name: BatchName(number: frame, offset: source.offset),
                into: &chunk,
                context: &context
            ) {
                throw error(.damaged, at: header + fault.offset, "batch \(frame): \(fault.message)")
            }
            source.consume(header + length)
        }
        return true
    }

    private func frameLength() throws(IngestError) -> (length: Int, header: Int) {
        let bytes = source.bytes
        var value = 0
        for index in 0..<min(bytes.count, 5) {
            value |= Int(bytes[index] & 0x7f) << (7 * index)
            if bytes[index] < 0x80 { return (value, index + 1) }
        }
        guard bytes.count < 5 else { throw error(.damaged, at: 0, "no length of a batch begins here") }
        throw error(.truncated, at: 0, "the input ends inside the length of a batch")
    }

    private func error(_ kind: IngestError.Kind, at distance: Int, _ message: String) -> IngestError {
        IngestError(kind: kind, source: source.name, place: "byte \(source.offset + distance)", message: message)
    }
}
