/// A JSON value that keeps the order of its keys.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case thousandths(Int64)
    case degrees(Int32)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    package static func string(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

    package func write(to out: inout [UInt8]) {
        switch self {
        case .null: out.append("null")
        case .bool(let value): out.append(value ? "true" : "false")
        case .integer(let value): out.append(decimal: value)
        case .thousandths(let value): out.append(thousandths: value)
        case .degrees(let value): out.append(degreesE7: value)
        case .string(let text): JSON.write(text, to: &out)
        case .array(let values):
            out.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                value.write(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSON.write(member.0, to: &out)
                out.append(UInt8(ascii: ":"))
                member.1.write(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    package var text: String {
        var out: [UInt8] = []
        write(to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): out.append("\\\"")
            case UInt8(ascii: "\\"): out.append("\\\\")
            case UInt8(ascii: "\n"): out.append("\\n")
            case UInt8(ascii: "\r"): out.append("\\r")
            case UInt8(ascii: "\t"): out.append("\\t")
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                out.append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
