import TripDetection

/// A resumption as it is stored: the words of `Resumption.bytes` as varints, which takes less than half of the bytes.
extension Resumption {
    var packed: [UInt8] {
        let plain = bytes
        var packed = [plain[0]]
        for start in stride(from: 1, to: plain.count - 7, by: 8) {
            let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(plain[start + $1]) << UInt64(8 * $1) }
            var rest = UInt64(bitPattern: (Int64(bitPattern: word) << 1) ^ (Int64(bitPattern: word) >> 63))
            while rest >= 0x80 {
                packed.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            packed.append(UInt8(rest))
        }
        return packed
    }

    /// Reads what `packed` wrote; nil for anything else.
    init?(packed: [UInt8]) {
        guard let version = packed.first else { return nil }
        var plain = [version]
        var (value, shift) = (UInt64(0), UInt64(0))
        for byte in packed.dropFirst() {
            guard shift < 64 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            let word = (value >> 1) ^ (0 &- (value & 1))
            for index in 0..<8 { plain.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
            (value, shift) = (0, 0)
        }
        guard shift == 0 else { return nil }
        self.init(bytes: plain)
    }
}
