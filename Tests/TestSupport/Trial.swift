package import Telemetry

/// What the trial program records, batch after batch: known to it and to the test that judges it.
///
/// Three dirty vehicles in an order of their own, pieces sent twice among them.
package struct Trial: Sendable {
    package struct Batch: Sendable {
        package var device: DeviceID
        package var positions: [Position]
    }

    package let batches: [Batch]
    package static let asOf = Tape.day + 30 * 86_400_000

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var batches: [Batch] = []
        for vehicle in 0..<3 {
            guard let device = DeviceID("trial \(vehicle)") else { continue }
            var positions = Tape.dirty(seed: seed &* 3 &+ UInt64(vehicle), pieces: 12).positions
            for index in positions.indices where random.chance(0.1) {
                positions.swapAt(index, Int(random.next() % UInt64(positions.count)))
            }
            var start = 0
            while start < positions.count {
                let end = min(positions.count, start + 1 + Int(random.next() % 30))
                batches.append(Batch(device: device, positions: Array(positions[start..<end])))
                if random.chance(0.05) {
                    batches.append(Batch(device: device, positions: Array(positions[start..<end])))
                }
                start = end
            }
        }
        batches.shuffle(using: &random)
        self.batches = batches
    }

    /// Everything that the first batches hold of a device.
    package func positions(of device: DeviceID, in indices: some Sequence<Int>) -> [Position] {
        Tape.track(of: indices.flatMap { batches[$0].device == device ? batches[$0].positions : [] })
    }

    package var devices: [DeviceID] { (0..<3).compactMap { DeviceID("trial \($0)") } }
}
