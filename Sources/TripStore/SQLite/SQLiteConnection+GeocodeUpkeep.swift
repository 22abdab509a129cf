import Telemetry

/// Upkeep of the geocode queue: lost work, retries, refreshes, counts; each belongs into a transaction of the caller.
extension SQLiteConnection {
    /// Derives the tasks that are missing.
    ///
    /// - Returns: how many were made.
    func reconcileTasks(_ demand: GeocodeDemand, now: Timestamp) throws(StoreError) -> Int {
        try forgetUnused()
        // What expired by its provider's terms is not shown any more.
        try withStatement(
            """
            UPDATE place SET state = 0, address = NULL, level = NULL, provider = NULL, resolved_ms = NULL,
                expiry_ms = NULL WHERE expiry_ms <= ?
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            try statement.run()
        }
        var made = try makeTasks(
            where: "state IN (0, 1, 4) OR language IS NOT NULL AND language <> ?3",
            demand.language,
            now: now
        )
        for sources in try lesserSources(than: demand) {
            let finest = max(demand.wanted, .interpolated).rawValue
            made += try makeTasks(
                where: "sources = ?3 AND (state = 3 OR state = 2 AND level > \(finest))",
                sources,
                now: now
            )
        }
        return made
    }

    private func makeTasks(where condition: String, _ text: String, now: Timestamp) throws(StoreError) -> Int {
        try withStatement(
            """
            INSERT OR IGNORE INTO geocode_task (place, cell, priority, created_ms, next_ms)
            SELECT id, cell, CASE WHEN state = 0 THEN \(GeocodeTask.Priority.new.rawValue)
                ELSE \(GeocodeTask.Priority.backfill.rawValue) END, ?1, ?2 FROM place
            WHERE corrected IS NULL AND (\(condition)) AND \(Self.isShown("place.id"))
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            try statement.bind(now, at: 2)
            try statement.bind(text, at: 3)
            try statement.run()
            return changedRows
        }
    }

    /// Chains of sources that lack one of those that are asked now.
    private func lesserSources(than demand: GeocodeDemand) throws(StoreError) -> [String] {
        try withStatement("SELECT DISTINCT sources FROM place WHERE sources IS NOT NULL") {
            (statement) throws(StoreError) in
            var lesser: [String] = []
            while try statement.step() {
                let text = statement.text(0)
                let asked = Set(text.split(separator: ",").map(String.init))
                if !asked.isSuperset(of: demand.sources) { lesser.append(text) }
            }
            return lesser
        }
    }

    /// A condition: a trip that is there begins or ends at the place, or a stop lies there.
    private static func isShown(_ place: String) -> String {
        """
        (EXISTS (SELECT 1 FROM trip WHERE begin_place = \(place) AND is_removed = 0)
            OR EXISTS (SELECT 1 FROM trip WHERE end_place = \(place) AND is_removed = 0)
            OR EXISTS (SELECT 1 FROM stop WHERE stop.place = \(place)))
        """
    }

    /// Takes off the tasks of places where no trip begins or ends and no stop lies any more.
    private func forgetUnused() throws(StoreError) {
        try execute(
            """
            DELETE FROM geocode_task WHERE leased_until_ms IS NULL AND NOT \(Self.isShown("geocode_task.place"))
            """
        )
    }

    func retryTasks(now: Timestamp) throws(StoreError) -> Int {
        try execute(
            """
            UPDATE place SET state = 0, reason = NULL, next_try_ms = NULL WHERE state = 4 AND id IN
                (SELECT place FROM geocode_task)
            """
        )
        return try withStatement(
            """
            UPDATE geocode_task SET phase = 0, attempts = 0, next_ms = ?1, reason = NULL
            WHERE leased_until_ms IS NULL AND (phase > 0 OR next_ms > ?1 OR attempts > 0)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            try statement.run()
            return changedRows
        }
    }

    func refreshTasks(_ selection: AddressSelection, now: Timestamp) throws(StoreError) -> Int {
        let condition = """
            (?1 IS NULL OR provider = ?1) AND (?2 IS NULL OR resolved_ms < ?2) AND (?3 IS NULL OR language <> ?3)
            AND (?4 IS NULL OR latitude_e7 BETWEEN ?4 AND ?5 AND
                (?6 <= ?7 AND longitude_e7 BETWEEN ?6 AND ?7 OR ?6 > ?7 AND (longitude_e7 >= ?6 OR longitude_e7 <= ?7)))
            """
        func bind(_ statement: borrowing SQLiteStatement) throws(StoreError) {
            try statement.bind(selection.provider, at: 1)
            try statement.bind(selection.before, at: 2)
            try statement.bind(selection.otherThanLanguage, at: 3)
            try statement.bind(selection.box.map { Int64($0.southWest.latitudeE7) }, at: 4)
            try statement.bind(selection.box.map { Int64($0.northEast.latitudeE7) }, at: 5)
            try statement.bind(selection.box.map { Int64($0.southWest.longitudeE7) }, at: 6)
            try statement.bind(selection.box.map { Int64($0.northEast.longitudeE7) }, at: 7)
        }
        try withStatement("SELECT latitude_e7, longitude_e7 FROM place WHERE \(condition)") {
            (statement) throws(StoreError) in
            try bind(statement)
            while try statement.step() { try forgetAnswers(near: statement.coordinate(0)) }
        }
        try forgetUnused()
        // Tasks that wait already are put back to the start.
        try withStatement(
            """
            UPDATE geocode_task SET phase = 0, attempts = 0, next_ms = ?8, reason = NULL
            WHERE leased_until_ms IS NULL AND place IN (SELECT id FROM place WHERE \(condition))
            """
        ) { (statement) throws(StoreError) in
            try bind(statement)
            try statement.bind(now, at: 8)
            try statement.run()
        }
        let waiting = changedRows
        return try withStatement(
            """
            INSERT OR IGNORE INTO geocode_task (place, cell, priority, created_ms, next_ms)
            SELECT id, cell, \(GeocodeTask.Priority.backfill.rawValue), ?8, ?8 FROM place
            WHERE corrected IS NULL AND \(condition) AND \(Self.isShown("place.id"))
            """
        ) { (statement) throws(StoreError) in
            try bind(statement)
            try statement.bind(now, at: 8)
            try statement.run()
            return waiting + changedRows
        }
    }

    func prioritize(_ place: Int64, now: Timestamp) throws(StoreError) {
        try withStatement(
            """
            UPDATE geocode_task SET priority = \(GeocodeTask.Priority.reader.rawValue)
            WHERE place = ? AND phase < 2
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.run()
        }
    }

    func geocodeStatus(now: Timestamp) throws(StoreError) -> GeocodeStatus {
        var status = GeocodeStatus()
        try withStatement(
            "SELECT CASE WHEN corrected IS NULL THEN state ELSE 2 END, count(*) FROM place GROUP BY 1"
        ) { (statement) throws(StoreError) in
            while try statement.step() {
                let count = statement.int64(1)
                switch statement.int64(0) {
                case 1: status.provisional = count
                case 2: status.resolved = count
                case 3: status.nothing = count
                case 4: status.failed = count
                default: status.pending = count
                }
            }
        }
        try withStatement(
            """
            SELECT phase = 2, leased_until_ms > ?, reason, count(*), min(next_ms) FROM geocode_task GROUP BY 1, 2, 3
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            while try statement.step() {
                let (reason, count) = (statement.optionalText(2), statement.int64(3))
                if statement.bool(0) {
                    status.deadReasons[reason ?? "unknown", default: 0] += count
                } else if statement.bool(1) {
                    status.inFlight += count
                } else {
                    status.waiting += count
                    if let reason { status.waitingReasons[reason, default: 0] += count }
                    let next = statement.timestamp(4)
                    status.nextTry = min(status.nextTry ?? next, next)
                }
            }
        }
        status.providers = try providerStatus(now: now)
        return status
    }
}
