/// The store-wide change number, counted up within the transaction that changes what readers see.
extension SQLiteConnection {
    func lastChange() throws(StoreError) -> Int64 {
        try integer("SELECT value FROM meta WHERE name = 'last_change'") ?? 0
    }

    func setLastChange(_ change: Int64) throws(StoreError) {
        try withStatement("UPDATE meta SET value = ? WHERE name = 'last_change'") { (statement) throws(StoreError) in
            try statement.bind(change, at: 1)
            try statement.run()
        }
    }

    /// Gives every trip that begins or ends at a place a new change number; its revision stays, and removed
    /// ones stay as they are.
    ///
    /// - Returns: how many trips.
    func touchTrips(atPlace place: Int64) throws(StoreError) -> Int {
        let keys = try withStatement(
            """
            SELECT device, id_ms, id_count FROM trip WHERE begin_place = ?1 AND is_removed = 0
            UNION SELECT device, id_ms, id_count FROM trip WHERE end_place = ?1 AND is_removed = 0
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            var keys: [(Int64, Int64, Int64)] = []
            while try statement.step() { keys.append((statement.int64(0), statement.int64(1), statement.int64(2))) }
            return keys
        }
        guard !keys.isEmpty else { return 0 }
        var change = try lastChange()
        try withStatement(
            "UPDATE trip SET change = ?4 WHERE device = ?1 AND id_ms = ?2 AND id_count = ?3"
        ) { (statement) throws(StoreError) in
            for (device, milliseconds, count) in keys {
                change += 1
                try statement.bind(device, at: 1)
                try statement.bind(milliseconds, at: 2)
                try statement.bind(count, at: 3)
                try statement.bind(change, at: 4)
                try statement.run()
            }
        }
        try setLastChange(change)
        return keys.count
    }
}
