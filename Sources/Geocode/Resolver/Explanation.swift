import Gazetteer
package import Telemetry
package import TripStore

/// What each step of the resolver says about a point; no provider is called.
package struct Explanation: Sendable {
    /// One step's word.
    package struct Step: Hashable, Sendable {
        /// `user's place`, `corrected`, `stop place`, `cache of …`, `offline`, or a provider's name.
        package var name: String
        /// For people.
        package var said: String
        /// Whether this is what is shown.
        package var isShown: Bool
    }

    package private(set) var steps: [Step] = []

    /// Asks every step in order.
    ///
    /// - Parameters:
    ///   - question: the point, the language and the wanted level.
    ///   - place: the stop place of the endpoint, if the point is one; nil takes the one that would be joined.
    ///   - resolver: with the offline index and the providers.
    ///   - storage: the store.
    ///   - now: for what expired or is paused.
    /// - Throws: `StoreError`.
    package init(
        _ question: GeocodeQuestion,
        place: StopPlaceRecord? = nil,
        resolver: Resolver,
        storage: any GeocodeStorage,
        now: Timestamp
    ) async throws(StoreError) {
        let userPlaces = try await storage.userPlaces()
        let named = UserPlace.naming(question.point, among: userPlaces)
        add("user's place", named?.name ?? "none of \(userPlaces.count) holds the point", shows: named != nil)
        try await addStopPlace(place, question: question, storage: storage)
        for source in resolver.sources {
            let verdict = try await CacheStep(source: source, storage: storage).verdict(on: question, now: now)
            addCache(verdict, of: source.name)
        }
        addOffline(resolver.offline, question: question, now: now)
        let status = try await storage.geocodeStatus(now: now)
        for source in resolver.sources {
            let account = status.providers.first { $0.name == source.name }
            add(source.name, Explanation.word(of: account, source: source), shows: false)
        }
    }

    private var isShown: Bool { steps.contains(where: \.isShown) }

    private mutating func add(_ name: String, _ said: String, shows: Bool) {
        steps.append(Step(name: name, said: said, isShown: shows && !isShown))
    }

    private mutating func addStopPlace(
        _ known: StopPlaceRecord?,
        question: GeocodeQuestion,
        storage: any GeocodeStorage
    ) async throws(StoreError) {
        var place = known
        if place == nil {
            let near = try await storage.stopPlaces(near: question.point)
            let key = StopPlace.joined(
                by: question.point,
                among: near.map { (key: $0.id, centre: $0.place.centre) }
            )
            place = near.first { $0.id == key }
        }
        guard let place else { return add("stop place", "none within 25 m", shows: false) }
        if let line = place.corrected { add("corrected", line, shows: true) }
        let distance = Int(place.place.centre.distance(to: question.point).rounded())
        let visits = place.place.visitCount == 1 ? "1 visit" : "\(place.place.visitCount) visits"
        var said = "\(visits), centre \(distance) m away, \(place.address.name)"
        if let address = place.address.address {
            said += ": \(address.line) (\(address.level.name), \(address.provider))"
        }
        if case .failed(let reason, _) = place.address { said += ": \(reason)" }
        add("stop place", said, shows: place.address.address != nil)
    }

    private mutating func addCache(_ verdict: Coverage.Verdict?, of name: String) {
        switch verdict {
        case .house(let house, let distance):
            add(
                "cache of \(name)",
                "\(house.line), \(Int(distance.rounded())) m, proven to be the nearest",
                shows: true
            )
        case .noHouse: add("cache of \(name)", "proven: no house within 100 m", shows: false)
        case .single(let address?): add("cache of \(name)", "\(address.line), asked within 5 m", shows: true)
        case .single(nil): add("cache of \(name)", "nothing there, asked within 5 m", shows: false)
        case nil: add("cache of \(name)", "cannot tell", shows: false)
        }
    }

    private mutating func addOffline(_ offline: OfflineStep?, question: GeocodeQuestion, now: Timestamp) {
        guard let offline else { return add("offline", "not asked", shows: false) }
        do {
            guard let address = try offline.answer(to: question, now: now) else {
                return add("offline", "nothing near enough", shows: false)
            }
            add("offline", "\(address.line) (\(address.level.name))", shows: true)
        } catch {
            add("offline", "cannot be read: \(error.message)", shows: false)
        }
    }

    private static func word(of account: GeocodeStatus.Provider?, source: ProviderSource) -> String {
        guard let account else { return "would be asked" }
        let reason = account.reason.map { ": \($0)" } ?? ""
        if account.isDenied { return "off until `odograph geocode retry`\(reason)" }
        if let until = account.pausedUntil { return "paused until \(until.iso8601())\(reason)" }
        if let daily = source.terms.daily, account.callsToday >= daily { return "the day's budget is spent" }
        return "would be asked"
    }
}
