/// What a device calls itself (an IMEI, any string): 1 to 128 bytes of UTF-8 without control characters, white space
/// trimmed at both ends, compared byte by byte.
package struct DeviceID: Hashable, Sendable {
    package let text: String

    /// Trims and checks.
    ///
    /// - Returns: nil when nothing is left, more than 128 bytes are, or a control character is among them.
    package init?(_ text: some StringProtocol) {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        let trimmed = String(String.UnicodeScalarView(scalars))
        guard (1...128).contains(trimmed.utf8.count),
            !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.text = trimmed
    }

    /// Checks raw bytes, which must be UTF-8.
    package init?(utf8 bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(text)
    }

    // Swift compares strings by canonical equivalence; a device is its bytes.
    package static func == (left: DeviceID, right: DeviceID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension DeviceID: Comparable {
    package static func < (left: DeviceID, right: DeviceID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension DeviceID: CustomStringConvertible {
    package var description: String { text }
}
