/// Further named values that came with a position, as one canonical text: JSON, keys sorted, strings only.
///
/// A position refers to it by a hash of its content, so that merging positions needs no look-up and gives the same
/// result on every node.
package struct AttributeSet: Hashable, Sendable {
    package let json: String

    /// Writes the canonical text; an empty dictionary gives `{}`.
    package init(_ values: [String: String]) {
        var text = "{"
        for key in values.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            if text.utf8.count > 1 { text += "," }
            text += AttributeSet.quoted(key) + ":" + AttributeSet.quoted(values[key] ?? "")
        }
        json = text + "}"
    }

    /// Takes a text that `init(_:)` wrote earlier, as a store returns it.
    package init(canonicalJSON json: String) { self.json = json }

    /// FNV-1a of 64 bits over the text; never 0, which stands for "none".
    package var reference: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in json.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash == 0 ? 1 : hash
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
