import Telemetry

/// The user's places; each call belongs into a transaction of the caller.
extension SQLiteConnection {
    func userPlaces() throws(StoreError) -> [UserPlace] {
        try withStatement("SELECT name, shape FROM user_place ORDER BY name") { (statement) throws(StoreError) in
            var places: [UserPlace] = []
            while try statement.step() {
                guard let shape = UserPlaceCode.decode(statement.text(1)) else {
                    throw StoreError(kind: .corrupt, message: "a place of the user's cannot be read")
                }
                places.append(UserPlace(name: statement.text(0), shape: shape))
            }
            return places
        }
    }

    /// Adds or changes places.
    ///
    /// - Returns: how many trips are now shown in another way.
    func setUserPlaces(_ places: [UserPlace]) throws(StoreError) -> Int {
        let before = try userPlaces()
        for place in places {
            try withStatement("INSERT OR REPLACE INTO user_place (name, shape) VALUES (?, ?)") {
                (statement) throws(StoreError) in
                try statement.bind(place.name, at: 1)
                try statement.bind(UserPlaceCode.encode(place.shape), at: 2)
                try statement.run()
            }
        }
        let names = Set(places.map(\.name))
        return try touchTrips(in: places + before.filter { names.contains($0.name) }, before: before)
    }

    /// Removes a place.
    ///
    /// - Returns: how many trips are now shown in another way; nil when there is none of that name.
    func removeUserPlace(named name: String) throws(StoreError) -> Int? {
        let before = try userPlaces()
        guard let place = before.first(where: { $0.name == name }) else { return nil }
        try withStatement("DELETE FROM user_place WHERE name = ?") { (statement) throws(StoreError) in
            try statement.bind(name, at: 1)
            try statement.run()
        }
        return try touchTrips(in: [place], before: before)
    }

    /// Gives a new change number to the trips of which an end is now named otherwise.
    private func touchTrips(in changed: [UserPlace], before: [UserPlace]) throws(StoreError) -> Int {
        let after = try userPlaces()
        var keys: [(device: Int64, time: Int64, count: Int64)] = []
        try withStatement(
            """
            SELECT device, id_ms, id_count, begin_latitude_e7, begin_longitude_e7, end_latitude_e7, end_longitude_e7
            FROM trip WHERE is_removed = 0
            """
        ) { (statement) throws(StoreError) in
            while try statement.step() {
                let isRenamed = [statement.coordinate(3), statement.coordinate(5)].contains { point in
                    changed.contains { $0.contains(point) }
                        && UserPlace.naming(point, among: before)?.name != UserPlace.naming(point, among: after)?.name
                }
                if isRenamed { keys.append((statement.int64(0), statement.int64(1), statement.int64(2))) }
            }
        }
        guard !keys.isEmpty else { return 0 }
        var change = try lastChange()
        for key in keys {
            change += 1
            try withStatement("UPDATE trip SET change = ? WHERE device = ? AND id_ms = ? AND id_count = ?") {
                (statement) throws(StoreError) in
                try statement.bind(change, at: 1)
                try statement.bind(key.device, at: 2)
                try statement.bind(key.time, at: 3)
                try statement.bind(key.count, at: 4)
                try statement.run()
            }
        }
        try setLastChange(change)
        return keys.count
    }
}
