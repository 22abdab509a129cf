/// A JSON value as its text gave it: numbers stay text, so that each is converted once and by its meaning.
enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Members in their order; of equal names the first counts.
    case object([(name: String, value: JSONValue)])

    /// The member of an object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a string or number.
    var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)), (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a.elementsEqual(b) { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }
}

/// Reads one JSON value (RFC 8259) from memory.
struct JSONParser {
    /// Why a text is no JSON, and at which of its bytes.
    struct Fault: Error {
        var message: String
        var offset: Int
    }

    /// Deeper nesting is refused.
    static let depthLimit = 64

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    /// Reads the value that the bytes hold, and nothing else.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == bytes.count else { throw parser.fault("text behind the value") }
        return value
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private func fault(_ message: String) -> Fault { Fault(message: message, offset: index) }

    private mutating func skipSpace() {
        while index < bytes.count, InputFormat.isSpace(bytes[index]) { index += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth < JSONParser.depthLimit else { throw fault("nested deeper than \(JSONParser.depthLimit)") }
        skipSpace()
        guard index < bytes.count else { throw fault("a value is missing") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONValue {
        index += 1
        var members: [(name: String, value: JSONValue)] = []
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            guard take(":") else { throw fault("a colon is missing") }
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault("an object does not end") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Fault) -> JSONValue {
        index += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault("an array does not end") }
        return .array(values)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else { throw fault("no JSON value begins here") }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            guard byte &- 0x30 < 10 || byte == 0x2d || byte == 0x2b || byte == 0x2e || byte | 0x20 == 0x65 else {
                break
            }
            index += 1
        }
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
        guard Number.decimal(text) != nil else {
            index = start
            throw fault("no JSON value begins here")
        }
        return .number(String(decoding: text, as: UTF8.self))
    }

    private mutating func string() throws(Fault) -> String {
        guard take("\"") else { throw fault("a string is missing") }
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw fault("a control character in a string")
            default: text.append(byte)
            }
        }
        throw fault("a string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Fault) {
        guard index < bytes.count else { throw fault("a string does not end") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), take("\\"), take("u") { units.append(try codeUnit()) }
            text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        guard index + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits are missing") }
        index += 4
        return unit
    }
}
