import Telemetry
import TripDetection

/// Writes changes of histories within one transaction: ids, revisions, change numbers, places of endpoints.
struct HistoryWriter {
    let connection: SQLiteConnection
    private var places: PlaceAssigner
    private var change: Int64

    init(_ connection: SQLiteConnection, now: Timestamp) throws(StoreError) {
        self.connection = connection
        places = PlaceAssigner(connection, now: now)
        change = try connection.lastChange()
    }

    /// Writes the last change number and removes places that nothing points to any more.
    mutating func finish() throws(StoreError) {
        try connection.setLastChange(change)
        try places.removeOrphans()
    }

    mutating func apply(_ history: HistoryChange) throws(StoreError) {
        let device = history.device.rawValue
        if history.mark > 0 {
            try connection.withStatement(
                "UPDATE device SET mark = 0 WHERE number = ? AND mark = ?"
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(history.mark, at: 2)
                try statement.run()
            }
        }
        try remove(history)
        for stop in history.putStops { try put(stop, device: device) }
        try put(history.putGaps, device: device)
        try put(history.putSetAside, device: device)
        try put(history.putResumptions, device: device)
        var placed: Set<Int64> = []
        for stored in history.revisedTrips {
            try revise(stored, device: device)
            placed.insert(stored.trip.begin.milliseconds)
        }
        for trip in history.newTrips {
            try insert(trip, device: device)
            placed.insert(trip.begin.milliseconds)
        }
        for stop in history.putStops { try updateNeighbours(of: stop, device: device, placed: placed) }
    }

    // MARK: Trips

    private mutating func revise(_ stored: StoredTrip, device: Int64) throws(StoreError) {
        guard let parts = stored.id.parts else { return }
        let old = try connection.withStatement(
            "SELECT begin_place, end_place FROM trip WHERE device = ? AND id_ms = ? AND id_count = ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(parts.begin, at: 2)
            try statement.bind(parts.count, at: 3)
            guard try statement.step() else { return (begin: Int64?.none, end: Int64?.none) }
            return (begin: statement.optionalInt64(0), end: statement.optionalInt64(1))
        }
        let begin = try beginPlace(of: stored.trip, device: device, old: old.begin)
        let end = try endPlace(of: stored.trip, device: device, old: old.end)
        if old.begin != begin { places.release(old.begin) }
        if old.end != end { places.release(old.end) }
        change += 1
        try connection.withStatement(
            """
            UPDATE trip SET begin_ms = ?4, end_ms = ?5, begin_latitude_e7 = ?6, begin_longitude_e7 = ?7,
                end_latitude_e7 = ?8, end_longitude_e7 = ?9, begin_reason = ?10, end_reason = ?11, distance_mm = ?12,
                odometer_mm = ?13, distance_source = ?14, moving_ms = ?15, idle_ms = ?16, highest_speed_cmps = ?17,
                position_count = ?18, largest_hole_ms = ?19, flags = ?20, is_final = ?21, change = ?22,
                begin_place = ?23, end_place = ?24, revision = revision + 1, is_removed = 0
            WHERE device = ?1 AND id_ms = ?2 AND id_count = ?3
            """
        ) { (statement) throws(StoreError) in
            try bind(stored.trip, to: statement, device: device, begin: parts.begin, count: parts.count)
            try statement.bind(change, at: 22)
            try statement.bind(begin, at: 23)
            try statement.bind(end, at: 24)
            try statement.run()
        }
    }

    private mutating func insert(_ trip: Trip, device: Int64) throws(StoreError) {
        if try revive(trip, device: device) { return }
        let count = try connection.withStatement(
            "SELECT coalesce(max(id_count) + 1, 0) FROM trip WHERE device = ? AND id_ms = ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(trip.begin, at: 2)
            return try statement.step() ? statement.int(0) : 0
        }
        let begin = try beginPlace(of: trip, device: device, old: nil)
        let end = try endPlace(of: trip, device: device, old: nil)
        change += 1
        try connection.withStatement(
            """
            INSERT INTO trip (device, id_ms, id_count, begin_ms, end_ms, begin_latitude_e7, begin_longitude_e7,
                end_latitude_e7, end_longitude_e7, begin_reason, end_reason, distance_mm, odometer_mm,
                distance_source, moving_ms, idle_ms, highest_speed_cmps, position_count, largest_hole_ms, flags,
                is_final, change, first_change, begin_place, end_place, revision, is_removed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?22, ?23, ?24, 1, 0)
            """
        ) { (statement) throws(StoreError) in
            try bind(trip, to: statement, device: device, begin: trip.begin, count: count)
            try statement.bind(change, at: 22)
            try statement.bind(begin, at: 23)
            try statement.bind(end, at: 24)
            try statement.run()
        }
    }

    /// Brings a removed trip back under its id when the new one is the same trip.
    ///
    /// - Returns: false when there is none.
    private mutating func revive(_ trip: Trip, device: Int64) throws(StoreError) -> Bool {
        guard let removed = try connection.removedTrip(like: trip, device: device) else { return false }
        // The next change is the one that `revise` writes.
        try connection.endAbsence(of: removed, device: device, change: change + 1)
        try revise(StoredTrip(id: removed, trip: trip), device: device)
        return true
    }

    private func bind(
        _ trip: Trip,
        to statement: borrowing SQLiteStatement,
        device: Int64,
        begin: Timestamp,
        count: Int
    ) throws(StoreError) {
        try statement.bind(device, at: 1)
        try statement.bind(begin, at: 2)
        try statement.bind(count, at: 3)
        try statement.bind(trip.begin, at: 4)
        try statement.bind(trip.end, at: 5)
        try statement.bind(trip.beginPoint.latitudeE7, at: 6)
        try statement.bind(trip.beginPoint.longitudeE7, at: 7)
        try statement.bind(trip.endPoint.latitudeE7, at: 8)
        try statement.bind(trip.endPoint.longitudeE7, at: 9)
        try statement.bind(Int64(trip.beginReason.rawValue), at: 10)
        try statement.bind(Int64(trip.endReason.rawValue), at: 11)
        try statement.bind(trip.positionDistance, at: 12)
        try statement.bind(trip.odometerDistance, at: 13)
        try statement.bind(Int64(trip.distanceSource.rawValue), at: 14)
        try statement.bind(trip.moving, at: 15)
        try statement.bind(trip.idle, at: 16)
        try statement.bind(trip.highestSpeed, at: 17)
        try statement.bind(trip.positionCount, at: 18)
        try statement.bind(trip.largestHole, at: 19)
        try statement.bind(Int64(trip.flags.rawValue), at: 20)
        try statement.bind(trip.isFinal, at: 21)
    }

    // MARK: Places of endpoints

    /// The place of the stop before, or the place that the begin itself joins.
    private mutating func beginPlace(of trip: Trip, device: Int64, old: Int64?) throws(StoreError) -> Int64? {
        let stop = try connection.withStatement(
            "SELECT departure_ms, place FROM stop WHERE device = ? AND arrival_ms <= ? ORDER BY arrival_ms DESC LIMIT 1"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(trip.begin, at: 2)
            guard try statement.step() else { return (departure: Timestamp?.none, place: Int64?.none) }
            return (departure: statement.timestamp(0), place: statement.optionalInt64(1))
        }
        if stop.departure == trip.begin, let place = stop.place, try places.reaches(place, trip.beginPoint) {
            return place
        }
        return try places.place(of: trip.beginPoint, old: old, previous: stop.place)
    }

    /// The place of the stop after, or that of the end itself once it cannot move on; nil before.
    private mutating func endPlace(of trip: Trip, device: Int64, old: Int64?) throws(StoreError) -> Int64? {
        let stop = try connection.withStatement(
            "SELECT place FROM stop WHERE device = ? AND arrival_ms = ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(trip.end, at: 2)
            return try statement.step()
                ? (exists: true, place: statement.optionalInt64(0)) : (exists: false, place: nil)
        }
        if let place = stop.place, try places.reaches(place, trip.endPoint) { return place }
        guard trip.isFinal || stop.place != nil || (!stop.exists && trip.endReason != .lastData) else { return nil }
        return try places.place(of: trip.endPoint, old: old, previous: nil)
    }

    /// Gives the trips beside a stop its place, where they were not written with it.
    private mutating func updateNeighbours(of stop: Stop, device: Int64, placed: Set<Int64>) throws(StoreError) {
        let neighbours = try connection.withStatement(
            "SELECT \(TripRow.columns) FROM trip AS t WHERE device = ?1 AND is_removed = 0 AND begin_ms <= ?2 "
                + "ORDER BY begin_ms DESC LIMIT 2"
        ) { (statement) throws(StoreError) in
            var rows: [TripRow] = []
            try statement.bind(device, at: 1)
            try statement.bind(stop.departure, at: 2)
            while try statement.step() { rows.append(TripRow(statement)) }
            return rows
        }
        for row in neighbours where !placed.contains(row.trip.begin.milliseconds) {
            guard row.trip.begin == stop.departure || row.trip.end == stop.arrival else { continue }
            let begin = try beginPlace(of: row.trip, device: device, old: row.beginPlace)
            let end = try endPlace(of: row.trip, device: device, old: row.endPlace)
            guard begin != row.beginPlace || end != row.endPlace else { continue }
            if row.beginPlace != begin { places.release(row.beginPlace) }
            if row.endPlace != end { places.release(row.endPlace) }
            change += 1
            try connection.withStatement(
                """
                UPDATE trip SET begin_place = ?4, end_place = ?5, change = ?6
                WHERE device = ?1 AND id_ms = ?2 AND id_count = ?3
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(row.idBegin, at: 2)
                try statement.bind(row.idCount, at: 3)
                try statement.bind(begin, at: 4)
                try statement.bind(end, at: 5)
                try statement.bind(change, at: 6)
                try statement.run()
            }
        }
    }

    // MARK: Stops and the rest

    private mutating func put(_ stop: Stop, device: Int64) throws(StoreError) {
        let old = try connection.withStatement(
            "SELECT place FROM stop WHERE device = ? AND arrival_ms = ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(stop.arrival, at: 2)
            return try statement.step() ? statement.optionalInt64(0) : nil
        }
        // A vehicle that stands for moments at the end of the data may be at a red light: no address yet.
        let isSettled = stop.isFinal || !stop.flags.contains(.edge)
        let previous = old == nil && isSettled ? try previousEndPlace(device: device, before: stop.arrival) : nil
        let place = isSettled ? try places.place(of: stop.centre, old: old, previous: previous) : old
        if old != place { places.release(old) }
        try connection.withStatement(
            "INSERT OR REPLACE INTO stop VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(stop.arrival, at: 2)
            try statement.bind(stop.departure, at: 3)
            try statement.bind(stop.centre.latitudeE7, at: 4)
            try statement.bind(stop.centre.longitudeE7, at: 5)
            try statement.bind(stop.idle, at: 6)
            try statement.bind(stop.positionCount, at: 7)
            try statement.bind(Int64(stop.flags.rawValue), at: 8)
            try statement.bind(stop.isFinal, at: 9)
            try statement.bind(place, at: 10)
            try statement.run()
        }
    }

    /// Where the device stopped last before, which it may not have left: a silence may part one stay.
    private func previousEndPlace(device: Int64, before instant: Timestamp) throws(StoreError) -> Int64? {
        try connection.withStatement(
            "SELECT place FROM stop WHERE device = ? AND arrival_ms < ? ORDER BY arrival_ms DESC LIMIT 1"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(instant, at: 2)
            return try statement.step() ? statement.optionalInt64(0) : nil
        }
    }

    private func put(_ gaps: [Gap], device: Int64) throws(StoreError) {
        for gap in gaps {
            try connection.withStatement(
                "INSERT OR REPLACE INTO gap VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(gap.begin, at: 2)
                try statement.bind(gap.end, at: 3)
                try statement.bind(gap.beginPoint.latitudeE7, at: 4)
                try statement.bind(gap.beginPoint.longitudeE7, at: 5)
                try statement.bind(gap.endPoint.latitudeE7, at: 6)
                try statement.bind(gap.endPoint.longitudeE7, at: 7)
                try statement.bind(Int64(gap.reason.rawValue), at: 8)
                try statement.bind(gap.isFinal, at: 9)
                try statement.run()
            }
        }
    }

    private func put(_ rows: [SetAside], device: Int64) throws(StoreError) {
        guard !rows.isEmpty else { return }
        try connection.withStatement(
            "INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?, ?)"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            for row in rows {
                try statement.bind(row.key.fixTime, at: 2)
                try statement.bind(row.key.coordinate.latitudeE7, at: 3)
                try statement.bind(row.key.coordinate.longitudeE7, at: 4)
                try statement.bind(Int64(row.reason.rawValue), at: 5)
                try statement.run()
            }
        }
    }

    private func put(_ resumptions: [Resumption], device: Int64) throws(StoreError) {
        guard !resumptions.isEmpty else { return }
        try connection.withStatement(
            "INSERT OR REPLACE INTO resumption VALUES (?, ?, ?)"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            for resumption in resumptions {
                try statement.bind(resumption.from, at: 2)
                try statement.bind(resumption.packed, at: 3)
                try statement.run()
            }
        }
    }

    private mutating func remove(_ history: HistoryChange) throws(StoreError) {
        let device = history.device.rawValue
        for id in history.removedTrips {
            guard let parts = id.parts else { continue }
            change += 1
            try connection.withStatement(
                """
                UPDATE trip SET is_removed = 1, change = ?4, revision = revision + 1
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
        for arrival in history.removedStops {
            try connection.withStatement(
                "DELETE FROM stop WHERE device = ? AND arrival_ms = ? RETURNING place"
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(arrival, at: 2)
                while try statement.step() { places.release(statement.optionalInt64(0)) }
            }
        }
        try delete(
            history.removedGaps.map(\.milliseconds),
            device: device,
            "DELETE FROM gap WHERE device = ? AND begin_ms = ?"
        )
        try delete(
            history.removedResumptions.map(\.from.milliseconds),
            device: device,
            "DELETE FROM resumption WHERE device = ? AND from_ms = ?"
        )
        for key in history.removedSetAside {
            try connection.withStatement(
                "DELETE FROM set_aside WHERE device = ? AND fix_ms = ? AND latitude_e7 = ? AND longitude_e7 = ?"
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(key.fixTime, at: 2)
                try statement.bind(key.coordinate.latitudeE7, at: 3)
                try statement.bind(key.coordinate.longitudeE7, at: 4)
                try statement.run()
            }
        }
    }

    private func delete(_ keys: [Int64], device: Int64, _ sql: String) throws(StoreError) {
        guard !keys.isEmpty else { return }
        try connection.withStatement(sql) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            for key in keys {
                try statement.bind(key, at: 2)
                try statement.run()
            }
        }
    }
}
