import Telemetry
import TripDetection

/// Trips that were removed: what brings one back, and whether a reader of changes heard of it.
extension SQLiteConnection {
    /// A condition on `trip AS t`: a removed trip is told only to those who were told that it is there, which are those
    /// who know the changes up to `:after` when it stood at that change.
    static let wasKnown = """
        (t.is_removed = 0 OR t.first_change <= :after AND NOT EXISTS (
            SELECT 1 FROM trip_absence AS a WHERE a.device = t.device AND a.id_ms = t.id_ms AND a.id_count = t.id_count
                AND a.from_change <= :after AND a.until_change > :after))
        """

    /// The removed trip that a new one is: of those that share at least half of the time that the two cover together
    /// the one with the same begin, else the one that shares most.
    func removedTrip(like trip: Trip, device: Int64) throws(StoreError) -> TripID? {
        let length = trip.end - trip.begin
        // One that shares half of the time begins at most one length before or after.
        let found = try withStatement(
            """
            SELECT id_ms, id_count FROM trip
            WHERE device = ?1 AND is_removed = 1 AND begin_ms BETWEEN ?2 - ?4 AND ?2 + ?4
                AND (begin_ms = ?2 OR 2 * (min(end_ms, ?3) - max(begin_ms, ?2)) >= max(end_ms, ?3) - min(begin_ms, ?2))
            ORDER BY begin_ms <> ?2, max(end_ms, ?3) - min(begin_ms, ?2) - min(end_ms, ?3) + max(begin_ms, ?2),
                id_ms, id_count
            LIMIT 1
            """
        ) { (statement) throws(StoreError) -> (begin: Timestamp, count: Int)? in
            try statement.bind(device, at: 1)
            try statement.bind(trip.begin, at: 2)
            try statement.bind(trip.end, at: 3)
            try statement.bind(length, at: 4)
            return try statement.step() ? (statement.timestamp(0), statement.int(1)) : nil
        }
        guard let found else { return nil }
        let tag = try tag(of: DeviceNumber(rawValue: device))
        return TripID(tag: tag, begin: found.begin, count: found.count)
    }

    /// Notes from which change to which a trip was gone; to be called before its row is written anew.
    ///
    /// The change of a removed row is the one that removed it, since nothing else writes such a row.
    func endAbsence(of trip: TripID, device: Int64, change: Int64) throws(StoreError) {
        guard let parts = trip.parts else { return }
        try withStatement(
            """
            INSERT INTO trip_absence SELECT device, id_ms, id_count, change, ?4 FROM trip
            WHERE device = ?1 AND id_ms = ?2 AND id_count = ?3
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(parts.begin, at: 2)
            try statement.bind(parts.count, at: 3)
            try statement.bind(change, at: 4)
            try statement.run()
        }
    }
}
