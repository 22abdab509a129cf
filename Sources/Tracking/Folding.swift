import Telemetry
import TripStore

/// Merges new positions of a device into its chunks, of which only those change that the positions belong to.
struct Folding {
    private let encoder = TrackEncoder()
    private let decoder = TrackDecoder()

    /// What a folding gave.
    struct Result {
        var change: TrackChange
        /// How many keys were not there before.
        var newCount = 0
        /// Where something was added or changed; nil when nothing was.
        var touched: ClosedRange<Timestamp>?
    }

    /// - Parameters:
    ///   - positions: in key order, each key once.
    ///   - device: the number that they are stored under.
    ///   - held: the chunks that they belong to.
    /// - Returns: chunks that go and come, and what was new.
    /// - Throws: `StoreError` when a chunk is damaged.
    func fold(
        _ positions: [Position],
        device: DeviceNumber,
        into held: HeldChunks
    ) throws(StoreError) -> Result {
        var result = Result(change: TrackChange(device: device))
        var start = 0
        // What lies before every chunk of the device, or there is none.
        let firstOfAll = held.chunks.first?.first ?? Timestamp(milliseconds: .max)
        var end = start
        while end < positions.count, positions[end].fixTime < firstOfAll { end += 1 }
        if end > start {
            append(TrackCodec.pieces(Array(positions[start..<end]), isEven: false), to: &result)
            note(positions[start..<end], isNew: true, in: &result)
            start = end
        }
        for (index, chunk) in held.chunks.enumerated() where start < positions.count {
            let follower = held.followers[index]
            end = start
            if let follower {
                while end < positions.count, positions[end].fixTime < follower { end += 1 }
            } else {
                end = positions.count
            }
            guard end > start else { continue }
            let group = Array(positions[start..<end])
            start = end
            try fold(group, into: chunk, isLast: follower == nil, &result)
        }
        return result
    }

    private func fold(
        _ group: [Position],
        into chunk: StoredChunk,
        isLast: Bool,
        _ result: inout Result
    ) throws(StoreError) {
        let isBehind = group[0].fixTime > chunk.last
        // Rewriting a chunk for few positions behind it costs more than a short chunk, which is merged later.
        if isBehind, chunk.count >= TrackCodec.chunkSize || chunk.count > 4 * group.count {
            append(TrackCodec.pieces(group, isEven: false), to: &result)
            note(group[...], isNew: true, in: &result)
            return
        }
        let old = try decode(chunk)
        let merged = Position.merged(old, group)
        let added = merged.count - old.count
        if added == 0, merged == old { return }
        noteDifferences(old, merged, in: &result)
        result.change.removed.append(chunk.first)
        append(TrackCodec.pieces(merged, isEven: !(isLast && isBehind)), to: &result)
        result.newCount += added
    }

    /// The positions of a chunk.
    func decode(_ chunk: StoredChunk) throws(StoreError) -> [Position] {
        var positions: [Position] = []
        do throws(TrackCodecError) {
            try decoder.decode(chunk.bytes, into: &positions)
        } catch {
            throw StoreError(chunk: error)
        }
        return positions
    }

    private func note(_ positions: ArraySlice<Position>, isNew: Bool, in result: inout Result) {
        guard let first = positions.first, let last = positions.last else { return }
        result.newCount += positions.count
        widen(&result, first.fixTime, last.fixTime)
    }

    private func noteDifferences(_ old: [Position], _ new: [Position], in result: inout Result) {
        var index = 0
        for position in new {
            if index < old.count, old[index].key == position.key {
                if old[index] != position { widen(&result, position.fixTime, position.fixTime) }
                index += 1
            } else {
                widen(&result, position.fixTime, position.fixTime)
            }
        }
    }

    private func widen(_ result: inout Result, _ first: Timestamp, _ last: Timestamp) {
        let range = result.touched ?? first...last
        result.touched = min(range.lowerBound, first)...max(range.upperBound, last)
    }

    private func append(_ pieces: [ArraySlice<Position>], to result: inout Result) {
        for piece in pieces {
            guard let first = piece.first, let last = piece.last else { continue }
            result.change.added.append(
                StoredChunk(
                    first: first.fixTime,
                    last: last.fixTime,
                    count: piece.count,
                    bytes: encoder.encode(piece)
                )
            )
        }
    }
}
