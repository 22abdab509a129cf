package import Telemetry

/// The geocode operations: each is one transaction, so that the daemon and any number of commands can drain one queue
/// at once, beside the one process that writes positions.
extension SQLiteStorage: GeocodeStorage {
    // MARK: The queue

    package func leaseGeocodeTasks(
        limit: Int,
        onePerCell: Bool,
        owner: String,
        now: Timestamp,
        until: Timestamp
    ) async throws(StoreError) -> [GeocodeTask] {
        // Idle workers only read.
        guard let next = try await nextGeocodeTime(), next <= now else { return [] }
        return try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            try connection.leaseTasks(limit: limit, onePerCell: onePerCell, owner: owner, now: now, until: until)
        }
    }

    @discardableResult
    package func settleGeocodeTasks(
        _ outcomes: [GeocodeSettlement],
        owner: String,
        now: Timestamp
    ) async throws(StoreError) -> Int {
        try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            var count = 0
            for outcome in outcomes where try connection.settle(outcome, owner: owner, now: now) { count += 1 }
            return count
        }
    }

    package func nextGeocodeTime() async throws(StoreError) -> Timestamp? {
        try await read { (connection) throws(StoreError) in try connection.nextTaskTime() }
    }

    @discardableResult
    package func reconcileGeocodeTasks(_ demand: GeocodeDemand, now: Timestamp) async throws(StoreError) -> Int {
        try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            try connection.reconcileTasks(demand, now: now)
        }
    }

    @discardableResult
    package func retryGeocodeTasks(now: Timestamp) async throws(StoreError) -> Int {
        try await writeAddresses { (connection) throws(StoreError) in try connection.retryTasks(now: now) }
    }

    @discardableResult
    package func refreshAddresses(_ selection: AddressSelection, now: Timestamp) async throws(StoreError) -> Int {
        try await writeAddresses { (connection) throws(StoreError) in try connection.refreshTasks(selection, now: now) }
    }

    package func prioritizeGeocodeTasks(of trips: [TripID], now: Timestamp) async throws(StoreError) {
        try await writeAddresses { (connection) throws(StoreError) in
            for trip in trips {
                let places = try connection.places(of: trip)
                for place in [places.begin, places.end] {
                    if let place { try connection.prioritize(place.id, now: now) }
                }
            }
        }
    }

    package func geocodeStatus(now: Timestamp) async throws(StoreError) -> GeocodeStatus {
        try await read { (connection) throws(StoreError) in try connection.geocodeStatus(now: now) }
    }

    package func addressLanguage() async throws(StoreError) -> String? {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement("SELECT value FROM meta WHERE name = 'address_language'") {
                (statement) throws(StoreError) in try statement.step() ? statement.text(0) : nil
            }
        }
    }

    package func setAddressLanguage(_ language: String) async throws(StoreError) {
        try await writeAddresses { (connection) throws(StoreError) in
            try connection.withStatement("INSERT OR REPLACE INTO meta VALUES ('address_language', ?)") {
                (statement) throws(StoreError) in
                try statement.bind(language, at: 1)
                try statement.run()
            }
        }
    }

    // MARK: Places

    package func stopPlaces(near point: Coordinate) async throws(StoreError) -> [StopPlaceRecord] {
        try await read { (connection) throws(StoreError) in
            try connection.places(near: point, radius: StopPlace.returnRadius)
        }
    }

    package func stopPlaces(
        of trip: TripID
    ) async throws(StoreError) -> (begin: StopPlaceRecord?, end: StopPlaceRecord?) {
        try await read { (connection) throws(StoreError) in try connection.places(of: trip) }
    }

    package func correctAddress(ofPlace place: Int64, line: String?, now: Timestamp) async throws(StoreError) {
        try await writeAddresses { (connection) throws(StoreError) in
            try connection.correct(place, line: line, now: now)
        }
    }

    @discardableResult
    package func setUserPlaces(_ places: [UserPlace]) async throws(StoreError) -> Int {
        try await writeAddresses { (connection) throws(StoreError) in try connection.setUserPlaces(places) }
    }

    package func removeUserPlace(named name: String) async throws(StoreError) -> Int? {
        try await writeAddresses { (connection) throws(StoreError) in try connection.removeUserPlace(named: name) }
    }

    package func userPlaces() async throws(StoreError) -> [UserPlace] {
        try await read { (connection) throws(StoreError) in try connection.userPlaces() }
    }

    // MARK: The cache

    package func cachedAnswers(
        near point: Coordinate,
        key: GeocodeCacheKey,
        now: Timestamp
    ) async throws(StoreError) -> CachedAnswers {
        try await read { (connection) throws(StoreError) in
            try connection.cachedAnswers(near: point, key: key, now: now)
        }
    }

    package func cacheAnswer(_ answer: CachedAnswer, key: GeocodeCacheKey, now: Timestamp) async throws(StoreError) {
        try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            try connection.keepAnswer(answer, key: key, now: now)
        }
    }

    @discardableResult
    package func compactGeocodeCache(now: Timestamp) async throws(StoreError) -> Int {
        try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            try connection.compactCache(now: now)
        }
    }

    // MARK: The accounts of the providers

    package func reserveCall(_ request: CallRequest, now: Timestamp) async throws(StoreError) -> CallReservation {
        try await writeAddresses(isRelaxed: request.daily == nil) { (connection) throws(StoreError) in
            try connection.reserve(request, now: now)
        }
    }

    package func recordCall(_ result: CallResult, provider: String, now: Timestamp) async throws(StoreError) {
        try await writeAddresses(isRelaxed: true) { (connection) throws(StoreError) in
            try connection.record(result, provider: provider, now: now)
        }
    }

    package func resetProviders() async throws(StoreError) {
        try await writeAddresses { (connection) throws(StoreError) in try connection.resetAccounts() }
    }
}
