package import Telemetry
package import TripStore

/// A provider with its terms and the way to it.
package struct ProviderSource: Sendable {
    package let provider: any GeocodeProvider
    package let terms: ProviderTerms
    package let transport: any HTTPTransport

    package init(provider: any GeocodeProvider, terms: ProviderTerms, transport: any HTTPTransport) {
        self.provider = provider
        self.terms = terms
        self.transport = transport
    }

    package var name: String { provider.name }

    func cacheKey(for question: GeocodeQuestion) -> GeocodeCacheKey {
        GeocodeCacheKey(provider: name, language: question.language)
    }
}

/// The step that answers from what a provider said before.
package struct CacheStep: Sendable {
    let source: ProviderSource
    let storage: any GeocodeStorage

    /// What can be proven.
    ///
    /// - Parameters:
    ///   - question: the point and the language.
    ///   - now: what expired by then is not used.
    /// - Returns: nil when the provider would have to be asked.
    /// - Throws: `StoreError`.
    package func verdict(
        on question: GeocodeQuestion,
        now: Timestamp
    ) async throws(StoreError) -> Coverage.Verdict? {
        guard source.terms.mayCache else { return nil }
        let cached = try await storage.cachedAnswers(
            near: question.point,
            key: source.cacheKey(for: question),
            now: now
        )
        return Coverage.verdict(on: question.point, from: cached)
    }
}

/// The step that asks a provider over the network, within its budget.
package struct ProviderStep: Sendable {
    /// How the step ended.
    package enum End: Hashable, Sendable {
        case answer(Address)
        case nothing
        /// The provider was not asked, or said "later".
        case parked(until: Timestamp, reason: String)
        /// No call before a person has looked.
        case denied(String)
        case transient(String)
        case badRequest(String)
    }

    let source: ProviderSource
    let storage: any GeocodeStorage
    let clock: any GeocodeClock
    let policy: RetryPolicy
    let jitter: Jitter
    /// How long a call may wait for its turn, in milliseconds.
    let patience: Int64

    /// Asks, step by step, until something is found.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - verdict: what the cache proved before: where there is no house, houses are not asked for again.
    /// - Returns: how it ended.
    /// - Throws: `StoreError`; what the provider or the network did is an end.
    package func ask(
        _ question: GeocodeQuestion,
        known verdict: Coverage.Verdict?
    ) async throws(StoreError) -> End {
        // Receivers without a fix send zeros: nobody lives there.
        guard question.point.isValid, !question.point.isZero else { return .nothing }
        for step in source.provider.steps(for: question.wanted) {
            if step == .houses, verdict == .noHouse { continue }
            if let parked = try await turn() { return parked }
            let outcome: GeocodeOutcome
            do {
                let reply = try await source.transport.send(source.provider.request(for: question, step: step))
                outcome = source.provider.outcome(of: reply, step: step, now: clock.now())
            } catch {
                // A wrong URL or a failed TLS check will not pass; the item is not to blame.
                outcome =
                    error.kind == .security || error.kind == .unusable
                    ? .denied(error.message) : .transient(error.message)
            }
            if let end = try await settle(outcome, step: step, question: question) { return end }
        }
        return .nothing
    }

    /// Waits until the provider may be called; the call is counted then.
    ///
    /// - Returns: nil when it is to be made now.
    private func turn() async throws(StoreError) -> End? {
        let start = clock.now()
        while true {
            let now = clock.now()
            let request = CallRequest(
                provider: source.name,
                interval: source.terms.interval,
                daily: source.terms.daily,
                day: source.terms.day(of: now)
            )
            switch try await storage.reserveCall(request, now: now) {
            case .granted: return nil
            case .denied(let reason): return .denied("\(source.name): \(reason)")
            case .paused(let until, let reason):
                guard until - start <= patience else {
                    return .parked(until: until, reason: "\(source.name): \(reason)")
                }
                do { try await clock.sleep(until: until) } catch { return .parked(until: now, reason: "stopped") }
            }
        }
    }

    /// Writes down an outcome.
    ///
    /// - Returns: nil when the next step is to be asked.
    private func settle(
        _ outcome: GeocodeOutcome,
        step: GeocodeStep,
        question: GeocodeQuestion
    ) async throws(StoreError) -> End? {
        let now = clock.now()
        switch outcome {
        case .found(let found):
            try await record(.answered)
            return try await keep(found, step: step, question: question, now: now)
        case .nothing:
            try await record(.answered)
            return try await keep([], step: step, question: question, now: now)
        case .transient(let reason):
            try await record(.failed(reason: reason, jitter: jitter.next()))
            return .transient("\(source.name): \(reason)")
        case .throttled(let until, let reason):
            let until = until ?? now + Int64(Double(policy.throttlePause) * (1 + jitter.next() / 4))
            try await record(.paused(until: until, reason: reason))
            return .parked(until: until, reason: "\(source.name): \(reason)")
        case .quota(let until, let reason):
            let until = until ?? source.terms.day(of: now).upperBound
            try await record(.paused(until: until, reason: "quota: \(reason)"))
            return .parked(until: until, reason: "\(source.name): quota: \(reason)")
        case .denied(let reason):
            try await record(.denied(reason: reason))
            return .denied("\(source.name): \(reason)")
        case .badRequest(let reason):
            try await record(.answered)
            return .badRequest("\(source.name): \(reason)")
        }
    }

    private func record(_ result: CallResult) async throws(StoreError) {
        try await storage.recordCall(result, provider: source.name, now: clock.now())
    }

    /// Keeps what was found, as far as the terms allow, and picks the answer.
    private func keep(
        _ found: [FoundAddress],
        step: GeocodeStep,
        question: GeocodeQuestion,
        now: Timestamp
    ) async throws(StoreError) -> End? {
        let terms = source.terms
        let addresses = found.map {
            $0.address(to: question, provider: source.name, now: now, expiry: terms.expiry(from: now))
        }
        if step == .houses {
            let houses = addresses.filter { $0.level <= .interpolated && $0.point != nil }
            let search = source.provider.houseSearch
            let radius = Coverage.radius(
                of: houses.compactMap(\.point),
                around: question.point,
                limit: search.limit,
                searched: search.radius
            )
            if terms.mayCache, let radius, radius > 0 {
                try await cache(
                    .houses(
                        houses,
                        around: question.point,
                        radius: radius,
                        expiry: terms.cacheExpiry(from: now)
                    ),
                    question,
                    now
                )
            }
            // The first is the provider's nearest.
            guard let nearest = houses.first, (nearest.distance ?? 0) <= Coverage.houseReach else { return nil }
            if terms.mayCache, radius == nil {
                try await cache(
                    .single(nearest, at: question.point, expiry: terms.cacheExpiry(from: now)),
                    question,
                    now
                )
            }
            return .answer(nearest)
        }
        let best = addresses.first { $0.level != .none }
        if terms.mayCache {
            let expiry = best == nil ? terms.negativeExpiry(from: now) : terms.cacheExpiry(from: now)
            try await cache(.single(best, at: question.point, expiry: expiry), question, now)
        }
        return best.map { .answer($0) }
    }

    private func cache(_ answer: CachedAnswer, _ question: GeocodeQuestion, _ now: Timestamp) async throws(StoreError) {
        try await storage.cacheAnswer(answer, key: source.cacheKey(for: question), now: now)
    }
}
