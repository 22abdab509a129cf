package import Telemetry
package import TripStore

/// Takes decoded reports of an import, and hands them on some hundred thousand at a time.
///
/// Used by one task. Memory is bounded: `append` waits while two buffers are on their way.
package final class ImportFeed {
    private let handoff: Handoff
    private var buffer = ImportFeed.empty()
    private var numbers: [DeviceID: Int32] = [:]
    private var mapping: [Int32] = []

    init(handoff: Handoff) { self.handoff = handoff }

    /// A buffer that need not grow, since growing would copy it and hold both.
    private static func empty() -> ImportBuffer {
        var buffer = ImportBuffer()
        buffer.positions.reserveCapacity(ImportBuffer.size + 16_384)
        buffer.owners.reserveCapacity(ImportBuffer.size + 16_384)
        return buffer
    }

    /// Begins another input, whose list of devices has nothing to do with the one before.
    package func beginInput() { mapping = [] }

    /// Appends positions that come in runs.
    ///
    /// - Parameters:
    ///   - positions: accepted positions in the order of the input.
    ///   - runs: whose they are, covering all of them.
    ///   - devices: what the runs refer to; within one input it only grows.
    ///   - attributes: the sets that the positions refer to.
    /// - Throws: what storing an earlier part threw.
    package func append(
        _ positions: [Position],
        runs: [PositionRun],
        devices: [DeviceID],
        attributes: [UInt64: AttributeSet] = [:]
    ) async throws(StoreError) {
        while mapping.count < devices.count { mapping.append(number(of: devices[mapping.count])) }
        if !attributes.isEmpty { buffer.attributes.merge(attributes) { $1 } }
        buffer.positions += positions
        for run in runs {
            let owner = mapping[Int(run.device)]
            if run.count == 1 {
                buffer.owners.append(owner)
            } else {
                buffer.owners.append(contentsOf: repeatElement(owner, count: Int(run.count)))
            }
        }
        precondition(buffer.owners.count == buffer.positions.count, "the runs cover the positions")
        if buffer.positions.count >= ImportBuffer.size { try await flush() }
    }

    /// Appends the positions of one device.
    package func append(_ batch: PositionBatch) async throws(StoreError) {
        let owner = number(of: batch.device)
        buffer.attributes.merge(batch.attributes) { $1 }
        buffer.positions += batch.positions
        buffer.owners += repeatElement(owner, count: batch.positions.count)
        if buffer.positions.count >= ImportBuffer.size { try await flush() }
    }

    /// Appends refused reports for quarantine.
    package func append(_ refusals: [Refusal]) async throws(StoreError) {
        buffer.refusals += refusals
        if buffer.refusals.count >= 10_000 { try await flush() }
    }

    private func number(of device: DeviceID) -> Int32 {
        if let known = numbers[device] { return known }
        let number = Int32(numbers.count)
        numbers[device] = number
        buffer.newDevices.append(device)
        return number
    }

    func flush() async throws(StoreError) {
        guard !buffer.isEmpty else { return }
        let full = buffer
        buffer = ImportFeed.empty()
        try await handoff.put(full)
    }
}

/// Reports on their way from decoding to folding.
struct ImportBuffer: Sendable {
    /// A buffer is handed on when it has so many positions.
    static let size = 1 << 17

    var positions: [Position] = []
    /// The number of the device of each position.
    var owners: [Int32] = []
    /// Devices that got the next numbers.
    var newDevices: [DeviceID] = []
    var attributes: [UInt64: AttributeSet] = [:]
    var refusals: [Refusal] = []

    var isEmpty: Bool { positions.isEmpty && refusals.isEmpty && newDevices.isEmpty }

    /// The positions of each device, in the order in which they came.
    ///
    /// - Parameter deviceCount: how many numbers there are.
    /// - Returns: devices that have positions here, by their numbers.
    func grouped(deviceCount: Int) -> [(owner: Int32, positions: [Position])] {
        var counts = [Int32](repeating: 0, count: deviceCount)
        for owner in owners { counts[Int(owner)] += 1 }
        var starts = [Int32](repeating: 0, count: deviceCount)
        var present: [Int32] = []
        var sum: Int32 = 0
        for owner in 0..<deviceCount where counts[owner] > 0 {
            starts[owner] = sum
            sum += counts[owner]
            present.append(Int32(owner))
        }
        // Places in one pass, then each device's positions in one block.
        var order = [Int32](repeating: 0, count: owners.count)
        var next = starts
        for (index, owner) in owners.enumerated() {
            order[Int(next[Int(owner)])] = Int32(index)
            next[Int(owner)] += 1
        }
        return present.map { owner in
            let (start, count) = (Int(starts[Int(owner)]), Int(counts[Int(owner)]))
            let own = [Position](unsafeUninitializedCapacity: count) { target, used in
                for index in 0..<count { target.initializeElement(at: index, to: positions[Int(order[start + index])]) }
                used = count
            }
            return (owner, own)
        }
    }
}

/// A channel of few places between the task that decodes and the one that folds.
actor Handoff {
    private var buffers: [ImportBuffer] = []
    private var isFinished = false
    private var failure: StoreError?
    private var producer: CheckedContinuation<Void, Never>?
    private var consumer: CheckedContinuation<Void, Never>?

    /// Waits for a free place and puts a buffer there.
    func put(_ buffer: ImportBuffer) async throws(StoreError) {
        while buffers.count >= 1, failure == nil { await withCheckedContinuation { producer = $0 } }
        if let failure { throw failure }
        buffers.append(buffer)
        consumer?.resume()
        consumer = nil
    }

    /// Takes the next buffer; nil when there are no more.
    func take() async -> ImportBuffer? {
        while buffers.isEmpty, !isFinished { await withCheckedContinuation { consumer = $0 } }
        guard !buffers.isEmpty else { return nil }
        defer {
            producer?.resume()
            producer = nil
        }
        return buffers.removeFirst()
    }

    /// Says that no more buffers come.
    func finish() {
        isFinished = true
        consumer?.resume()
        consumer = nil
    }

    /// Says that no more buffers are taken.
    func fail(_ error: StoreError) {
        failure = error
        buffers = []
        producer?.resume()
        producer = nil
    }
}
