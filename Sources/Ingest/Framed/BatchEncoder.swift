package import Telemetry

/// Writes `odograph.v1.PositionBatch` messages, as `BatchDecoder` and every protobuf library read them.
package enum BatchEncoder {
    package enum Form: String, CaseIterable, Sendable {
        /// A message for each position.
        case plain
        /// Packed columns.
        case columns
    }

    /// One message, without a length before it.
    ///
    /// - Parameters:
    ///   - batch: at most 65 536 positions.
    ///   - form: how the positions are written; both are read back as the same positions.
    ///   - sequence: the sender's own count, 0 for none.
    /// - Returns: the message's bytes.
    package static func encode(_ batch: PositionBatch, as form: Form, sequence: UInt64 = 0) -> [UInt8] {
        precondition(batch.positions.count <= BatchDecoder.limit, "a batch of at most \(BatchDecoder.limit) positions")
        var writer = WireWriter()
        writer.text(1, batch.device.text)
        if sequence != 0 { writer.number(2, sequence) }
        switch form {
        case .plain:
            for position in batch.positions {
                writer.bytes(3, plain(position, batch.attributes[position.attributes]).bytes)
            }
        case .columns:
            if !batch.positions.isEmpty { writer.bytes(4, columns(batch).bytes) }
        }
        return writer.bytes
    }

    /// One message behind its length as a varint, as files hold them.
    package static func frame(_ batch: PositionBatch, as form: Form, sequence: UInt64 = 0) -> [UInt8] {
        let message = encode(batch, as: form, sequence: sequence)
        var writer = WireWriter()
        writer.varint(UInt64(message.count))
        return writer.bytes + message
    }

    private static func plain(_ position: Position, _ attributes: AttributeSet?) -> WireWriter {
        var writer = WireWriter()
        writer.number(1, UInt64(bitPattern: position.fixTime.milliseconds))
        writer.double(2, position.coordinate.latitude)
        writer.double(3, position.coordinate.longitude)
        if let speed = position.speed { writer.float(4, speed) }
        if let heading = position.heading { writer.float(5, heading) }
        if let altitude = position.altitude { writer.float(6, altitude) }
        if let accuracy = position.accuracy { writer.float(7, accuracy) }
        if let hdop = position.hdop { writer.float(8, hdop) }
        if let satellites = position.satellites { writer.number(9, UInt64(satellites)) }
        if let odometer = position.odometer { writer.double(10, odometer) }
        if let ignition = position.ignition { writer.number(11, ignition ? 1 : 0) }
        if position.fields.contains(.invalidFix) { writer.number(12, 0) }
        if let attributes { writer.entries(13, attributes) }
        return writer
    }

    private static func columns(_ batch: PositionBatch) -> WireWriter {
        let positions = batch.positions
        var writer = WireWriter()
        writer.deltas(1, positions.map(\.fixTime.milliseconds))
        writer.deltas(2, positions.map { Int64($0.coordinate.latitudeE7) })
        writer.deltas(3, positions.map { Int64($0.coordinate.longitudeE7) })
        let presence = positions.map { UInt64($0.fields.rawValue & 0x3ff) | ($0.attributes == 0 ? 0 : 2048) }
        if presence.allSatisfy({ $0 == presence[0] }) {
            if presence[0] != 0 { writer.packed(4, [presence[0]]) }
        } else {
            writer.packed(4, presence)
        }
        func column(_ field: Position.Fields, _ value: (Position) -> Int64) -> [Int64] {
            positions.compactMap { $0.fields.contains(field) ? value($0) : nil }
        }
        writer.deltas(5, column(.speed) { Int64($0.speedCentimetresPerSecond) })
        writer.deltas(6, column(.heading) { Int64($0.headingDecidegrees) })
        writer.deltas(7, column(.altitude) { Int64($0.altitudeDecimetres) })
        writer.deltas(8, column(.accuracy) { Int64($0.accuracyDecimetres) })
        writer.deltas(9, column(.hdop) { Int64($0.hdopHundredths) })
        writer.deltas(10, column(.satellites) { Int64($0.satelliteCount) })
        writer.deltas(11, column(.odometer) { $0.odometerDecimetres })
        var indices: [UInt64: UInt64] = [:]
        var sets: [AttributeSet] = []
        let references = positions.compactMap { position -> UInt64? in
            guard position.attributes != 0 else { return nil }
            if let known = indices[position.attributes] { return known }
            indices[position.attributes] = UInt64(sets.count)
            sets.append(batch.attributes[position.attributes] ?? AttributeSet([:]))
            return UInt64(sets.count - 1)
        }
        if !references.isEmpty { writer.packed(12, references) }
        for set in sets {
            var entries = WireWriter()
            entries.entries(1, set)
            writer.bytes(13, entries.bytes)
        }
        return writer
    }
}

/// Appends protobuf wire format to bytes.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func number(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    mutating func double(_ field: UInt64, _ value: Double) {
        varint(field << 3 | 1)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func float(_ field: UInt64, _ value: Double) {
        varint(field << 3 | 5)
        withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func bytes(_ field: UInt64, _ content: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func text(_ field: UInt64, _ text: String) { bytes(field, Array(text.utf8)) }

    /// A packed column of numbers; nothing when there are none.
    mutating func packed(_ field: UInt64, _ values: [UInt64]) {
        guard !values.isEmpty else { return }
        var content = WireWriter()
        for value in values { content.varint(value) }
        bytes(field, content.bytes)
    }

    /// A packed column of zigzag deltas.
    mutating func deltas(_ field: UInt64, _ values: [Int64]) {
        var previous: Int64 = 0
        var coded: [UInt64] = []
        coded.reserveCapacity(values.count)
        for value in values {
            let delta = value &- previous
            coded.append(UInt64(bitPattern: delta << 1 ^ delta >> 63))
            previous = value
        }
        packed(field, coded)
    }

    /// A map of text to text, keys in order.
    mutating func entries(_ field: UInt64, _ set: AttributeSet) {
        for (key, value) in set.values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            var entry = WireWriter()
            entry.text(1, key)
            entry.text(2, value)
            bytes(field, entry.bytes)
        }
    }
}
