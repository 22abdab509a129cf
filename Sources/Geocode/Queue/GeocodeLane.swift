import Synchronization
import Telemetry
import TripStore

/// One of the workers of a queue: it handles one task at a time.
struct GeocodeLane: Sendable {
    let queue: GeocodeQueue
    let resolver: Resolver
    let owner: String
    let tally: Tally
    /// Whether it returns when nothing is due soon.
    let endsWhenIdle: Bool
    /// When it returns anyway.
    let end: Timestamp?
    let report: @Sendable (GeocodeQueue.Progress) -> Void

    private var storage: any GeocodeStorage { queue.storage }
    private var clock: any GeocodeClock { queue.clock }

    /// Works until there is nothing to do or the task is cancelled.
    ///
    /// - Returns: why the store refused, if it did.
    func run() async -> StoreError? {
        do {
            while !Task.isCancelled, end.map({ clock.now() < $0 }) ?? true {
                if try await handleBatch() { continue }
                guard try await waitForWork() else { return nil }
            }
            return nil
        } catch let error as StoreError {
            return error
        } catch {
            return nil  // cancelled while asleep
        }
    }

    /// Leases some tasks, resolves and settles them.
    ///
    /// - Returns: false when there were none.
    private func handleBatch() async throws(StoreError) -> Bool {
        let now = clock.now()
        let isRemote = !resolver.sources.isEmpty
        let tasks = try await storage.leaseGeocodeTasks(
            limit: isRemote ? min(16, queue.configuration.batch) : queue.configuration.batch,
            onePerCell: isRemote,
            owner: owner,
            now: now,
            until: now + queue.configuration.lease
        )
        guard !tasks.isEmpty else { return false }
        var outcomes: [GeocodeSettlement] = []
        for task in tasks {
            // Slow answers must not outlive the lease: what is left goes back.
            let isLate = Task.isCancelled || clock.now() - now > queue.configuration.lease / 3
            outcomes.append(
                isLate
                    ? GeocodeSettlement(task: task, result: .released, sources: queue.sourceNames)
                    : try await settlement(of: task)
            )
        }
        try await storage.settleGeocodeTasks(outcomes, owner: owner, now: clock.now())
        tally.count(outcomes)
        report(tally.progress)
        return true
    }

    private func settlement(of task: GeocodeTask) async throws(StoreError) -> GeocodeSettlement {
        let configuration = queue.configuration
        let question = GeocodeQuestion(
            point: task.point,
            language: configuration.language,
            wanted: configuration.wanted
        )
        let result: GeocodeSettlement.Result =
            switch try await resolver.resolve(question, attempts: task.attempts) {
            case .resolved(let address): .resolved(address)
            case .nothing: .nothing(expiry: clock.now() + 30 * 86_400_000)
            case .again(let next, let reason, let countsAttempt, let best):
                .again(next, reason: reason, countsAttempt: countsAttempt, provisional: best)
            case .dead(let reason, let best): .dead(reason: reason, provisional: best)
            }
        return GeocodeSettlement(task: task, result: result, sources: queue.sourceNames)
    }

    /// Sleeps until something may be due.
    ///
    /// - Returns: false when there is nothing to wait for.
    private func waitForWork() async throws -> Bool {
        let now = clock.now()
        let next = try await storage.nextGeocodeTime()
        if endsWhenIdle {
            guard let next, next <= now + resolver.patience else { return false }
            // Due and not to be had: a neighbour of it is under way.
            try await clock.sleep(until: max(next, now + 20))
        } else {
            // New trips come without a word: look every second.
            try await clock.sleep(until: min(max(next ?? now + 1000, now + 20), now + 1000))
        }
        return true
    }
}

/// What all lanes of a run have done.
final class Tally: Sendable {
    private let state: Mutex<GeocodeQueue.Progress>

    init(waiting: Int64) {
        var progress = GeocodeQueue.Progress()
        progress.waiting = waiting
        state = Mutex(progress)
    }

    var progress: GeocodeQueue.Progress { state.withLock { $0 } }

    func count(_ outcomes: [GeocodeSettlement]) {
        state.withLock { progress in
            for outcome in outcomes {
                switch outcome.result {
                case .resolved: progress.resolved += 1
                case .nothing: progress.nothing += 1
                case .again(_, _, _, let address):
                    progress.postponed += 1
                    if address != nil { progress.provisional += 1 }
                case .dead: progress.dead += 1
                case .released: continue
                }
                progress.waiting = max(0, progress.waiting - 1)
            }
        }
    }
}
