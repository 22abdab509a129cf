import Gazetteer
package import Telemetry
package import TripStore

/// From a point to its address: cache, offline index, then the providers in order, until the wanted level is reached.
package struct Resolver: Sendable {
    /// How a search ended.
    package enum End: Hashable, Sendable {
        case resolved(Address)
        case nothing
        /// Not all have answered: again at the time; the best so far is shown meanwhile.
        case again(Timestamp, reason: String, countsAttempt: Bool, best: Address?)
        /// Not all have answered, and none of them will before a person has looked.
        case dead(reason: String, best: Address?)
    }

    package let offline: OfflineStep?
    package let sources: [ProviderSource]
    let storage: any GeocodeStorage
    let clock: any GeocodeClock
    let policy: RetryPolicy
    let jitter: Jitter
    let patience: Int64

    package init(
        offline: OfflineStep?,
        sources: [ProviderSource] = [],
        storage: any GeocodeStorage,
        clock: any GeocodeClock = WallClock(),
        policy: RetryPolicy = RetryPolicy(),
        jitter: Jitter = .random,
        patience: Int64 = 10_000
    ) {
        self.offline = offline
        self.sources = sources
        self.storage = storage
        self.clock = clock
        self.policy = policy
        self.jitter = jitter
        self.patience = patience
    }

    /// Looks for the address of a point.
    ///
    /// - Parameters:
    ///   - question: the point, the language and the wanted level.
    ///   - attempts: failed tries before this one.
    /// - Returns: how the search ended.
    /// - Throws: `StoreError`; what providers did is an end.
    package func resolve(_ question: GeocodeQuestion, attempts: Int = 0) async throws(StoreError) -> End {
        var search = Search(wanted: question.wanted)
        var verdicts: [Coverage.Verdict?] = []
        for source in sources {
            let verdict = try await CacheStep(source: source, storage: storage).verdict(
                on: question,
                now: clock.now()
            )
            verdicts.append(verdict)
            if let address = address(of: verdict, question: question, terms: source.terms) {
                search.consider(address)
                if search.isDone { return search.end }
            }
        }
        if let offline {
            do {
                if let address = try offline.answer(to: question, now: clock.now()) { search.consider(address) }
            } catch {
                search.broken = "offline: \(error.message)"
            }
            if search.isDone { return search.end }
        }
        for (source, verdict) in zip(sources, verdicts) {
            // A coarse or negative single answer close by is this provider's answer already.
            if case .single = verdict { continue }
            let step = ProviderStep(
                source: source,
                storage: storage,
                clock: clock,
                policy: policy,
                jitter: jitter,
                patience: patience
            )
            search.take(try await step.ask(question, known: verdict))
            if search.isDone { return search.end }
        }
        return search.end(attempts: attempts, policy: policy, now: clock.now(), jitter: jitter.next())
    }

    private func address(
        of verdict: Coverage.Verdict?,
        question: GeocodeQuestion,
        terms: ProviderTerms
    ) -> Address? {
        switch verdict {
        case .house(var house, let distance):
            house.distance = distance
            return house
        case .single(var address?):
            address.distance = address.point.map { $0.distance(to: question.point) }
            return address
        case .single(nil), .noHouse, nil: return nil
        }
    }
}

/// What the sources said so far; decides without asking anybody.
struct Search {
    let wanted: AddressLevel
    private(set) var best: Address?
    private var parked: (until: Timestamp, reason: String)?
    private var transient: String?
    /// Why a source will not answer before a person has looked.
    var broken: String?

    init(wanted: AddressLevel) { self.wanted = wanted }

    /// Whether the wanted level is reached.
    var isDone: Bool { best.map { $0.level.satisfies(wanted) } ?? false }

    /// The end of a search that is done.
    var end: Resolver.End { best.map { .resolved($0) } ?? .nothing }

    mutating func consider(_ address: Address) {
        if let best, best.level <= address.level { return }
        best = address
    }

    mutating func take(_ end: ProviderStep.End) {
        switch end {
        case .answer(let address): consider(address)
        case .nothing: break
        case .parked(let until, let reason):
            if let parked, parked.until <= until { return }
            parked = (until, reason)
        case .transient(let reason): transient = transient ?? reason
        case .denied(let reason), .badRequest(let reason): broken = broken ?? reason
        }
    }

    /// The end when every source was asked or could not be.
    func end(attempts: Int, policy: RetryPolicy, now: Timestamp, jitter: Double) -> Resolver.End {
        if isDone { return end }
        if let transient {
            if let next = policy.nextTry(after: attempts + 1, now: now, jitter: jitter) {
                return .again(next, reason: transient, countsAttempt: true, best: best)
            }
            if parked == nil { return .dead(reason: transient, best: best) }
        }
        if let parked { return .again(parked.until, reason: parked.reason, countsAttempt: false, best: best) }
        if let broken { return .dead(reason: broken, best: best) }
        return end
    }
}
