import Telemetry
import TripDetection

/// Removal of positions and of what only they used.
extension SQLiteConnection {
    /// What is removed with positions, and may be used by others.
    struct Leftovers {
        var positions: Int64 = 0
        var trips: Int64 = 0
        var references: Set<UInt64> = []
        var places: Set<Int64> = []
    }

    func erase(_ erasure: Erasure) throws(StoreError) -> ErasureSummary {
        var left = Leftovers()
        switch erasure {
        case .device(let device):
            guard let state = try state(of: device) else { return ErasureSummary() }
            try eraseAll(of: state, &left)
        case .span(let device, let span):
            guard let state = try state(of: device) else { return ErasureSummary() }
            try erase(span, of: state, &left)
        }
        for place in left.places.sorted() { try forgetPlaceIfUnused(place) }
        try forgetAttributes(left.references)
        return ErasureSummary(positions: left.positions, trips: left.trips)
    }

    // MARK: Parts

    private func eraseAll(of state: DeviceState, _ left: inout Leftovers) throws(StoreError) {
        let number = state.number.rawValue
        let always = Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max)
        try eraseHistory(of: number, in: always, &left)
        try erasePositions(of: number, in: always, &left)
        for table in ["journal", "chunk", "trip", "stop", "gap", "set_aside", "resumption"] {
            try run("DELETE FROM \(table) WHERE device = ?", number)
        }
        try run("DELETE FROM device WHERE number = ?", number)
        for table in ["setting", "quarantine"] {
            try withStatement("DELETE FROM \(table) WHERE device = ?") { (statement) throws(StoreError) in
                try statement.bind(state.device.text, at: 1)
                try statement.run()
            }
        }
    }

    private func erase(
        _ span: ClosedRange<Timestamp>,
        of state: DeviceState,
        _ left: inout Leftovers
    ) throws(StoreError) {
        let number = state.number.rawValue
        let whole = try widened(span, toTripsOf: number)
        try eraseHistory(of: number, in: whole, &left)
        try erasePositions(of: number, in: whole, &left)
        // Boundaries carry sums over positions before them.
        try run("DELETE FROM resumption WHERE device = ?", number)
        try updateCounts(of: state)
        try markForDerivation(state.device)
    }

    /// A span with the trips that reach into it, removed ones too.
    private func widened(
        _ span: ClosedRange<Timestamp>,
        toTripsOf device: Int64
    ) throws(StoreError) -> ClosedRange<Timestamp> {
        try withStatement(
            "SELECT min(begin_ms), max(end_ms) FROM trip WHERE device = ? AND begin_ms <= ? AND end_ms >= ?"
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(span.upperBound, at: 2)
            try statement.bind(span.lowerBound, at: 3)
            guard try statement.step(), !statement.isNull(0) else { return span }
            return min(span.lowerBound, statement.timestamp(0))...max(span.upperBound, statement.timestamp(1))
        }
    }

    private func eraseHistory(
        of device: Int64,
        in span: ClosedRange<Timestamp>,
        _ left: inout Leftovers
    ) throws(StoreError) {
        func delete(_ sql: String, _ columns: Int32) throws(StoreError) -> Int64 {
            try withStatement(sql) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(span.lowerBound, at: 2)
                try statement.bind(span.upperBound, at: 3)
                var count: Int64 = 0
                while try statement.step() {
                    count += 1
                    for column in 0..<columns {
                        if let place = statement.optionalInt64(column) { left.places.insert(place) }
                    }
                }
                return count
            }
        }
        left.trips += try delete(
            "DELETE FROM trip WHERE device = ?1 AND begin_ms <= ?3 AND end_ms >= ?2 RETURNING begin_place, end_place",
            2
        )
        try run(
            """
            DELETE FROM trip_absence WHERE device = ? AND NOT EXISTS (
                SELECT 1 FROM trip AS t WHERE t.device = trip_absence.device AND t.id_ms = trip_absence.id_ms
                    AND t.id_count = trip_absence.id_count)
            """,
            device
        )
        _ = try delete(
            "DELETE FROM stop WHERE device = ?1 AND arrival_ms <= ?3 AND departure_ms >= ?2 RETURNING place",
            1
        )
        _ = try delete("DELETE FROM gap WHERE device = ?1 AND begin_ms <= ?3 AND end_ms >= ?2", 0)
        _ = try delete("DELETE FROM set_aside WHERE device = ?1 AND fix_ms <= ?3 AND fix_ms >= ?2", 0)
    }

    /// Takes positions out of chunks and of the journal.
    func erasePositions(
        of device: Int64,
        in span: ClosedRange<Timestamp>,
        _ left: inout Leftovers
    ) throws(StoreError) {
        let encoder = TrackEncoder()
        // The rows are listed first: a query over a table that changes meanwhile may give new rows, too.
        var firsts: [Timestamp] = []
        let chunks = try chunkStatement(device: device, span: span)
        while try chunks.step() { firsts.append(chunks.timestamp(0)) }
        for first in firsts {
            let positions = try withStatement(
                "DELETE FROM chunk WHERE device = ? AND first_ms = ? RETURNING positions"
            ) { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(first, at: 2)
                return try statement.step() ? try statement.positions(0) : []
            }
            let kept = positions.filter { !span.contains($0.fixTime) }
            left.note(positions, kept: kept)
            guard let first = kept.first, let last = kept.last else { continue }
            try withStatement("INSERT INTO chunk VALUES (?, ?, ?, ?, ?)") { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(first.fixTime, at: 2)
                try statement.bind(last.fixTime, at: 3)
                try statement.bind(kept.count, at: 4)
                try statement.bind(encoder.encode(kept), at: 5)
                try statement.run()
            }
        }
        var rows: [(sequence: Int64, positions: [Position])] = []
        let journal = try ownedStatement("SELECT sequence, positions FROM journal WHERE device = ?")
        try journal.bind(device, at: 1)
        while try journal.step() { rows.append((journal.int64(0), try journal.positions(1))) }
        for (sequence, positions) in rows {
            let kept = positions.filter { !span.contains($0.fixTime) }
            guard kept.count < positions.count else { continue }
            left.note(positions, kept: kept)
            if kept.isEmpty {
                try run("DELETE FROM journal WHERE sequence = ?", sequence)
            } else {
                try withStatement(
                    "UPDATE journal SET positions = ?2, new_count = min(new_count, ?3) WHERE sequence = ?1"
                ) { (statement) throws(StoreError) in
                    try statement.bind(sequence, at: 1)
                    try statement.bind(encoder.encode(kept), at: 2)
                    try statement.bind(kept.count, at: 3)
                    try statement.run()
                }
            }
        }
    }

    /// Counts a device's positions anew, and forgets the device when it has none.
    private func updateCounts(of state: DeviceState) throws(StoreError) {
        let number = state.number.rawValue
        let source = try PositionSource(
            self,
            device: state.number,
            span: Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max)
        )
        var (count, first, last) = (Int64(0), Position?.none, Position?.none)
        while true {
            let page = try source.next()
            if page.isEmpty { break }
            count += Int64(page.count)
            first = first ?? page.first
            last = page.last
        }
        guard count > 0 else {
            try run("DELETE FROM device WHERE number = ?", number)
            return
        }
        try withStatement(
            """
            UPDATE device SET position_count = ?2, first = ?3, last = ?4, latest = NULL, watermark_ms = NULL,
                open_until_ms = NULL,
                folded_count = (SELECT coalesce(sum(count), 0) FROM chunk WHERE chunk.device = device.number)
            WHERE number = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(number, at: 1)
            try statement.bind(count, at: 2)
            try statement.bind(PositionCode.encode(first), at: 3)
            try statement.bind(PositionCode.encode(last), at: 4)
            try statement.run()
        }
    }

    /// Removes a place that nothing points to, also one that a person corrected, with what the cache knows around it.
    private func forgetPlaceIfUnused(_ place: Int64) throws(StoreError) {
        guard let record = try self.place(place), try !isPlaceUsed(place) else { return }
        try run("DELETE FROM place WHERE id = ?", place)
        try run("DELETE FROM geocode_task WHERE place = ?", place)
        for (table, radius) in [("geocode_house", 1000.0), ("geocode_single", 1000), ("geocode_disk", 3000)] {
            // Disks reach farther than the houses that go: what says "all houses here are known" must go with them.
            for range in GeoCell.ranges(around: record.place.centre, radius: radius) {
                try withStatement("DELETE FROM \(table) WHERE cell BETWEEN ? AND ?") { (statement) throws(StoreError) in
                    try statement.bind(range.lowerBound, at: 1)
                    try statement.bind(range.upperBound, at: 2)
                    try statement.run()
                }
            }
        }
    }

    private func isPlaceUsed(_ place: Int64) throws(StoreError) -> Bool {
        try withStatement(
            """
            SELECT EXISTS (SELECT 1 FROM trip WHERE begin_place = ?1) OR EXISTS (SELECT 1 FROM trip WHERE end_place = ?1)
                OR EXISTS (SELECT 1 FROM stop WHERE place = ?1)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            return try statement.step() ? statement.bool(0) : false
        }
    }

    /// Removes attribute sets that no position refers to any more.
    func forgetAttributes(_ candidates: Set<UInt64>) throws(StoreError) {
        var unused = candidates
        for table in ["chunk", "journal"] where !unused.isEmpty {
            let statement = try ownedStatement("SELECT positions FROM \(table)")
            while try statement.step(), !unused.isEmpty {
                for position in try statement.positions(0) where position.attributes != 0 {
                    unused.remove(position.attributes)
                }
            }
        }
        for reference in unused {
            try run("DELETE FROM attribute_set WHERE reference = ?", Int64(bitPattern: reference))
        }
    }

    private func run(_ sql: String, _ value: Int64) throws(StoreError) {
        try withStatement(sql) { (statement) throws(StoreError) in
            try statement.bind(value, at: 1)
            try statement.run()
        }
    }
}

extension SQLiteConnection.Leftovers {
    fileprivate mutating func note(_ positions: [Position], kept: [Position]) {
        self.positions += Int64(positions.count - kept.count)
        for position in positions where position.attributes != 0 { references.insert(position.attributes) }
    }
}

/// Retention of raw positions by age.
extension SQLiteConnection {
    /// Removes a device's positions before the last settled boundary at or before a horizon.
    ///
    /// What was drawn before the boundary stays and is sealed: a derivation begins at the boundary from now on.
    ///
    /// - Returns: how many positions went.
    /// - Throws: `StoreError`.
    func retain(_ state: DeviceState, from horizon: Timestamp) throws(StoreError) -> Int64 {
        let number = state.number.rawValue
        let boundary = try withStatement(
            "SELECT from_ms, state FROM resumption WHERE device = ? AND from_ms <= ? ORDER BY from_ms DESC LIMIT 1"
        ) { (statement) throws(StoreError) in
            try statement.bind(number, at: 1)
            try statement.bind(horizon, at: 2)
            return try statement.step() ? Resumption(packed: statement.bytes(1)) : nil
        }
        guard let boundary, state.outstanding == nil, state.mark == 0 else { return 0 }
        var limit = boundary.from
        if let last = state.last, last.fixTime < horizon, try isAtRest(number, since: boundary.intervalBegin) {
            // Nothing came since long ago, and the boundary knows the place where it stands: all of it can go.
            limit = horizon
        }
        if let known = state.horizon, known >= limit { return 0 }
        var left = Leftovers()
        let gone = Timestamp(milliseconds: .min)...Timestamp(milliseconds: limit.milliseconds - 1)
        try erasePositions(of: number, in: gone, &left)
        try withStatement("DELETE FROM set_aside WHERE device = ? AND fix_ms < ?") { (statement) throws(StoreError) in
            try statement.bind(number, at: 1)
            try statement.bind(limit, at: 2)
            try statement.run()
        }
        try withStatement("DELETE FROM resumption WHERE device = ? AND from_ms < ?") { (statement) throws(StoreError) in
            try statement.bind(number, at: 1)
            try statement.bind(boundary.from, at: 2)
            try statement.run()
        }
        try withStatement(
            """
            UPDATE device SET horizon_ms = ?2, position_count = position_count - ?3,
                folded_count = (SELECT coalesce(sum(count), 0) FROM chunk WHERE chunk.device = device.number)
            WHERE number = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(number, at: 1)
            try statement.bind(limit, at: 2)
            try statement.bind(left.positions, at: 3)
            try statement.run()
        }
        try forgetAttributes(left.references)
        return left.positions
    }

    /// Whether the last interval of a device is a final stop that begins at an instant.
    private func isAtRest(_ device: Int64, since instant: Timestamp) throws(StoreError) -> Bool {
        try withStatement(
            """
            SELECT 1 FROM stop WHERE device = ?1 AND arrival_ms = ?2 AND is_final = 1
                AND NOT EXISTS (SELECT 1 FROM trip WHERE device = ?1 AND begin_ms > ?2 AND is_removed = 0)
                AND NOT EXISTS (SELECT 1 FROM gap WHERE device = ?1 AND begin_ms > ?2)
                AND NOT EXISTS (SELECT 1 FROM stop WHERE device = ?1 AND arrival_ms > ?2)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            try statement.bind(instant, at: 2)
            return try statement.step()
        }
    }
}
