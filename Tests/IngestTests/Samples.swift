import Ingest
import Telemetry

/// Positions from a fixed seed, with and without each optional field.
struct Samples {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func flip() -> Bool { next() & 1 == 1 }

    /// A position in stored precision, received at the time that `Reading` uses.
    mutating func position() -> Position {
        let coordinate = Coordinate(
            latitudeE7: Int32(number(-900_000_000...900_000_000)),
            longitudeE7: Int32(number(-1_800_000_000...1_800_000_000))
        )
        let time = Timestamp(milliseconds: Int64(number(-2_000_000_000_000...1_790_000_000_000)))
        var position = Position(fixTime: time, coordinate: coordinate, receivedTime: Reading.received)
        if flip() { position.speed = Double(number(0...65535)) / 100 }
        if flip() { position.heading = Double(number(0...3599)) / 10 }
        if flip() { position.altitude = Double(number(-5000...90_000)) / 10 }
        if flip() { position.accuracy = Double(number(0...50_000)) / 10 }
        if flip() { position.hdop = Double(number(0...9999)) / 100 }
        if flip() { position.satellites = number(0...255) }
        if flip() { position.odometer = Double(number(0...10_000_000_000)) / 10 }
        if flip() { position.ignition = flip() }
        if number(0...9) == 0 { position.fields.insert(.invalidFix) }
        return position
    }

    /// Batches of one fleet, some with attributes.
    mutating func batches(_ count: Int, attributes hasAttributes: Bool = true) -> [PositionBatch] {
        (0..<count).map { index in
            guard let device = DeviceID("vehicle-\(index % 5)-ä") else { preconditionFailure("a plain name") }
            var batch = PositionBatch(device: device, positions: [])
            for _ in 0..<number(0...40) {
                var position = position()
                if hasAttributes, number(0...3) == 0 {
                    let set = AttributeSet(["line": "\(number(1...3))", "note": "a \"b\" \\ \n ü"])
                    position.attributes = set.reference
                    batch.attributes[set.reference] = set
                }
                batch.positions.append(position)
            }
            return batch
        }
    }
}
