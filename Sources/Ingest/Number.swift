/// Reads numbers from ASCII text, without an allocation for those of ordinary length.
enum Number {
    /// A decimal number with a point, correctly rounded; nil for anything else.
    ///
    /// `nan`, `inf` and `infinity` are read as what they are, so that the caller can refuse them by name.
    @inline(__always)
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Double? {
        var index = 0
        let count = bytes.count
        guard count > 0 else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        if isNegative || bytes[0] == UInt8(ascii: "+") { index = 1 }
        var mantissa: UInt64 = 0
        let firstDigit = index
        while index < count, bytes[index] &- 0x30 < 10 {
            mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- 0x30)
            index += 1
        }
        var digits = index - firstDigit
        var fraction = 0
        if index < count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            while index < count, bytes[index] &- 0x30 < 10 {
                mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- 0x30)
                index += 1
            }
            fraction = index - start
            digits += fraction
        }
        // Both the digits and the power of ten are exact as doubles, so the quotient is correctly rounded.
        guard index == count, digits > 0, digits <= 18, mantissa <= 1 << 53, fraction <= 22 else {
            return longDecimal(bytes)
        }
        let value = fraction == 0 ? Double(mantissa) : Double(mantissa) / power(fraction)
        return isNegative ? -value : value
    }

    @inline(__always)
    private static func power(_ exponent: Int) -> Double {
        powers.withUnsafeBufferPointer { $0[exponent] }
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// The standard library's conversion, which knows no locale, after a check of the form.
    @inline(never)
    private static func longDecimal(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard bytes.count <= 400 else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        switch text.lowercased() {
        case "nan", "-nan", "+nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: break
        }
        // Swift also reads hexadecimal.
        let allowed = bytes.allSatisfy {
            $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+")
                || $0 | 0x20 == UInt8(ascii: "e")
        }
        return allowed ? Double(text) : nil
    }

    /// Whole digits with an optional sign; nil for anything else or beyond 18 digits.
    @inline(__always)
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard let first = bytes.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        var index = isNegative || first == UInt8(ascii: "+") ? 1 : 0
        guard index < bytes.count, bytes.count - index <= 18 else { return nil }
        var value: Int64 = 0
        while index < bytes.count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }
}
