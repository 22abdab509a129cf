import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Numbers the devices of one reading in order of first sight, from raw bytes and without an allocation for those
/// already known.
struct DeviceTable {
    /// More devices than this in one input are an error: names are kept, so that memory would not be bounded.
    static let limit = 10_000_000

    private(set) var devices: [DeviceID] = []
    private var byDevice: [DeviceID: Int32] = [:]
    /// The raw bytes of all spellings, one after the other.
    private var spellings: [UInt8] = []
    private var entries: [Entry] = []
    /// Open addressing with linear probing: index into `entries` plus one, 0 for free; a power of two long.
    private var slots = [Int32](repeating: 0, count: 64)
    private var last: Int32 = -1

    private struct Entry {
        var hash: UInt64
        var start: Int
        var count: Int32
        var device: Int32
    }

    /// The number of a device, which is new when these bytes were not seen before.
    ///
    /// - Returns: nil when the bytes are no device id.
    mutating func index(of bytes: UnsafeRawBufferPointer) -> Int32? {
        if last >= 0, matches(entries[Int(last)], bytes) { return entries[Int(last)].device }
        let hash = DeviceTable.hash(bytes)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let entry = slots[slot] - 1
            if entries[Int(entry)].hash == hash, matches(entries[Int(entry)], bytes) {
                last = entry
                return entries[Int(entry)].device
            }
            slot = (slot + 1) & mask
        }
        return insert(bytes, hash: hash, slot: slot)
    }

    /// The number of a device that is already checked.
    mutating func index(of device: DeviceID) -> Int32 {
        if let known = byDevice[device] { return known }
        let number = Int32(devices.count)
        devices.append(device)
        byDevice[device] = number
        return number
    }

    private mutating func insert(_ bytes: UnsafeRawBufferPointer, hash: UInt64, slot: Int) -> Int32? {
        // Four times the longest id leaves room for white space around it.
        guard bytes.count <= 512, let device = DeviceID(utf8: bytes) else { return nil }
        let number = index(of: device)
        entries.append(Entry(hash: hash, start: spellings.count, count: Int32(bytes.count), device: number))
        spellings.append(contentsOf: bytes)
        last = Int32(entries.count - 1)
        slots[slot] = last + 1
        if entries.count * 2 > slots.count { grow() }
        return number
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        let mask = slots.count - 1
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index + 1)
        }
    }

    @inline(__always)
    private func matches(_ entry: Entry, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard Int(entry.count) == bytes.count, let other = bytes.baseAddress else { return false }
        return spellings.withUnsafeBytes { own in
            guard let base = own.baseAddress else { return false }
            return memcmp(base + entry.start, other, bytes.count) == 0
        }
    }

    /// Eight bytes a step, multiplied and folded.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
        var offset = 0
        while offset < bytes.count {
            var word: UInt64 = 0
            let step = min(8, bytes.count - offset)
            withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: .init(rebasing: bytes[offset..<offset + step])) }
            let product = (hash ^ word).multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
            hash = product.high ^ product.low
            offset += step
        }
        return hash
    }
}
