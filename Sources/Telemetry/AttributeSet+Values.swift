extension AttributeSet {
    /// The values by name, read back from the canonical text; what `init(_:)` did not write is left out.
    package var values: [String: String] {
        var values: [String: String] = [:]
        var scalars = json.unicodeScalars.dropFirst()  // the opening brace
        while scalars.first == "\"" {
            guard let key = AttributeSet.takeQuoted(&scalars), scalars.popFirst() == ":",
                let value = AttributeSet.takeQuoted(&scalars)
            else { return values }
            values[key] = value
            _ = scalars.popFirst()  // a comma or the closing brace
        }
        return values
    }

    private static func takeQuoted(_ scalars: inout Substring.UnicodeScalarView) -> String? {
        guard scalars.popFirst() == "\"" else { return nil }
        var text = String.UnicodeScalarView()
        while let scalar = scalars.popFirst() {
            if scalar == "\"" { return String(text) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = scalars.popFirst() else { return nil }
            if escaped == "u" {
                let digits = String(scalars.prefix(4))
                scalars.removeFirst(min(4, scalars.count))
                guard let code = UInt32(digits, radix: 16), let decoded = Unicode.Scalar(code) else { return nil }
                text.append(decoded)
            } else {
                text.append(escaped)
            }
        }
        return nil
    }
}
