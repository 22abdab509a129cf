package import Telemetry
package import TripDetection

extension SQLiteStorage: TrackStorage {
    package func states(of devices: [DeviceID]) async throws(StoreError) -> [DeviceState] {
        try await write { (connection) throws(StoreError) in
            var states: [DeviceState] = []
            for device in devices {
                if let known = try connection.state(of: device) {
                    states.append(known)
                } else {
                    states.append(try connection.register(device))
                }
            }
            return states
        }
    }

    package func knownStates(of devices: [DeviceID]) async throws(StoreError) -> [DeviceState?] {
        try await read { (connection) throws(StoreError) in
            var states: [DeviceState?] = []
            for device in devices { states.append(try connection.state(of: device)) }
            return states
        }
    }

    package func states(numbered numbers: [DeviceNumber]) async throws(StoreError) -> [DeviceState] {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                "SELECT \(DeviceState.columns) FROM device WHERE number = ?"
            ) { (statement) throws(StoreError) in
                var states: [DeviceState] = []
                for number in numbers {
                    try statement.bind(number.rawValue, at: 1)
                    if try statement.step() { states.append(try DeviceState(statement)) }
                    statement.reset()
                }
                return states
            }
        }
    }

    package func outstandingDevices(asOf: Timestamp) async throws(StoreError) -> [DeviceState] {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                """
                SELECT \(DeviceState.columns) FROM device WHERE number IN (
                    SELECT number FROM device WHERE outstanding_from_ms IS NOT NULL
                    UNION SELECT number FROM device WHERE mark > 0
                    UNION SELECT number FROM device WHERE open_until_ms <= ?)
                ORDER BY number
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(asOf, at: 1)
                var states: [DeviceState] = []
                while try statement.step() { states.append(try DeviceState(statement)) }
                return states
            }
        }
    }

    package func journal() async throws(StoreError) -> RecordStream<JournalRow> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(
                "SELECT sequence, device, positions, new_count FROM journal ORDER BY sequence"
            )
            return RowSource(statement) { (row) throws(StoreError) in
                JournalRow(
                    sequence: row.int64(0),
                    device: DeviceNumber(rawValue: row.int64(1)),
                    positions: try row.positions(2),
                    newCount: row.int(3)
                )
            }
        }
    }

    package func chunks(
        of device: DeviceNumber,
        in span: ClosedRange<Timestamp>
    ) async throws(StoreError) -> RecordStream<StoredChunk> {
        try stream { (connection) throws(StoreError) in
            RowSource(try connection.chunkStatement(device: device.rawValue, span: span), pageSize: 64) { row in
                StoredChunk(first: row.timestamp(0), last: row.timestamp(1), count: row.int(2), bytes: row.bytes(3))
            }
        }
    }

    package func chunks(holding requests: [ChunkRequest]) async throws(StoreError) -> [HeldChunks] {
        try await read { (connection) throws(StoreError) in
            try connection.transactionForReading { () throws(StoreError) in
                var answers: [HeldChunks] = []
                for request in requests { answers.append(try connection.chunks(holding: request)) }
                return answers
            }
        }
    }

    package func tripCount(of devices: [DeviceNumber]) async throws(StoreError) -> Int {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                "SELECT count(*) FROM trip WHERE device = ? AND is_removed = 0"
            ) { (statement) throws(StoreError) in
                var sum = 0
                for device in devices {
                    try statement.bind(device.rawValue, at: 1)
                    if try statement.step() { sum += statement.int(0) }
                    statement.reset()
                }
                return sum
            }
        }
    }

    package func history(
        of device: DeviceNumber,
        from: Timestamp,
        until: Timestamp?
    ) async throws(StoreError) -> StoredHistory {
        try await read { (connection) throws(StoreError) in
            try connection.transactionForReading { () throws(StoreError) in
                try connection.history(of: device, from: from, until: until ?? Timestamp(milliseconds: .max))
            }
        }
    }

    package func lastResumptions(
        of device: DeviceNumber,
        atOrBefore instant: Timestamp,
        limit: Int
    ) async throws(StoreError) -> [Resumption] {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                "SELECT state FROM resumption WHERE device = ? AND from_ms <= ? ORDER BY from_ms DESC LIMIT ?"
            ) { (statement) throws(StoreError) in
                try statement.bind(device.rawValue, at: 1)
                try statement.bind(instant, at: 2)
                try statement.bind(limit, at: 3)
                var resumptions: [Resumption] = []
                // What another version wrote is passed over: an earlier one, or the beginning, serves as well.
                while try statement.step() {
                    if let known = Resumption(packed: statement.bytes(0)) { resumptions.append(known) }
                }
                return resumptions
            }
        }
    }

    package func settings() async throws(StoreError) -> StoredSettings {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement("SELECT device, name, value FROM setting") { (statement) throws(StoreError) in
                var settings = StoredSettings()
                while try statement.step() {
                    if statement.text(0).isEmpty {
                        settings.common[statement.text(1)] = statement.double(2)
                    } else {
                        settings.devices[try statement.device(0), default: [:]][statement.text(1)] = statement.double(2)
                    }
                }
                return settings
            }
        }
    }

    package func setSetting(_ name: String, to value: Double?, device: DeviceID?) async throws(StoreError) {
        try await write { (connection) throws(StoreError) in
            let sql =
                value == nil
                ? "DELETE FROM setting WHERE device = ? AND name = ?"
                : "INSERT OR REPLACE INTO setting VALUES (?, ?, ?)"
            try connection.withStatement(sql) { (statement) throws(StoreError) in
                try statement.bind(device?.text ?? "", at: 1)
                try statement.bind(name, at: 2)
                if let value { try statement.bind(value, at: 3) }
                try statement.run()
            }
            try connection.markForDerivation(device)
        }
    }

    package func markForDerivation(_ device: DeviceID?) async throws(StoreError) {
        try await write { (connection) throws(StoreError) in try connection.markForDerivation(device) }
    }
}

extension SQLiteConnection {
    /// Runs several reads on one consistent state.
    func transactionForReading<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try execute("BEGIN")
        let result: R
        do throws(StoreError) {
            result = try body()
        } catch {
            try execute("ROLLBACK")
            throw error
        }
        try execute("COMMIT")
        return result
    }

    func state(of device: DeviceID) throws(StoreError) -> DeviceState? {
        try withStatement("SELECT \(DeviceState.columns) FROM device WHERE id = ?") { (statement) throws(StoreError) in
            try statement.bind(device.text, at: 1)
            return try statement.step() ? try DeviceState(statement) : nil
        }
    }

    /// The device with the next number.
    func state(after number: DeviceNumber) throws(StoreError) -> DeviceState? {
        try withStatement(
            "SELECT \(DeviceState.columns) FROM device WHERE number > ? ORDER BY number LIMIT 1"
        ) { (statement) throws(StoreError) in
            try statement.bind(number.rawValue, at: 1)
            return try statement.step() ? try DeviceState(statement) : nil
        }
    }

    /// Makes a row for a device, with a tag that no other device of the store has.
    func register(_ device: DeviceID) throws(StoreError) -> DeviceState {
        var tag = TripID.tag(of: device)
        func isTaken(_ tag: UInt64) throws(StoreError) -> Bool {
            try withStatement("SELECT 1 FROM device WHERE tag = ?") { (statement) throws(StoreError) in
                try statement.bind(Int64(bitPattern: tag), at: 1)
                return try statement.step()
            }
        }
        while try isTaken(tag) { tag &+= 1 }
        try withStatement("INSERT INTO device (id, tag) VALUES (?, ?)") { (statement) throws(StoreError) in
            try statement.bind(device.text, at: 1)
            try statement.bind(Int64(bitPattern: tag), at: 2)
            try statement.run()
        }
        return DeviceState(number: DeviceNumber(rawValue: lastInsertedRow), device: device)
    }

    func markForDerivation(_ device: DeviceID?) throws(StoreError) {
        try withStatement(
            "UPDATE device SET mark = mark + 1 WHERE position_count > 0 AND (?1 IS NULL OR id = ?1)"
        ) { (statement) throws(StoreError) in
            try statement.bind(device?.text, at: 1)
            try statement.run()
        }
    }

    /// The chunks that have a position in a span: first and last time, count, positions.
    func chunkStatement(device: Int64, span: ClosedRange<Timestamp>) throws(StoreError) -> SQLiteStatement {
        // Chunks of a device do not overlap in time: at most the last one that begins before the span reaches into it.
        let statement = try ownedStatement(
            """
            SELECT first_ms, last_ms, count, positions FROM chunk
            WHERE device = ?1 AND first_ms <= ?3 AND last_ms >= ?2 AND first_ms >= coalesce(
                (SELECT first_ms FROM chunk WHERE device = ?1 AND first_ms <= ?2 ORDER BY first_ms DESC LIMIT 1), ?2)
            ORDER BY first_ms
            """
        )
        try statement.bind(device, at: 1)
        try statement.bind(span.lowerBound, at: 2)
        try statement.bind(span.upperBound, at: 3)
        return statement
    }

    func chunks(holding request: ChunkRequest) throws(StoreError) -> HeldChunks {
        var answer = HeldChunks()
        var index = 0
        while index < request.times.count {
            let time = request.times[index]
            let found = try withStatement(
                """
                SELECT first_ms, last_ms, count, positions FROM chunk WHERE device = ? AND first_ms <= ?
                ORDER BY first_ms DESC LIMIT 1
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(request.device.rawValue, at: 1)
                try statement.bind(time, at: 2)
                guard try statement.step() else { return StoredChunk?.none }
                return StoredChunk(
                    first: statement.timestamp(0),
                    last: statement.timestamp(1),
                    count: statement.int(2),
                    bytes: statement.bytes(3)
                )
            }
            let follower = try withStatement(
                "SELECT first_ms FROM chunk WHERE device = ? AND first_ms > ? ORDER BY first_ms LIMIT 1"
            ) { (statement) throws(StoreError) in
                try statement.bind(request.device.rawValue, at: 1)
                try statement.bind(time, at: 2)
                return try statement.step() ? statement.timestamp(0) : nil
            }
            if let found {
                answer.chunks.append(found)
                answer.followers.append(follower)
            }
            guard let follower else { break }
            while index < request.times.count, request.times[index] < follower { index += 1 }
        }
        return answer
    }

    func history(of device: DeviceNumber, from: Timestamp, until: Timestamp) throws(StoreError) -> StoredHistory {
        var history = StoredHistory()
        let tag = try tag(of: device)
        func rows(_ sql: String, _ body: (borrowing SQLiteStatement) throws(StoreError) -> Void) throws(StoreError) {
            try withStatement(sql) { (statement) throws(StoreError) in
                try statement.bind(device.rawValue, at: 1)
                try statement.bind(from, at: 2)
                try statement.bind(until, at: 3)
                while try statement.step() { try body(statement) }
            }
        }
        try rows(
            """
            SELECT \(TripRow.columns) FROM trip AS t
            WHERE device = ? AND begin_ms >= ? AND begin_ms < ? AND is_removed = 0 ORDER BY begin_ms
            """
        ) { (statement) throws(StoreError) in
            let row = TripRow(statement)
            history.trips.append(
                StoredTrip(id: TripID(tag: tag, begin: row.idBegin, count: row.idCount), trip: row.trip)
            )
        }
        try rows(
            "SELECT \(Stop.columns) FROM stop AS t WHERE device = ? AND arrival_ms >= ? AND arrival_ms < ? ORDER BY arrival_ms"
        ) { (statement) throws(StoreError) in history.stops.append(Stop(statement)) }
        try rows(
            "SELECT \(Gap.columns) FROM gap AS t WHERE device = ? AND begin_ms >= ? AND begin_ms < ? ORDER BY begin_ms"
        ) { (statement) throws(StoreError) in history.gaps.append(Gap(statement)) }
        try rows(
            """
            SELECT \(SetAside.columns) FROM set_aside AS t WHERE device = ? AND fix_ms >= ? AND fix_ms < ?
            ORDER BY fix_ms, latitude_e7, longitude_e7
            """
        ) { (statement) throws(StoreError) in history.setAside.append(SetAside(statement)) }
        try rows(
            "SELECT state FROM resumption WHERE device = ? AND from_ms >= ? AND from_ms < ? ORDER BY from_ms"
        ) { (statement) throws(StoreError) in
            if let known = Resumption(packed: statement.bytes(0)) { history.resumptions.append(known) }
        }
        return history
    }

    func tag(of device: DeviceNumber) throws(StoreError) -> UInt64 {
        try withStatement("SELECT tag FROM device WHERE number = ?") { (statement) throws(StoreError) in
            try statement.bind(device.rawValue, at: 1)
            return try statement.step() ? UInt64(bitPattern: statement.int64(0)) : 0
        }
    }
}
