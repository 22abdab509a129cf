import Telemetry

/// One column of a batch, decoded: memory that is kept from batch to batch and grows up to the limit.
final class ColumnBuffer {
    private(set) var values: UnsafeMutablePointer<Int64>
    private(set) var count = 0
    private var capacity: Int
    private var sum: Int64 = 0

    init() {
        capacity = 512
        values = .allocate(capacity: capacity)
    }

    deinit { values.deallocate() }

    func removeAll() {
        count = 0
        sum = 0
    }

    /// Appends a field's values, packed or not; deltas become running sums, which wrap as hostile ones may.
    func append(_ reader: inout WireReader, tag: UInt32, areDeltas: Bool) throws(WireFault) {
        if tag & 7 == 0 {
            try reserve(1, reader)
            let value = areDeltas ? try reader.signedVarint() : Int64(bitPattern: try reader.varint())
            sum = areDeltas ? sum &+ value : value
            values[count] = sum
            count += 1
            return
        }
        guard tag & 7 == 2 else { throw reader.fault(.unexpectedWireType) }
        var content = try reader.delimited()
        // Every value ends with the only byte of it that has no high bit.
        var bytes = content.cursor
        var expected = 0
        while bytes < content.end {
            expected &+= Int(truncatingIfNeeded: ~bytes.pointee >> 7)
            bytes += 1
        }
        try reserve(expected, content)
        var next = values + count
        var running = sum
        if areDeltas {
            for _ in 0..<expected {
                running &+= try content.signedVarint()
                next.pointee = running
                next += 1
            }
        } else {
            for _ in 0..<expected {
                running = Int64(bitPattern: try content.varint())
                next.pointee = running
                next += 1
            }
        }
        guard content.isAtEnd else { throw content.fault(.truncated) }
        sum = running
        count += expected
    }

    private func reserve(_ more: Int, _ reader: WireReader) throws(WireFault) {
        guard count + more <= BatchDecoder.limit else { throw reader.fault(.tooManyPositions) }
        guard count + more > capacity else { return }
        let grown = UnsafeMutablePointer<Int64>.allocate(capacity: max(capacity * 2, count + more))
        grown.moveInitialize(from: values, count: count)
        values.deallocate()
        values = grown
        capacity = max(capacity * 2, count + more)
    }
}

/// The accepted positions of one batch, in memory that is kept from batch to batch.
final class PositionBuffer {
    private var values: UnsafeMutablePointer<Position>
    private var count = 0
    private var capacity = 512

    init() { values = .allocate(capacity: capacity) }

    deinit { values.deallocate() }

    func removeAll() { count = 0 }

    @inline(__always)
    func append(_ position: Position) {
        if count == capacity { grow() }
        (values + count).initialize(to: position)
        count += 1
    }

    var contents: UnsafeBufferPointer<Position> { UnsafeBufferPointer(start: values, count: count) }

    private func grow() {
        let grown = UnsafeMutablePointer<Position>.allocate(capacity: capacity * 2)
        grown.moveInitialize(from: values, count: count)
        values.deallocate()
        values = grown
        capacity *= 2
    }
}
