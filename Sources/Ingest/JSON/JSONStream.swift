/// Walks through JSON text of any length, handing out whole values one at a time.
final class JSONStream {
    /// The longest value that is read as a whole, in bytes.
    static let valueLimit = 1024 * 1024

    private let source: ByteSource

    init(source: ByteSource) { self.source = source }

    /// The offset of the next byte in the input.
    var offset: Int { source.offset }

    /// The next byte that is no white space, without taking it; nil at the end.
    ///
    /// The record separators of RFC 8142 and a byte order mark count as white space.
    func peek() throws(IngestError) -> UInt8? {
        while try source.require(1) {
            let byte = source.bytes[0]
            guard InputFormat.isSpace(byte) || byte == 0x1e || byte == 0xef || byte == 0xbb || byte == 0xbf else {
                return byte
            }
            source.consume(1)
        }
        return nil
    }

    /// Takes the next byte that is no white space, when it is this one.
    func take(_ character: Unicode.Scalar) throws(IngestError) -> Bool {
        guard try peek() == UInt8(ascii: character) else { return false }
        source.consume(1)
        return true
    }

    func expect(_ character: Unicode.Scalar, _ message: String) throws(IngestError) {
        guard try take(character) else { throw try fault(message) }
    }

    /// Takes one whole value.
    func value() throws(IngestError) -> JSONValue {
        guard try peek() != nil else { throw try fault("a value is missing") }
        let length = try valueLength()
        do throws(JSONParser.Fault) {
            let value = try JSONParser.parse(UnsafeRawBufferPointer(rebasing: source.bytes[..<length]))
            source.consume(length)
            return value
        } catch {
            throw IngestError(
                kind: .damaged,
                source: source.name,
                place: "byte \(source.offset + error.offset)",
                message: "JSON: \(error.message)"
            )
        }
    }

    /// What is wrong here: the end of the input, or something unexpected.
    func fault(_ message: String) throws(IngestError) -> IngestError {
        let isCut = try peek() == nil
        return IngestError(
            kind: isCut ? .truncated : .damaged,
            source: source.name,
            place: "byte \(source.offset)",
            message: "JSON: \(isCut ? "the text ends in the middle" : message)"
        )
    }

    /// Bytes of the value that begins with the next one: to the closing bracket or quote, or as far as a word reaches.
    private func valueLength() throws(IngestError) -> Int {
        var index = 0
        var depth = 0
        var isInString = false
        while true {
            while index >= source.count {
                guard try source.require(index + 1) else {
                    if depth == 0, !isInString { return index }
                    throw IngestError(
                        kind: .truncated,
                        source: source.name,
                        place: "byte \(source.offset + index)",
                        message: "JSON: the text ends in the middle"
                    )
                }
            }
            let bytes = source.bytes
            while index < bytes.count {
                let byte = bytes[index]
                if isInString {
                    if byte == UInt8(ascii: "\\") {
                        index += 1
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                        if depth == 0 { return index + 1 }
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isInString = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"):
                        if depth == 0 { return index }  // a word ends before the bracket of its container
                        depth -= 1
                        if depth == 0 { return index + 1 }
                    case UInt8(ascii: ","):
                        if depth == 0 { return index }
                    default:
                        if depth == 0, InputFormat.isSpace(byte) { return index }
                    }
                }
                index += 1
            }
            guard index <= JSONStream.valueLimit else {
                throw IngestError(
                    kind: .tooLarge,
                    source: source.name,
                    place: "byte \(source.offset)",
                    message: "JSON: a value of more than \(JSONStream.valueLimit) bytes"
                )
            }
        }
    }
}
