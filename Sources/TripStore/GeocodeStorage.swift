package import Telemetry

/// The geocode queue, the address cache and the accounts of the providers, in the store.
///
/// Several processes may use one store at once: each operation is one transaction and holds by itself.
package protocol GeocodeStorage: Sendable {
    // MARK: The queue

    /// Leases the due tasks that come first: by priority, then the newest.
    ///
    /// A task whose lease ran out is due again, and is counted as one more attempt.
    ///
    /// - Parameters:
    ///   - limit: no more tasks than this.
    ///   - onePerCell: whether only one task of a cell (`GeoCell`) is leased at a time, so that neighbours do not ask a
    ///     provider for the same houses at once.
    ///   - owner: who leases, unique among all processes.
    ///   - now: what is due by then.
    ///   - until: when others may take the tasks over.
    /// - Returns: the tasks, in the order in which they come.
    /// - Throws: `StoreError`.
    func leaseGeocodeTasks(
        limit: Int,
        onePerCell: Bool,
        owner: String,
        now: Timestamp,
        until: Timestamp
    ) async throws(StoreError) -> [GeocodeTask]
    /// Ends or parks leased tasks; the outcomes of tasks that this owner no longer holds are dropped.
    ///
    /// - Returns: how many were still held.
    @discardableResult
    func settleGeocodeTasks(
        _ outcomes: [GeocodeSettlement],
        owner: String,
        now: Timestamp
    ) async throws(StoreError)
        -> Int
    /// When the next waiting task is due or a lease runs out; nil when nothing waits.
    func nextGeocodeTime() async throws(StoreError) -> Timestamp?
    /// Makes tasks for the places whose address is missing, expired, in another language, or coarser than wanted while
    /// a source was not asked yet.
    ///
    /// - Returns: how many tasks were made.
    @discardableResult
    func reconcileGeocodeTasks(_ demand: GeocodeDemand, now: Timestamp) async throws(StoreError) -> Int
    /// Puts dead and parked tasks back to the start of the queue.
    ///
    /// - Returns: how many.
    @discardableResult
    func retryGeocodeTasks(now: Timestamp) async throws(StoreError) -> Int
    /// Asks again for the places whose address matches; the old address is shown until the new one is there.
    ///
    /// - Returns: how many.
    @discardableResult
    func refreshAddresses(_ selection: AddressSelection, now: Timestamp) async throws(StoreError) -> Int
    /// Asks first for the places of these trips, since a reader waits.
    func prioritizeGeocodeTasks(of trips: [TripID], now: Timestamp) async throws(StoreError)
    func geocodeStatus(now: Timestamp) async throws(StoreError) -> GeocodeStatus
    /// The language in which the store's addresses are wanted; nil before it was chosen.
    func addressLanguage() async throws(StoreError) -> String?
    func setAddressLanguage(_ language: String) async throws(StoreError)

    // MARK: Places

    /// The places near a point, within a few tens of metres.
    func stopPlaces(near point: Coordinate) async throws(StoreError) -> [StopPlaceRecord]
    /// The stop places of a trip's two ends.
    func stopPlaces(of trip: TripID) async throws(StoreError) -> (begin: StopPlaceRecord?, end: StopPlaceRecord?)
    /// Sets the address of a place by hand, or with nil takes it off; it survives refresh.
    func correctAddress(ofPlace place: Int64, line: String?, now: Timestamp) async throws(StoreError)
    /// Adds a place of the user's or changes the one of that name, also for the trips that are there already.
    ///
    /// - Returns: how many trips are now shown in another way.
    @discardableResult
    func setUserPlaces(_ places: [UserPlace]) async throws(StoreError) -> Int
    /// Removes a place.
    ///
    /// - Returns: how many trips are now shown in another way; nil when there is none of that name.
    func removeUserPlace(named name: String) async throws(StoreError) -> Int?
    func userPlaces() async throws(StoreError) -> [UserPlace]

    // MARK: The cache

    /// The houses and disks that can answer for a point, and the single answers close to it, not expired.
    func cachedAnswers(
        near point: Coordinate,
        key: GeocodeCacheKey,
        now: Timestamp
    ) async throws(StoreError)
        -> CachedAnswers
    /// Keeps a provider's answer; what lies within its disk and was not named again is forgotten.
    func cacheAnswer(_ answer: CachedAnswer, key: GeocodeCacheKey, now: Timestamp) async throws(StoreError)
    /// Removes what expired, and disks that lie within others.
    ///
    /// - Returns: how many rows went.
    @discardableResult
    func compactGeocodeCache(now: Timestamp) async throws(StoreError) -> Int

    // MARK: The accounts of the providers

    /// Counts one call before it is made, if the provider may be called.
    func reserveCall(_ request: CallRequest, now: Timestamp) async throws(StoreError) -> CallReservation
    /// Writes down how a call ended, for the breaker and the pauses that all processes keep.
    func recordCall(_ result: CallResult, provider: String, now: Timestamp) async throws(StoreError)
    /// Allows calls again that a denial, a pause or the breaker forbade; budgets stay spent.
    func resetProviders() async throws(StoreError)
}

/// A place that waits for its address.
package struct GeocodeTask: Hashable, Sendable {
    /// What comes first; less is earlier.
    package enum Priority: UInt8, CaseIterable, Sendable {
        /// A reader waits.
        case reader
        /// A new trip.
        case new
        /// A refresh, or history.
        case backfill
    }

    package var place: Int64
    /// The place's centre.
    package var point: Coordinate
    package var priority: Priority
    /// Tries that failed so far.
    package var attempts: Int
    /// Counted up by each lease; an outcome holds only for its own.
    package var lease: Int64
    /// What is shown meanwhile.
    package var provisional: Address?

    package init(
        place: Int64,
        point: Coordinate,
        priority: Priority,
        attempts: Int,
        lease: Int64,
        provisional: Address?
    ) {
        self.place = place
        self.point = point
        self.priority = priority
        self.attempts = attempts
        self.lease = lease
        self.provisional = provisional
    }
}

/// What addresses are to be like.
package struct GeocodeDemand: Hashable, Sendable {
    package var language: String
    package var wanted: AddressLevel
    /// Names of the sources that are asked, in order.
    package var sources: [String]

    package init(language: String, wanted: AddressLevel, sources: [String]) {
        self.language = language
        self.wanted = wanted
        self.sources = sources
    }
}

/// How a leased task ended.
package struct GeocodeSettlement: Sendable {
    package enum Result: Sendable {
        case resolved(Address)
        /// The provider knows nothing there; asked again at the time, if any.
        case nothing(expiry: Timestamp?)
        /// Not ended: to be tried again. An address is shown as provisional.
        case again(Timestamp, reason: String, countsAttempt: Bool, provisional: Address?)
        /// Given up: nothing but `retry` brings it back. An address is shown as provisional.
        case dead(reason: String, provisional: Address?)
        /// Not tried: as it was before the lease.
        case released
    }

    package var task: GeocodeTask
    package var result: Result
    /// Names of the sources that were to be asked.
    package var sources: [String]

    package init(task: GeocodeTask, result: Result, sources: [String]) {
        self.task = task
        self.result = result
        self.sources = sources
    }
}

/// A place where trips begin and end, as it is stored.
package struct StopPlaceRecord: Hashable, Sendable {
    package var id: Int64
    package var place: StopPlace
    package var address: AddressState
    /// The line that a person set by hand.
    package var corrected: String?

    package init(id: Int64, place: StopPlace, address: AddressState, corrected: String?) {
        self.id = id
        self.place = place
        self.address = address
        self.corrected = corrected
    }
}

/// Which addresses are to be asked for again; nil takes all.
package struct AddressSelection: Sendable {
    package var provider: String?
    /// Resolved before this.
    package var before: Timestamp?
    /// South-west and north-east corner.
    package var box: (southWest: Coordinate, northEast: Coordinate)?
    /// In another language than this.
    package var otherThanLanguage: String?

    package init() {}
}

/// Whose answers and in which language.
package struct GeocodeCacheKey: Hashable, Sendable {
    package var provider: String
    package var language: String

    package init(provider: String, language: String) {
        self.provider = provider
        self.language = language
    }
}

/// An answer that a provider gave.
package enum CachedAnswer: Sendable {
    /// All houses within the radius of the question are these; each has its point.
    case houses([Address], around: Coordinate, radius: Double, expiry: Timestamp?)
    /// One answer, or nil for nothing, good only close to the question.
    case single(Address?, at: Coordinate, expiry: Timestamp?)
}

/// What the cache holds near a point.
package struct CachedAnswers: Sendable {
    /// The houses within `Coverage.highestRadius`, each with its point.
    package var houses: [Address] = []
    /// Where all houses are known, and how far around.
    package var disks: [(centre: Coordinate, radius: Double)] = []
    /// Answers of the single kind within `Coverage.singleRadius`.
    package var singles: [(point: Coordinate, address: Address?)] = []

    package init() {}
}

/// A wish to call a provider once.
package struct CallRequest: Sendable {
    package var provider: String
    /// The least time between two calls, in milliseconds.
    package var interval: Int64
    /// Calls in one of the provider's days; nil for no limit.
    package var daily: Int64?
    /// The first instant of the provider's day and of the one after, for the time of asking.
    package var day: Range<Timestamp>

    package init(provider: String, interval: Int64, daily: Int64?, day: Range<Timestamp>) {
        self.provider = provider
        self.interval = interval
        self.daily = daily
        self.day = day
    }
}

/// Whether a call may be made.
package enum CallReservation: Hashable, Sendable {
    /// It is counted, and is to be made now: no turn is given ahead, so that a late caller does not meet the next one.
    case granted
    /// Not before this time, with the reason.
    case paused(until: Timestamp, reason: String)
    /// The provider said no, with its reason; only `retry` allows it again.
    case denied(reason: String)
}

/// How a call ended, as far as the provider's account is concerned.
package enum CallResult: Hashable, Sendable {
    case answered
    /// Failed in a way that may pass; the next pause of the breaker, if this one opens it, lies between the bounds.
    case failed(reason: String, jitter: Double)
    /// The provider is to be left alone until the time.
    case paused(until: Timestamp, reason: String)
    case denied(reason: String)
}

/// The queue and the providers' accounts at one instant.
package struct GeocodeStatus: Hashable, Sendable {
    package struct Provider: Hashable, Sendable {
        package var name: String
        /// Counted in the provider's current day.
        package var callsToday: Int64 = 0
        package var dailyLimit: Int64?
        package var nextReset: Timestamp?
        package var pausedUntil: Timestamp?
        /// Why it is paused or denied.
        package var reason: String?
        package var isDenied = false

        package init(name: String) { self.name = name }
    }

    /// Places by state.
    package var resolved: Int64 = 0
    package var provisional: Int64 = 0
    package var nothing: Int64 = 0
    package var pending: Int64 = 0
    package var failed: Int64 = 0
    /// Tasks that are due or will be.
    package var waiting: Int64 = 0
    package var inFlight: Int64 = 0
    /// Waiting tasks by why they did not end yet; tasks that nobody tried are not among them.
    package var waitingReasons: [String: Int64] = [:]
    /// Dead tasks by why.
    package var deadReasons: [String: Int64] = [:]
    package var nextTry: Timestamp?
    package var providers: [Provider] = []

    package init() {}
}
