package import Telemetry
package import TripDetection
package import TripStore

/// Draws the history of one device anew, from the last settled boundary before what changed to where nothing changes.
struct Deriver: Sendable {
    let storage: any TrackStorage
    let asOf: Timestamp
    /// Settings as they are stored, by device and for all.
    let settings: StoredSettings

    /// Positions that are read at once; a device's history is drawn in windows of about this size.
    static let windowSize = 1 << 14
    /// Settled boundaries are kept this far apart, in milliseconds: late data then read at most as much again.
    static let resumptionSpacing: Int64 = 6 * 3_600_000

    /// What a derivation gives.
    struct Result: Sendable {
        var change: HistoryChange
        var latest: Position?
        var watermark: Timestamp?
        var openUntil: Timestamp?
        /// How many positions were read.
        var positionCount = 0
    }

    /// - Parameters:
    ///   - state: the device, with the span that its history does not show yet.
    ///   - tail: accepted positions that are in the journal only, in key order.
    /// - Returns: what changes, and the latest state.
    /// - Throws: `StoreError` when positions cannot be read.
    func derive(_ state: DeviceState, tail: [Position]) async throws(StoreError) -> Result {
        let detector = TripDetector(settings: DetectionSettings(overriding: settings, device: state.device))
        let changed = state.outstanding ?? Timestamp.latest...Timestamp.latest
        var known: [Resumption] = []
        // Before the horizon nothing can be drawn anew; the boundary there was kept for this.
        let earliest = max(changed.lowerBound, state.horizon ?? changed.lowerBound)
        if earliest > Timestamp.earliest {
            known = try await storage.lastResumptions(of: state.number, atOrBefore: earliest, limit: 2)
        }
        let base = known.first
        let old = try await storage.history(
            of: state.number,
            from: base?.intervalBegin ?? state.horizon ?? Timestamp(milliseconds: .min),
            until: nil
        )
        let kept = Set(old.resumptions.filter { $0.from > changed.upperBound })
        var window = Window(
            storage: storage,
            device: state.number,
            tail: tail,
            from: base?.from ?? Timestamp(milliseconds: .min)
        )
        var drawn = Drawing(base: base)
        while true {
            try await window.fill(atLeast: Deriver.windowSize)
            let derivation = detector.derive(window.positions, asOf: asOf, resuming: drawn.resumption)
            let meeting = kept.isEmpty ? nil : derivation.resumptions.first { kept.contains($0) }
            if let meeting {
                drawn.append(derivation, until: meeting)
                break
            }
            if window.isComplete {
                drawn.append(derivation, until: nil)
                drawn.latest = window.latestUsed(derivation.setAside) ?? state.latest
                break
            }
            if let last = derivation.resumptions.last {
                drawn.append(derivation, until: last)
                drawn.goOn()
                window.drop(before: last.from)
            } else {
                window.grow()
            }
        }
        return finish(state, old: old, known: known, drawn: drawn, read: window.readCount)
    }

    /// The same as a value, for a group of tasks.
    func answer(_ state: DeviceState, tail: [Position]) async -> Swift.Result<Result, StoreError> {
        do throws(StoreError) {
            return .success(try await derive(state, tail: tail))
        } catch {
            return .failure(error)
        }
    }

    private func finish(
        _ state: DeviceState,
        old: StoredHistory,
        known: [Resumption],
        drawn: Drawing,
        read: Int
    ) -> Result {
        var replaced = old
        if let meeting = drawn.meeting {
            replaced.trips.removeAll { $0.trip.begin >= meeting.intervalBegin }
            replaced.stops.removeAll { $0.arrival >= meeting.intervalBegin }
            replaced.gaps.removeAll { $0.begin >= meeting.intervalBegin }
            replaced.setAside.removeAll { $0.key.fixTime >= meeting.from }
            replaced.resumptions.removeAll { $0.from >= meeting.from }
        }
        // The boundary that was resumed stays as it is, and so does what was set aside before it.
        if let base = known.first {
            replaced.setAside.removeAll { $0.key.fixTime < base.from }
            replaced.resumptions.removeAll { $0.from <= base.from }
        }
        var change = HistoryDifference.change(
            of: state.number,
            from: replaced,
            to: drawn.intervals,
            setAside: drawn.setAside,
            resumptions: thinned(drawn.resumptions, after: known.first, isEnd: drawn.meeting == nil)
        )
        if drawn.meeting == nil, let newest = change.putResumptions.last, known.count == 2 {
            // The boundary that was the newest is needed no longer when it lies near the one before it.
            let near = known[0].from - known[1].from < Deriver.resumptionSpacing
            if near, newest.from > known[0].from { change.removedResumptions.append(known[0]) }
        }
        change.mark = state.mark
        var result = Result(change: change, positionCount: read)
        result.latest = state.latest
        result.watermark = state.watermark
        result.openUntil = state.openUntil
        guard drawn.meeting == nil else { return result }
        result.latest = drawn.latest
        result.watermark = drawn.intervals.last { $0.isFinal }?.end ?? known.first?.intervalBegin
        let gap = DetectionSettings(overriding: settings, device: state.device).gapTime
        let isOpen = drawn.intervals.last.map { !$0.isFinal } ?? false
        result.openUntil = isOpen ? drawn.latest.map { $0.fixTime + gap } : nil
        return result
    }

    /// Leaves out boundaries that lie near the kept one before them; the newest stays.
    private func thinned(_ resumptions: [Resumption], after base: Resumption?, isEnd: Bool) -> [Resumption] {
        var result: [Resumption] = []
        var last = base?.from
        for (index, resumption) in resumptions.enumerated() {
            let isNewest = isEnd && index == resumptions.count - 1
            if let last, resumption.from - last < Deriver.resumptionSpacing, !isNewest { continue }
            result.append(resumption)
            last = resumption.from
        }
        return result
    }
}

extension DetectionSettings {
    /// The settings of a device: the defaults, then what is stored for all, then what is stored for it.
    package init(overriding stored: StoredSettings, device: DeviceID?) {
        var values = stored.common
        if let device, let own = stored.devices[device] { values.merge(own) { $1 } }
        self.init(stored: values)
    }
}

/// What was drawn so far, window after window.
private struct Drawing {
    /// Where the next window resumes.
    var resumption: Resumption?
    /// Where the new history met the stored one.
    var meeting: Resumption?
    var intervals: [Interval] = []
    var setAside: [SetAside] = []
    var resumptions: [Resumption] = []
    var latest: Position?

    init(base: Resumption?) { resumption = base }

    /// Takes from a derivation what lies before a boundary, or everything.
    mutating func append(_ derivation: Derivation, until boundary: Resumption?) {
        guard let boundary else {
            intervals += derivation.intervals
            setAside += derivation.setAside
            resumptions += derivation.resumptions
            return
        }
        intervals += derivation.intervals.filter { $0.begin < boundary.intervalBegin }
        setAside += derivation.setAside.filter { $0.key.fixTime < boundary.from }
        resumptions += derivation.resumptions.filter { $0.from < boundary.from }
        resumption = boundary
        meeting = boundary
    }

    /// Notes that the boundary was only the end of a window.
    mutating func goOn() {
        if let meeting { resumptions.append(meeting) }
        meeting = nil
    }
}

/// A part of a device's track in memory.
private struct Window {
    private var chunks: RecordStream<StoredChunk>.Iterator?
    private let storage: any TrackStorage
    private let device: DeviceNumber
    private let from: Timestamp
    private var tail: ArraySlice<Position>
    private let folding = Folding()
    private var size = 0
    private(set) var positions: [Position] = []
    private(set) var isComplete = false
    private(set) var readCount = 0

    init(storage: any TrackStorage, device: DeviceNumber, tail: [Position], from: Timestamp) {
        self.storage = storage
        self.device = device
        self.from = from
        self.tail = tail[(tail.firstIndex { $0.fixTime >= from } ?? tail.endIndex)...]
    }

    mutating func fill(atLeast count: Int) async throws(StoreError) {
        size = max(size, count)
        if chunks == nil {
            let span = from...Timestamp(milliseconds: .max)
            chunks = try await storage.chunks(of: device, in: span).makeAsyncIterator()
        }
        while positions.count < size, !isComplete {
            guard let chunk = try await chunks?.next() else {
                positions = Position.merged(positions, Array(tail))
                readCount += tail.count
                tail = []
                isComplete = true
                return
            }
            var piece = try folding.decode(chunk)
            readCount += piece.count
            if chunk.first < from { piece.removeAll { $0.fixTime < from } }
            let end = tail.firstIndex { $0.fixTime > chunk.last } ?? tail.endIndex
            if end > tail.startIndex {
                piece = Position.merged(piece, Array(tail[..<end]))
                tail = tail[end...]
            }
            positions += piece
        }
    }

    /// Lets go of positions that need not be read again.
    mutating func drop(before instant: Timestamp) {
        let end = positions.firstIndex { $0.fixTime >= instant } ?? positions.endIndex
        positions.removeFirst(end)
        size = 0
    }

    /// Asks for twice as many, since no boundary was found in these.
    mutating func grow() { size = positions.count * 2 }

    /// The last position that was used.
    func latestUsed(_ setAside: [SetAside]) -> Position? {
        var unused = setAside.reversed().makeIterator()
        var skipped = unused.next()
        for position in positions.reversed() {
            while let key = skipped?.key, key > position.key { skipped = unused.next() }
            if skipped?.key != position.key { return position }
        }
        return nil
    }
}
