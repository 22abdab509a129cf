import Telemetry
package import TripStore

/// Drains the store's geocode queue: leases due tasks, resolves them and settles them.
///
/// Any number of queues, also in other processes, may drain one store: tasks are leased, calls are counted before they
/// are made, and a lease that ran out is due again.
package struct GeocodeQueue: Sendable {
    /// How a queue works.
    package struct Configuration: Sendable {
        package var language = "en"
        package var wanted: AddressLevel = .house
        /// Named in leases: unique to this process and run.
        package var owner: String
        /// Milliseconds after which another may take a task that this one leased.
        package var lease: Int64 = 180_000
        /// Tasks leased at once when every answer is immediate.
        package var batch = 256
        /// Milliseconds between two looks for work that was lost.
        package var reconciliation: Int64 = 3_600_000

        package init(owner: String) { self.owner = owner }
    }

    /// What a run has done so far.
    package struct Progress: Hashable, Sendable {
        package var resolved = 0
        package var provisional = 0
        package var nothing = 0
        package var postponed = 0
        package var dead = 0
        /// How many wait: those at the start of the run but for what was settled or postponed since.
        package var waiting: Int64 = 0

        package init() {}

        package var settled: Int { resolved + nothing + dead }
    }

    let storage: any GeocodeStorage
    /// One a lane: each has its own connections.
    let resolvers: [Resolver]
    let configuration: Configuration
    let clock: any GeocodeClock

    /// Makes a queue; nothing runs yet.
    ///
    /// - Parameters:
    ///   - storage: the store.
    ///   - resolvers: at least one, one for each task that may be under way at once.
    ///   - configuration: how it works.
    ///   - clock: what time it is.
    package init(
        storage: any GeocodeStorage,
        resolvers: [Resolver],
        configuration: Configuration,
        clock: any GeocodeClock = WallClock()
    ) {
        precondition(!resolvers.isEmpty, "a queue without a resolver would never end")
        self.storage = storage
        self.resolvers = resolvers
        self.configuration = configuration
        self.clock = clock
    }

    /// Resolves what is due, and what becomes due within a few seconds, then returns.
    ///
    /// - Parameter report: told after every step what was done; called from several tasks.
    /// - Returns: what was done.
    /// - Throws: `StoreError`; when `isTransient`, running again continues.
    @discardableResult
    package func drain(
        report: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws(StoreError) -> Progress {
        try await reconcile()
        return try await work(forever: false, report: report)
    }

    /// Resolves what is due whenever something is, until cancelled.
    ///
    /// - Throws: `StoreError` that is not transient.
    package func run(report: @escaping @Sendable (Progress) -> Void = { _ in }) async throws(StoreError) {
        while !Task.isCancelled {
            do {
                try await reconcile()
                try await work(forever: true, report: report)
            } catch {
                guard error.isTransient else { throw error }
                do { try await clock.sleep(until: clock.now() + 1000) } catch { return }
            }
        }
    }

    /// Derives tasks that are missing, puts those back whose answers are of another language or of fewer sources, and
    /// removes what expired from the cache.
    package func reconcile() async throws(StoreError) {
        _ = try await storage.compactGeocodeCache(now: clock.now())
        _ = try await storage.reconcileGeocodeTasks(
            GeocodeDemand(language: configuration.language, wanted: configuration.wanted, sources: sourceNames),
            now: clock.now()
        )
    }

    var sourceNames: [String] {
        (resolvers[0].offline == nil ? [] : [OfflineStep.providerName]) + resolvers[0].sources.map(\.name)
    }

    @discardableResult
    private func work(
        forever: Bool,
        report: @escaping @Sendable (Progress) -> Void
    ) async throws(StoreError) -> Progress {
        let status = try await storage.geocodeStatus(now: clock.now())
        let tally = Tally(waiting: status.waiting + status.inFlight)
        let end = clock.now() + configuration.reconciliation
        let failure = await withTaskGroup(of: StoreError?.self) { group in
            for (number, resolver) in resolvers.enumerated() {
                let lane = GeocodeLane(
                    queue: self,
                    resolver: resolver,
                    owner: "\(configuration.owner)/\(number)",
                    tally: tally,
                    endsWhenIdle: !forever,
                    end: forever ? end : nil,
                    report: report
                )
                group.addTask { await lane.run() }
            }
            var failure: StoreError?
            for await error in group {
                guard let error else { continue }
                failure = failure ?? error
                group.cancelAll()
            }
            return failure
        }
        if let failure { throw failure }
        return tally.progress
    }
}
