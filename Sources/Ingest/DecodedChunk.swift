package import Telemetry

/// Some thousand reports as they stood in the input, decoded and judged.
///
/// Positions of one device that follow each other form a run; an interleaved fleet costs eight bytes a row and no
/// allocation. The consumer regroups by `Run.device`, which stays the same number through one reading.
package struct DecodedChunk: Sendable {
    /// Positions of one device that stand next to each other in `positions`.
    package typealias Run = PositionRun

    /// Every device seen so far in this reading, in order of first sight; only ever appended to.
    package internal(set) var devices: [DeviceID] = []
    /// Covers `positions` from the first to the last.
    package internal(set) var runs: [Run] = []
    package internal(set) var positions: [Position] = []
    /// The attribute sets that positions of this chunk refer to.
    package internal(set) var attributes: [UInt64: AttributeSet] = [:]
    /// Reports that were refused, in the order of the input.
    package internal(set) var refusals: [Refusal] = []

    package init() {}

    package var isEmpty: Bool { positions.isEmpty && refusals.isEmpty }
    var rowCount: Int { positions.count + refusals.count }

    /// The positions as batches, one for each device, in the order of first sight in this chunk.
    ///
    /// - Complexity: O(positions), and a batch's allocations for each device.
    package func batches() -> [PositionBatch] {
        var batches: [PositionBatch] = []
        var indices: [Int32: Int] = [:]
        var start = 0
        for run in runs {
            let index: Int
            if let known = indices[run.device] {
                index = known
            } else {
                index = batches.count
                indices[run.device] = index
                batches.append(PositionBatch(device: devices[Int(run.device)], positions: []))
            }
            let range = start..<start + Int(run.count)
            batches[index].positions.append(contentsOf: positions[range])
            if !attributes.isEmpty {
                for position in positions[range] where position.attributes != 0 {
                    batches[index].attributes[position.attributes] = attributes[position.attributes]
                }
            }
            start = range.upperBound
        }
        return batches
    }

    /// Empties the chunk and keeps its memory.
    mutating func reset() {
        runs.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    mutating func append(_ position: Position, device: Int32) {
        positions.append(position)
        let last = runs.count - 1
        if last >= 0, runs[last].device == device {
            runs[last].count += 1
        } else {
            runs.append(Run(device: device, count: 1))
        }
    }

    /// Appends positions of one device.
    mutating func append(_ more: UnsafeBufferPointer<Position>, device: Int32) {
        guard !more.isEmpty else { return }
        positions.append(contentsOf: more)
        let last = runs.count - 1
        if last >= 0, runs[last].device == device {
            runs[last].count += Int32(more.count)
        } else {
            runs.append(Run(device: device, count: Int32(more.count)))
        }
    }
}
