import Telemetry
import TripStore

/// What the recorder holds of a device in memory: its state, and what the journal has of it.
struct LiveTrack {
    var state: DeviceState
    /// Rows of the journal, in the order of their commits.
    private(set) var rows: [(sequence: Int64, positions: [Position], newCount: Int)] = []
    /// Their positions in key order, each key once.
    private(set) var tail: [Position] = []
    /// No folded position has a greater key; nil when none is folded.
    var foldedEnd: Position.Key?
    /// When the oldest row came.
    private(set) var oldestRow: Timestamp?

    init(state: DeviceState) {
        self.state = state
        foldedEnd = state.last?.key
    }

    /// Takes in what the journal holds from before a start; the state may know of it or not.
    mutating func replay(_ row: JournalRow) {
        rows.append((row.sequence, row.positions, row.newCount))
        Position.merge(row.positions, into: &tail)
        if oldestRow == nil { oldestRow = row.positions.first?.receivedTime }
    }

    /// Counts what was replayed.
    mutating func endReplay() {
        state.positionCount = state.foldedCount + rows.reduce(0) { $0 + Int64($1.newCount) }
        for row in rows { note(row.positions) }
    }

    /// Takes in a row that the journal now holds.
    mutating func append(_ positions: [Position], newCount: Int, sequence: Int64, now: Timestamp) {
        rows.append((sequence, positions, newCount))
        Position.merge(positions, into: &tail)
        if oldestRow == nil { oldestRow = now }
        state.positionCount += Int64(newCount)
        note(positions)
    }

    /// Notes new or changed positions, in key order, in the state.
    mutating func note(_ positions: [Position]) {
        guard let first = positions.first, let last = positions.last else { return }
        state.widenOutstanding(first.fixTime...last.fixTime)
        state.noteEnds(first, last)
        let contact = positions.reduce(first.receivedTime) { max($0, $1.receivedTime) }
        state.lastContact = max(state.lastContact ?? contact, contact)
    }

    /// Lets go of rows that chunks now hold; rows that came meanwhile stay.
    mutating func removeRows(_ folded: Set<Int64>, now: Timestamp) {
        if let end = tail.last?.key { foldedEnd = max(foldedEnd ?? end, end) }
        rows.removeAll { folded.contains($0.sequence) }
        tail = []
        for row in rows { Position.merge(row.positions, into: &tail) }
        oldestRow = rows.isEmpty ? nil : now
    }

    /// Takes in positions that an import folded without the journal.
    ///
    /// - Parameters:
    ///   - positions: in key order, also those that were there already.
    ///   - newCount: keys that the chunks did not have.
    ///   - added: keys that neither the chunks nor the journal had.
    ///   - touched: where something changed.
    mutating func importFolded(
        _ positions: [Position],
        newCount: Int,
        added: Int,
        touched: ClosedRange<Timestamp>?
    ) {
        guard let first = positions.first, let last = positions.last, let touched else { return }
        state.foldedCount += Int64(newCount)
        state.positionCount += Int64(added)
        state.widenOutstanding(touched)
        state.noteEnds(first, last)
        foldedEnd = max(foldedEnd ?? last.key, last.key)
        let contact = positions.reduce(first.receivedTime) { max($0, $1.receivedTime) }
        state.lastContact = max(state.lastContact ?? contact, contact)
    }

    /// The position of a key in the journal.
    func position(_ key: Position.Key) -> Position? {
        guard let last = tail.last, key <= last.key else { return nil }
        return tail.position(key)
    }
}

extension DeviceState {
    mutating func widenOutstanding(_ range: ClosedRange<Timestamp>) {
        guard let known = outstanding else {
            outstanding = range
            return
        }
        outstanding = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    mutating func noteEnds(_ first: Position, _ last: Position) {
        if let known = self.first { if first.key <= known.key { self.first = first } } else { self.first = first }
        if let known = self.last { if last.key >= known.key { self.last = last } } else { self.last = last }
    }
}

extension Collection<Position> where Self: RandomAccessCollection, Index == Int {
    /// The position of a key, of positions in key order.
    func position(_ key: Position.Key) -> Position? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].key == key ? self[low] : nil
    }
}
