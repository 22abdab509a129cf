package import Telemetry

/// One value of a report, before it is written in some form.
package enum Cell: Hashable, Sendable {
    case absent
    case text(String)
    case integer(Int64)
    /// A number in thousandths, exact: millimetres shown as metres, milliseconds as seconds.
    case thousandths(Int64)
    /// Latitude or longitude in 1e-7 degrees.
    case degrees(Int32)
    case instant(Timestamp)

    package static func text(_ text: String?) -> Cell { text.map { .text($0) } ?? .absent }
    package static func thousandths(_ value: Int64?) -> Cell { value.map { .thousandths($0) } ?? .absent }
    package static func instant(_ value: Timestamp?) -> Cell { value.map { .instant($0) } ?? .absent }
}

extension [UInt8] {
    package mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    package mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        appendDigits(value.magnitude)
    }

    /// At most three decimals, none that are zero at the end.
    package mutating func append(thousandths value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1000)
        appendDigits(whole)
        guard rest != 0 else { return }
        append(UInt8(ascii: "."))
        appendDigits(rest, atLeast: 3)
        while last == UInt8(ascii: "0") { removeLast() }
    }

    /// Seven decimals.
    package mutating func append(degreesE7 value: Int32) {
        if value < 0 { append(UInt8(ascii: "-")) }
        let (whole, rest) = UInt64(value.magnitude).quotientAndRemainder(dividingBy: 10_000_000)
        appendDigits(whole)
        append(UInt8(ascii: "."))
        appendDigits(rest, atLeast: 7)
    }

    private mutating func appendDigits(_ value: UInt64, atLeast count: Int = 1) {
        let start = self.count
        var rest = value
        while rest > 0 || self.count - start < count {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        self[start...].reverse()
    }
}
