package import Telemetry
package import TripStore

/// Records positions of live devices: durable when `record` returns, then folded into tracks and drawn as history.
///
/// Many producers may call `record` at once; what arrives while a commit runs goes into the next one, with one fsync
/// for all. `update` folds and derives; a service calls it again and again, an import calls it by itself. One recorder
/// writes to a store at a time.
package actor Recorder {
    package struct Configuration: Sendable {
        /// Positions that may wait for a commit; more are refused with kind `full`.
        package var waitingLimit = 200_000
        /// Positions that the journal may hold: from half of them on, `record` folds what is due, at all of them
        /// everything, before it goes on.
        package var journalLimit = 200_000
        /// A device's positions in the journal are folded from this many on.
        package var foldCount = 512
        /// A device's positions in the journal are folded at this age, in milliseconds.
        package var foldAge: Int64 = 600_000

        package init() {}
    }

    /// What became of one batch.
    package struct Receipt: Hashable, Sendable {
        /// Positions that were new.
        package var accepted = 0
        /// Positions that were there already; fields that they added are kept.
        package var duplicate = 0
        /// Positions that lie before the device's retention horizon, and are in quarantine.
        package var beforeRetention = 0

        package init(accepted: Int = 0, duplicate: Int = 0, beforeRetention: Int = 0) {
            self.accepted = accepted
            self.duplicate = duplicate
            self.beforeRetention = beforeRetention
        }
    }

    let storage: any TrackStorage
    let configuration: Configuration
    let clock: @Sendable () -> Timestamp
    var tracks: [DeviceID: LiveTrack] = [:]
    /// Positions that the journal holds.
    var journalCount = 0
    /// From so many positions in the journal on it is looked for what can be folded.
    private var nextFold: Int
    private var pending: [PendingBatch] = []
    private var pendingCount = 0
    private var isCommitting = false
    private var quietWaiters: [CheckedContinuation<Void, Never>] = []
    private var isUpdating = false
    private var updateWaiters: [CheckedContinuation<Void, Never>] = []

    /// Opens a recorder and replays the journal.
    ///
    /// - Parameters:
    ///   - storage: opened for writing.
    ///   - configuration: limits.
    ///   - clock: the time, for tests.
    /// - Throws: what reading the journal throws.
    package init(
        storage: any TrackStorage,
        configuration: Configuration = Configuration(),
        clock: @escaping @Sendable () -> Timestamp
    ) async throws(StoreError) {
        self.storage = storage
        self.configuration = configuration
        self.clock = clock
        nextFold = configuration.journalLimit / 2
        try await replay()
    }

    private func replay() async throws(StoreError) {
        var byNumber: [DeviceNumber: LiveTrack] = [:]
        var iterator = try await storage.journal().makeAsyncIterator()
        var rows: [JournalRow] = []
        while let row = try await iterator.next() {
            rows.append(row)
            if rows.count >= 1024 {
                try await replay(rows, &byNumber)
                rows = []
            }
        }
        try await replay(rows, &byNumber)
        for var track in byNumber.values {
            track.endReplay()
            tracks[track.state.device] = track
        }
    }

    private func replay(_ rows: [JournalRow], _ tracks: inout [DeviceNumber: LiveTrack]) async throws(StoreError) {
        let unknown = Set(rows.map(\.device)).subtracting(tracks.keys)
        for state in try await storage.states(numbered: unknown.sorted()) {
            tracks[state.number] = LiveTrack(state: state)
        }
        for row in rows {
            tracks[row.device]?.replay(row)
            journalCount += row.positions.count
        }
    }

    // MARK: Recording

    /// Makes batches and refusals durable.
    ///
    /// - Parameters:
    ///   - batches: accepted positions; each key is kept once, whatever came before.
    ///   - refusals: for quarantine, each kept once.
    /// - Returns: what became of each batch, in the order given.
    /// - Throws: `full` when too much waits already or the disk is full: nothing was stored then, and the same call may
    ///   pass later; other kinds of `StoreError`.
    package func record(
        _ batches: [PositionBatch],
        refusals: [Refusal] = []
    ) async throws(StoreError) -> [Receipt] {
        let count = batches.reduce(0) { $0 + $1.positions.count } + refusals.count
        guard pendingCount == 0 || pendingCount + count <= configuration.waitingLimit else {
            throw StoreError(kind: .full, message: "\(pendingCount) positions wait to be stored")
        }
        pendingCount += count
        if isCommitting {
            let answer = await withCheckedContinuation { continuation in
                pending.append(PendingBatch(batches: batches, refusals: refusals, count: count, waiter: continuation))
            }
            switch answer {
            case .finished(let result): return try result.get()
            case .lead: return try await lead()
            }
        }
        isCommitting = true
        pending.append(PendingBatch(batches: batches, refusals: refusals, count: count, waiter: nil))
        return try await lead()
    }

    /// Commits everything that waits, the caller's own batch being among it, and hands the lead on.
    private func lead() async throws(StoreError) -> [Receipt] {
        let group = pending
        pending = []
        let result: Result<[[Receipt]], StoreError>
        do throws(StoreError) {
            result = .success(try await commit(group))
        } catch {
            result = .failure(error)
        }
        pendingCount -= group.reduce(0) { $0 + $1.count }
        var own: Result<[Receipt], StoreError> = .success([])
        for (index, batch) in group.enumerated() {
            let answer = result.map { $0[index] }
            if let waiter = batch.waiter { waiter.resume(returning: .finished(answer)) } else { own = answer }
        }
        handOn()
        return try own.get()
    }

    /// Makes one that waits the next leader: nobody works for others longer than one commit.
    private func handOn() {
        if pending.isEmpty {
            isCommitting = false
            let waiters = quietWaiters
            quietWaiters = []
            for waiter in waiters { waiter.resume() }
        } else {
            let next = pending[0].waiter
            pending[0].waiter = nil
            next?.resume(returning: .lead)
        }
    }

    /// Runs `body` while nothing is recorded and nothing updated; what comes meanwhile waits.
    func whileAlone<R>(_ body: () async throws(StoreError) -> R) async throws(StoreError) -> R {
        while isCommitting { await withCheckedContinuation { quietWaiters.append($0) } }
        isCommitting = true
        defer { handOn() }
        // In this order, as a commit that folds does: two that each wait for the other cannot be.
        return try await whileUpdating(body)
    }

    private func commit(_ group: [PendingBatch]) async throws(StoreError) -> [[Receipt]] {
        try await foldWhenLong()
        try await loadTracks(Set(group.flatMap { $0.batches.map(\.device) }))
        let now = clock()
        var work = GroupWork()
        for batch in group { work.add(batch, tracks: tracks) }
        if !work.requests.isEmpty {
            let requests = work.requests.sorted { $0.key < $1.key }
            let held = try await storage.chunks(
                holding: requests.map { device, times in
                    ChunkRequest(
                        device: tracks[device]?.state.number ?? DeviceNumber(rawValue: 0),
                        times: times.sorted()
                    )
                }
            )
            try work.take(held, for: requests.map(\.key))
        }
        let outcome = work.finish(group, tracks: tracks, now: now)
        guard !outcome.transaction.isEmpty else { return outcome.receipts }
        let receipt = try await storage.commit(outcome.transaction)
        for ((device, entry), sequence) in zip(outcome.entries, receipt.journalSequences) {
            tracks[device]?.append(entry.positions, newCount: entry.newCount, sequence: sequence, now: now)
            journalCount += entry.positions.count
        }
        return outcome.receipts
    }

    /// Keeps the journal, and what is in memory of it, within its limit.
    private func foldWhenLong() async throws(StoreError) {
        guard journalCount >= nextFold else { return }
        try await update(asOf: clock(), folding: .due, derives: false)
        if journalCount >= configuration.journalLimit {
            try await update(asOf: clock(), folding: .everything, derives: false)
        }
        // What is left is too short to be due: it has to grow again before it is worth looking.
        nextFold = max(configuration.journalLimit / 2, (journalCount + configuration.journalLimit) / 2)
    }

    private func loadTracks(_ devices: Set<DeviceID>) async throws(StoreError) {
        let unknown = devices.filter { tracks[$0] == nil }.sorted()
        guard !unknown.isEmpty else { return }
        for state in try await storage.states(of: unknown) where tracks[state.device] == nil {
            tracks[state.device] = LiveTrack(state: state)
        }
    }

    // MARK: One update at a time

    /// Runs `body` while no other update runs; recording goes on.
    func whileUpdating<R>(_ body: () async throws(StoreError) -> R) async throws(StoreError) -> R {
        while isUpdating { await withCheckedContinuation { updateWaiters.append($0) } }
        isUpdating = true
        defer {
            isUpdating = false
            let waiters = updateWaiters
            updateWaiters = []
            for waiter in waiters { waiter.resume() }
        }
        return try await body()
    }
}

/// A batch that waits for its commit.
struct PendingBatch {
    enum Answer: Sendable {
        case finished(Result<[Recorder.Receipt], StoreError>)
        /// The batch still waits, and its caller commits it with the others.
        case lead
    }

    var batches: [PositionBatch]
    var refusals: [Refusal]
    var count: Int
    var waiter: CheckedContinuation<Answer, Never>?
}

extension StoreTransaction {
    var isEmpty: Bool {
        journal.isEmpty && attributes.isEmpty && refusals.isEmpty && tracks.isEmpty && histories.isEmpty
            && states.isEmpty
    }
}
