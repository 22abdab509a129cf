package import Telemetry
package import TripStore

extension Recorder {
    /// Which tails of the journal are folded.
    enum FoldSelection {
        case due, everything
    }

    /// What an update did.
    package struct UpdateSummary: Hashable, Sendable {
        package var foldedPositions = 0
        package var derivedDevices = 0
        package var newTrips = 0
        package var revisedTrips = 0
        package var removedTrips = 0

        package init() {}
    }

    /// Folds what is due, and draws the history of every device that has news or whose last interval becomes final.
    ///
    /// - Parameter asOf: the time by which silences are judged.
    /// - Returns: what was done.
    /// - Throws: `StoreError`; what was not done is done by the next update.
    @discardableResult
    package func update(asOf: Timestamp) async throws(StoreError) -> UpdateSummary {
        try await update(asOf: asOf, folding: .due, derives: true)
    }

    /// Folds the whole journal and draws what is outstanding: the store then needs no recorder to be read at its best.
    @discardableResult
    package func settle(asOf: Timestamp) async throws(StoreError) -> UpdateSummary {
        try await update(asOf: asOf, folding: .everything, derives: true)
    }

    @discardableResult
    func update(asOf: Timestamp, folding: FoldSelection, derives: Bool) async throws(StoreError) -> UpdateSummary {
        try await whileUpdating { () async throws(StoreError) in
            var summary = UpdateSummary()
            summary.foldedPositions = try await fold(folding)
            if derives { try await derive(asOf: asOf, &summary) }
            return summary
        }
    }

    // MARK: Folding

    /// Devices are folded so many positions at a time, to bound memory.
    private static let foldGroup = 100_000

    private func fold(_ selection: FoldSelection) async throws(StoreError) -> Int {
        let now = clock()
        var due: [DeviceID] = []
        for (device, track) in tracks where !track.rows.isEmpty {
            let isOld = track.oldestRow.map { now - $0 >= configuration.foldAge } ?? false
            if selection == .everything || track.tail.count >= configuration.foldCount || isOld { due.append(device) }
        }
        due.sort()
        var folded = 0
        var start = 0
        while start < due.count {
            var (end, count) = (start, 0)
            while end < due.count, count < Recorder.foldGroup || end == start {
                count += tracks[due[end]]?.tail.count ?? 0
                end += 1
            }
            try await fold(Array(due[start..<end]))
            folded += count
            start = end
        }
        return folded
    }

    private func fold(_ devices: [DeviceID]) async throws(StoreError) {
        let snapshots = devices.compactMap { tracks[$0] }
        let held = try await storage.chunks(
            holding: snapshots.map { ChunkRequest(device: $0.state.number, times: $0.tail.map(\.fixTime)) }
        )
        let folding = Folding()
        var transaction = StoreTransaction(now: clock())
        for (snapshot, chunks) in zip(snapshots, held) {
            var result = try folding.fold(snapshot.tail, device: snapshot.state.number, into: chunks)
            result.change.foldedRows = snapshot.rows.map(\.sequence)
            transaction.tracks.append(result.change)
            // What came meanwhile is in the journal, and is counted from there after a start.
            guard var state = tracks[snapshot.state.device]?.state else { continue }
            state.foldedCount += Int64(result.newCount)
            tracks[snapshot.state.device]?.state.foldedCount = state.foldedCount
            transaction.states.append(state)
        }
        do throws(StoreError) {
            _ = try await storage.commit(transaction)
        } catch {
            for (snapshot, _) in zip(snapshots, held) {
                tracks[snapshot.state.device]?.state.foldedCount = snapshot.state.foldedCount
            }
            throw error
        }
        for snapshot in snapshots {
            tracks[snapshot.state.device]?.removeRows(Set(snapshot.rows.map(\.sequence)), now: clock())
            journalCount -= snapshot.rows.reduce(0) { $0 + $1.positions.count }
        }
    }

    // MARK: Deriving

    /// Histories are committed when they hold so many rows together.
    private static let derivedGroup = 4096
    /// Devices that are drawn at the same time.
    private static let parallelDerivations = 2

    private func derive(asOf: Timestamp, _ summary: inout UpdateSummary) async throws(StoreError) {
        // Marks are read before the settings: a setting that changes in between leaves its new mark standing.
        var marks: [DeviceID: Int64] = [:]
        for stored in try await storage.outstandingDevices(asOf: asOf) {
            if tracks[stored.device] == nil { tracks[stored.device] = LiveTrack(state: stored) }
            if stored.mark > 0 { marks[stored.device] = stored.mark }
        }
        let deriver = Deriver(storage: storage, asOf: asOf, settings: try await storage.settings())
        var queue: [DeviceState] = []
        for (device, track) in tracks {
            let isOpen = track.state.openUntil.map { $0 <= asOf } ?? false
            guard track.state.outstanding != nil || isOpen || marks[device] != nil else { continue }
            var state = track.state
            state.mark = marks[device] ?? 0
            if state.mark > 0 { state.outstanding = Timestamp.earliest...Timestamp.latest }
            queue.append(state)
        }
        queue.sort { $0.number < $1.number }
        // What comes from now on is outstanding anew.
        for state in queue { tracks[state.device]?.state.outstanding = nil }
        var committed = 0
        do throws(StoreError) {
            try await derive(queue, deriver, &committed, &summary)
        } catch {
            for state in queue[committed...] { restore(state) }
            throw error
        }
    }

    /// Draws devices a few at a time, and commits what changed in their order.
    private func derive(
        _ queue: [DeviceState],
        _ deriver: Deriver,
        _ committed: inout Int,
        _ summary: inout UpdateSummary
    ) async throws(StoreError) {
        typealias Answer = Result<Deriver.Result, StoreError>
        var transaction = StoreTransaction(now: clock())
        var size = 0
        var (begun, done) = (0, 0)
        let failure = await withTaskGroup(of: (Int, Answer).self, returning: StoreError?.self) { group in
            var answers: [Int: Answer] = [:]
            while done < queue.count {
                // One more than work at the same time waits for its turn at most.
                while begun < queue.count, begun - done <= Recorder.parallelDerivations {
                    let (index, state) = (begun, queue[begun])
                    let tail = tracks[state.device]?.tail ?? []
                    begun += 1
                    group.addTask { (index, await deriver.answer(state, tail: tail)) }
                }
                guard let answer = await group.next() else {
                    return StoreError(kind: .other, message: "a derivation gave no answer")
                }
                answers[answer.0] = answer.1
                while let answer = answers.removeValue(forKey: done) {
                    switch answer {
                    case .success(let result): apply(result, to: queue[done].device, &transaction, &size, &summary)
                    case .failure(let error): return error
                    }
                    done += 1
                    guard size >= Recorder.derivedGroup || done == queue.count else { continue }
                    if let error = await errorOfCommit(transaction) { return error }
                    transaction = StoreTransaction(now: clock())
                    (size, committed) = (0, done)
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Commits, and says what went wrong.
    private func errorOfCommit(_ transaction: StoreTransaction) async -> StoreError? {
        let outcome: Result<CommitReceipt, StoreError>
        do throws(StoreError) {
            outcome = .success(try await storage.commit(transaction))
        } catch {
            outcome = .failure(error)
        }
        return if case .failure(let error) = outcome { error } else { nil }
    }

    /// Takes the history of a device into a transaction, and its state as it is now.
    private func apply(
        _ result: Deriver.Result,
        to device: DeviceID,
        _ transaction: inout StoreTransaction,
        _ size: inout Int,
        _ summary: inout UpdateSummary
    ) {
        summary.add(result.change)
        size += result.change.rowCount + 1
        transaction.histories.append(result.change)
        guard var state = tracks[device]?.state else { return }
        state.latest = result.latest
        state.watermark = result.watermark
        state.openUntil = result.openUntil
        tracks[device]?.state = state
        transaction.states.append(state)
    }

    /// Puts back what was to be drawn and was not.
    private func restore(_ state: DeviceState) {
        guard state.mark == 0, let outstanding = state.outstanding else { return }
        tracks[state.device]?.state.widenOutstanding(outstanding)
    }
}

extension Recorder.UpdateSummary {
    fileprivate mutating func add(_ change: HistoryChange) {
        derivedDevices += 1
        newTrips += change.newTrips.count
        revisedTrips += change.revisedTrips.count
        removedTrips += change.removedTrips.count
    }
}

extension HistoryChange {
    fileprivate var rowCount: Int {
        newTrips.count + revisedTrips.count + removedTrips.count + putStops.count + putGaps.count + putSetAside.count
    }
}
