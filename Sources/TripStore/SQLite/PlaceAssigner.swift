import Telemetry

/// Decides within one transaction which stop place an endpoint belongs to, and makes places with their tasks.
struct PlaceAssigner {
    private let connection: SQLiteConnection
    private let now: Timestamp
    /// Places that something stopped pointing to.
    private var released: Set<Int64> = []
    private var centres: [Int64: Coordinate] = [:]

    init(_ connection: SQLiteConnection, now: Timestamp) {
        self.connection = connection
        self.now = now
    }

    /// The place of an endpoint: the one that it had, if it is still there, else one nearby, else a new one.
    ///
    /// - Parameters:
    ///   - point: where the endpoint is.
    ///   - old: the place that it had.
    ///   - previous: where the same device was last.
    /// - Returns: the place's number.
    /// - Throws: `StoreError`.
    mutating func place(of point: Coordinate, old: Int64?, previous: Int64?) throws(StoreError) -> Int64 {
        if let old, try reaches(old, point) { return old }
        var candidates = try nearby(point)
        if let previous, candidates[previous] == nil, let centre = try centre(of: previous) {
            candidates[previous] = centre
        }
        let found = StopPlace.joined(
            by: point,
            among: candidates.map { (key: $0.key, centre: $0.value) },
            previous: previous
        )
        guard let found else { return try insert(point) }
        try visit(found, point)
        return found
    }

    /// Whether a place is near enough for an endpoint to keep it.
    mutating func reaches(_ place: Int64, _ point: Coordinate) throws(StoreError) -> Bool {
        guard let centre = try centre(of: place) else { return false }
        return centre.distance(to: point) <= StopPlace.returnRadius
    }

    /// Notes that something no longer points to a place.
    mutating func release(_ place: Int64?) {
        if let place { released.insert(place) }
    }

    /// Removes released places that nothing points to, but for those that a person corrected.
    mutating func removeOrphans() throws(StoreError) {
        for place in released.sorted() { try connection.removePlaceIfUnused(place) }
        released = []
    }

    private func nearby(_ point: Coordinate) throws(StoreError) -> [Int64: Coordinate] {
        var candidates: [Int64: Coordinate] = [:]
        for range in GeoCell.ranges(around: point, radius: StopPlace.joinRadius) {
            try connection.withStatement(
                "SELECT id, latitude_e7, longitude_e7 FROM place WHERE cell BETWEEN ? AND ?"
            ) { (statement) throws(StoreError) in
                try statement.bind(range.lowerBound, at: 1)
                try statement.bind(range.upperBound, at: 2)
                while try statement.step() { candidates[statement.int64(0)] = statement.coordinate(1) }
            }
        }
        return candidates
    }

    private mutating func centre(of place: Int64) throws(StoreError) -> Coordinate? {
        if let known = centres[place] { return known }
        let found = try connection.withStatement(
            "SELECT latitude_e7, longitude_e7 FROM place WHERE id = ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            return try statement.step() ? statement.coordinate(0) : nil
        }
        centres[place] = found
        return found
    }

    private mutating func visit(_ place: Int64, _ point: Coordinate) throws(StoreError) {
        let stored = try connection.withStatement(
            """
            SELECT first_latitude_e7, first_longitude_e7, latitude_e7, longitude_e7, weight, visits FROM place
            WHERE id = ?
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            guard try statement.step() else { return StopPlace?.none }
            return StopPlace(
                first: statement.coordinate(0),
                centre: statement.coordinate(2),
                weight: statement.double(4),
                visitCount: statement.int64(5)
            )
        }
        guard var stored else { return }
        stored.visit(point)
        centres[place] = stored.centre
        try connection.withStatement(
            "UPDATE place SET cell = ?2, latitude_e7 = ?3, longitude_e7 = ?4, weight = ?5, visits = ?6 WHERE id = ?1"
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.bind(GeoCell.number(of: stored.centre), at: 2)
            try statement.bind(stored.centre.latitudeE7, at: 3)
            try statement.bind(stored.centre.longitudeE7, at: 4)
            try statement.bind(stored.weight, at: 5)
            try statement.bind(stored.visitCount, at: 6)
            try statement.run()
        }
        try askAgain(place, centre: stored.centre)
    }

    /// Makes a task for a place whose centre moved far enough from where it was asked for to name another house.
    private func askAgain(_ place: Int64, centre: Coordinate) throws(StoreError) {
        let asked = try connection.withStatement(
            """
            SELECT asked_latitude_e7, asked_longitude_e7 FROM place
            WHERE id = ? AND asked_latitude_e7 IS NOT NULL AND corrected IS NULL
                AND state = 2 AND level <= \(AddressLevel.interpolated.rawValue)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            return try statement.step() ? statement.coordinate(0) : nil
        }
        guard let asked, asked.distance(to: centre) >= StopPlace.refreshDistance else { return }
        try insertTask(place, centre: centre, priority: .backfill)
    }

    private mutating func insert(_ point: Coordinate) throws(StoreError) -> Int64 {
        try connection.withStatement(
            """
            INSERT INTO place (cell, first_latitude_e7, first_longitude_e7, latitude_e7, longitude_e7, weight, visits,
                state) VALUES (?1, ?2, ?3, ?2, ?3, 1, 1, 0)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(GeoCell.number(of: point), at: 1)
            try statement.bind(point.latitudeE7, at: 2)
            try statement.bind(point.longitudeE7, at: 3)
            try statement.run()
        }
        let place = connection.lastInsertedRow
        centres[place] = point
        try insertTask(place, centre: point, priority: .new)
        return place
    }

    private func insertTask(
        _ place: Int64,
        centre: Coordinate,
        priority: GeocodeTask.Priority
    ) throws(StoreError) {
        try connection.withStatement(
            """
            INSERT OR IGNORE INTO geocode_task (place, cell, priority, created_ms, next_ms) VALUES (?, ?, ?, ?, ?)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.bind(GeoCell.number(of: centre), at: 2)
            try statement.bind(Int64(priority.rawValue), at: 3)
            try statement.bind(now, at: 4)
            try statement.bind(now, at: 5)
            try statement.run()
        }
    }
}

extension SQLiteConnection {
    /// Removes a place and its task when no trip and no stop points to it and no person corrected it.
    func removePlaceIfUnused(_ place: Int64) throws(StoreError) {
        let condition = """
            NOT EXISTS (SELECT 1 FROM trip WHERE begin_place = ?1) AND NOT EXISTS (SELECT 1 FROM trip WHERE end_place = ?1)
            AND NOT EXISTS (SELECT 1 FROM stop WHERE place = ?1)
            """
        try withStatement(
            "DELETE FROM place WHERE id = ?1 AND corrected IS NULL AND \(condition)"
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.run()
        }
        guard changedRows > 0 else { return }
        try withStatement("DELETE FROM geocode_task WHERE place = ?1") { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.run()
        }
    }
}
