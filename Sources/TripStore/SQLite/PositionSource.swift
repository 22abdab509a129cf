import Telemetry

/// The positions of a device in a span, in key order: its chunks with what the journal adds.
final class PositionSource: PageSource<Position> {
    private let chunks: SQLiteStatement
    private let span: ClosedRange<Timestamp>
    private let decoder = TrackDecoder()
    /// What the journal holds in the span, each key once, in key order.
    private var tail: ArraySlice<Position>
    private var isFinished = false

    init(_ connection: SQLiteConnection, device: DeviceNumber, span: ClosedRange<Timestamp>) throws(StoreError) {
        self.span = span
        let journal = try connection.ownedStatement("SELECT positions FROM journal WHERE device = ?")
        try journal.bind(device.rawValue, at: 1)
        var rows: [Position] = []
        while try journal.step() {
            rows += try journal.positions(0).filter { span.contains($0.fixTime) }
        }
        Position.sortAndMerge(&rows)
        tail = rows[...]
        chunks = try connection.chunkStatement(device: device.rawValue, span: span)
    }

    override func next() throws(StoreError) -> [Position] {
        // A statement that has ended would begin again.
        while !isFinished {
            guard try chunks.step() else {
                isFinished = true
                defer { tail = [] }
                return Array(tail)
            }
            let last = chunks.timestamp(1)
            var positions: [Position] = []
            let failure = chunks.withBytes(3) { bytes -> StoreError? in
                do throws(TrackCodecError) {
                    try decoder.decode(raw: bytes, into: &positions)
                    return nil
                } catch {
                    return StoreError(chunk: error)
                }
            }
            if let failure { throw failure }
            if !span.contains(chunks.timestamp(0)) || !span.contains(last) {
                positions.removeAll { !span.contains($0.fixTime) }
            }
            let end = tail.firstIndex { $0.fixTime > last } ?? tail.endIndex
            if end > tail.startIndex {
                positions = Position.merged(positions, Array(tail[..<end]))
                tail = tail[end...]
            }
            if !positions.isEmpty { return positions }
        }
        return []
    }
}
