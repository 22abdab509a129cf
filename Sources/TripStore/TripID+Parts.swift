import Telemetry

/// An id is made of what is known without asking anyone: the device, the begin at first sight, and a count.
extension TripID {
    /// The begin is counted from the earliest time that is accepted, in ten digits; the tag takes thirteen.
    private static let tagDigits = 13
    private static let timeDigits = 10

    /// - Parameters:
    ///   - tag: stands for the device in one store.
    ///   - begin: where the trip began when it was first seen.
    ///   - count: how many trips of the device had this begin before; at most 46 655.
    init(tag: UInt64, begin: Timestamp, count: Int) {
        var digits: [UInt8] = []
        digits.reserveCapacity(26)
        TripID.write(tag, digits: TripID.tagDigits, into: &digits)
        let offset = UInt64(max(0, begin - Timestamp.earliest))
        TripID.write(offset, digits: TripID.timeDigits, into: &digits)
        if count > 0 { digits += Array(String(count, radix: 36).utf8) }
        self.init(unchecked: String(decoding: digits, as: UTF8.self))
    }

    /// What the id was made of; nil when no store made it.
    var parts: (tag: UInt64, begin: Timestamp, count: Int)? {
        let digits = Array(text.utf8)
        let split = TripID.tagDigits + TripID.timeDigits
        guard digits.count >= split, digits.count <= 26,
            let tag = UInt64(String(decoding: digits[..<TripID.tagDigits], as: UTF8.self), radix: 36),
            let offset = Int64(String(decoding: digits[TripID.tagDigits..<split], as: UTF8.self), radix: 36)
        else { return nil }
        let begin = Timestamp.earliest + offset
        guard digits.count > split else { return (tag, begin, 0) }
        guard digits[split] != 0x30, let count = Int(String(decoding: digits[split...], as: UTF8.self), radix: 36)
        else { return nil }
        return (tag, begin, count)
    }

    /// A tag for a device, the same in every store that has no other device of it.
    static func tag(of device: DeviceID) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in device.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // The mixing steps of a known generator (splitmix64): one changed letter changes half of the bits.
        hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
        return hash ^ hash >> 31
    }

    private static func write(_ value: UInt64, digits count: Int, into digits: inout [UInt8]) {
        let start = digits.count
        digits.append(contentsOf: repeatElement(0x30, count: count))
        var (rest, index) = (value, start + count - 1)
        while rest > 0, index >= start {
            let digit = UInt8(rest % 36)
            digits[index] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
            rest /= 36
            index -= 1
        }
    }
}
