import Telemetry

/// The cache of providers' answers; each call belongs into a transaction of the caller.
extension SQLiteConnection {
    /// Disks reach this far, in metres.
    private static let highestRadius = 150.0
    /// Single answers hold this far, in metres.
    private static let singleRadius = 5.0

    func cachedAnswers(
        near point: Coordinate,
        key: GeocodeCacheKey,
        now: Timestamp
    ) throws(StoreError) -> CachedAnswers {
        var answers = CachedAnswers()
        guard let key = try cacheKey(key) else { return answers }
        try forEachRow(of: "geocode_disk", columns: "radius_m", key, near: point, radius: Self.highestRadius, now: now)
        {
            (centre, statement) in
            let radius = statement.double(2)
            if centre.distance(to: point) <= radius { answers.disks.append((centre: centre, radius: radius)) }
        }
        if !answers.disks.isEmpty {
            try forEachRow(
                of: "geocode_house",
                columns: "address",
                key,
                near: point,
                radius: Self.highestRadius,
                now: now
            ) { (_, statement) in
                if let house = AddressCode.decode(statement.text(2)) { answers.houses.append(house) }
            }
        }
        try forEachRow(of: "geocode_single", columns: "address", key, near: point, radius: Self.singleRadius, now: now)
        {
            (place, statement) in
            guard place.distance(to: point) <= Self.singleRadius else { return }
            answers.singles.append((point: place, address: statement.optionalText(2).flatMap(AddressCode.decode)))
        }
        return answers
    }

    private func forEachRow(
        of table: String,
        columns: String,
        _ key: Int64,
        near point: Coordinate,
        radius: Double,
        now: Timestamp,
        _ body: (Coordinate, borrowing SQLiteStatement) -> Void
    ) throws(StoreError) {
        for range in GeoCell.ranges(around: point, radius: radius) {
            try withStatement(
                """
                SELECT latitude_e7, longitude_e7, \(columns) FROM \(table)
                WHERE key = ? AND cell BETWEEN ? AND ? AND expiry_ms > ?
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(key, at: 1)
                try statement.bind(range.lowerBound, at: 2)
                try statement.bind(range.upperBound, at: 3)
                try statement.bind(now, at: 4)
                while try statement.step() { body(statement.coordinate(0), statement) }
            }
        }
    }

    func keepAnswer(_ answer: CachedAnswer, key: GeocodeCacheKey, now: Timestamp) throws(StoreError) {
        let key = try cacheKey(making: key)
        let never = Timestamp.latest
        switch answer {
        case .single(let address, let point, let expiry):
            try remove(from: "geocode_single", key, near: point, radius: Self.singleRadius / 2) { _ in true }
            try insert(
                into: "geocode_single",
                column: "address",
                key,
                point,
                expiry ?? never
            ) { (statement) throws(StoreError) in try statement.bind(address.map(AddressCode.encode), at: 6) }
        case .houses(let houses, let centre, let radius, let expiry):
            // What lies well within the disk and was not named again is not there any more.
            try remove(from: "geocode_house", key, near: centre, radius: radius * 0.99) { _ in true }
            // Smaller disks within this one prove nothing that it does not prove.
            try remove(from: "geocode_disk", key, near: centre, radius: radius) {
                centre.distance(to: $0.0) + $0.1 <= radius
            }
            for house in houses {
                guard let point = house.point else { continue }
                try insert(
                    into: "geocode_house",
                    column: "address",
                    key,
                    point,
                    expiry ?? never
                ) { (statement) throws(StoreError) in try statement.bind(AddressCode.encode(house), at: 6) }
            }
            try insert(
                into: "geocode_disk",
                column: "radius_m",
                key,
                centre,
                expiry ?? never
            ) { (statement) throws(StoreError) in try statement.bind(radius, at: 6) }
        }
    }

    private func insert(
        into table: String,
        column: String,
        _ key: Int64,
        _ point: Coordinate,
        _ expiry: Timestamp,
        bind: (borrowing SQLiteStatement) throws(StoreError) -> Void
    ) throws(StoreError) {
        try withStatement(
            """
            INSERT OR REPLACE INTO \(table) (key, cell, latitude_e7, longitude_e7, expiry_ms, \(column))
            VALUES (?, ?, ?, ?, ?, ?)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(key, at: 1)
            try statement.bind(GeoCell.number(of: point), at: 2)
            try statement.bind(point.latitudeE7, at: 3)
            try statement.bind(point.longitudeE7, at: 4)
            try statement.bind(expiry, at: 5)
            try bind(statement)
            try statement.run()
        }
    }

    /// Removes the rows of a table within a radius that a condition holds for.
    private func remove(
        from table: String,
        _ key: Int64?,
        near point: Coordinate,
        radius: Double,
        _ condition: ((Coordinate, Double)) -> Bool
    ) throws(StoreError) {
        let columns = table == "geocode_disk" ? "id, radius_m" : table == "geocode_house" ? "0, 0" : "id, 0"
        for range in GeoCell.ranges(around: point, radius: radius) {
            var rows: [(id: Int64, place: Coordinate)] = []
            try withStatement(
                """
                SELECT latitude_e7, longitude_e7, \(columns) FROM \(table)
                WHERE cell BETWEEN ? AND ? AND (?3 IS NULL OR key = ?3)
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(range.lowerBound, at: 1)
                try statement.bind(range.upperBound, at: 2)
                try statement.bind(key, at: 3)
                while try statement.step() {
                    let place = statement.coordinate(0)
                    guard place.distance(to: point) <= radius, condition((place, statement.double(3))) else { continue }
                    rows.append((id: statement.int64(2), place: place))
                }
            }
            for row in rows {
                if table == "geocode_house" {
                    try withStatement(
                        """
                        DELETE FROM geocode_house
                        WHERE key = ? AND cell BETWEEN ? AND ? AND latitude_e7 = ? AND longitude_e7 = ?
                        """
                    ) { (statement) throws(StoreError) in
                        try statement.bind(key, at: 1)
                        try statement.bind(range.lowerBound, at: 2)
                        try statement.bind(range.upperBound, at: 3)
                        try statement.bind(row.place.latitudeE7, at: 4)
                        try statement.bind(row.place.longitudeE7, at: 5)
                        try statement.run()
                    }
                } else {
                    try withStatement("DELETE FROM \(table) WHERE id = ?") { (statement) throws(StoreError) in
                        try statement.bind(row.id, at: 1)
                        try statement.run()
                    }
                }
            }
        }
    }

    /// Forgets what could answer for a point, so that the providers are asked again.
    func forgetAnswers(near point: Coordinate) throws(StoreError) {
        try remove(from: "geocode_disk", nil, near: point, radius: Self.highestRadius) {
            $0.0.distance(to: point) <= $0.1
        }
        try remove(from: "geocode_single", nil, near: point, radius: Self.singleRadius) { _ in true }
    }

    func compactCache(now: Timestamp) throws(StoreError) -> Int {
        var count = 0
        for table in ["geocode_disk", "geocode_house", "geocode_single"] {
            try withStatement("DELETE FROM \(table) WHERE expiry_ms <= ?") { (statement) throws(StoreError) in
                try statement.bind(now, at: 1)
                try statement.run()
            }
            count += changedRows
        }
        return count
    }

    private func cacheKey(_ key: GeocodeCacheKey) throws(StoreError) -> Int64? {
        try withStatement("SELECT id FROM geocode_key WHERE provider = ? AND language = ?") {
            (statement) throws(StoreError) in
            try statement.bind(key.provider, at: 1)
            try statement.bind(key.language, at: 2)
            return try statement.step() ? statement.int64(0) : nil
        }
    }

    private func cacheKey(making key: GeocodeCacheKey) throws(StoreError) -> Int64 {
        if let known = try cacheKey(key) { return known }
        try withStatement("INSERT INTO geocode_key (provider, language) VALUES (?, ?)") {
            (statement) throws(StoreError) in
            try statement.bind(key.provider, at: 1)
            try statement.bind(key.language, at: 2)
            try statement.run()
        }
        return lastInsertedRow
    }
}
