package import Telemetry
import TripDetection

extension SQLiteStorage: HistoryReading {
    package func trips(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<TripRecord> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(HistorySQL.trips(query))
            try query.bind(to: statement)
            let names = try UserPlaceNames(connection.userPlaces())
            return RowSource(statement) { (row) throws(StoreError) in try TripRecord(row, names: names) }
        }
    }

    package func stops(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<StopRecord> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(HistorySQL.stops(query))
            try query.bind(to: statement)
            let names = try UserPlaceNames(connection.userPlaces())
            return RowSource(statement) { (row) throws(StoreError) in
                var record = StopRecord(
                    device: try row.device(Stop.columnCount),
                    vehicle: row.text(Stop.columnCount + 1),
                    stop: Stop(row),
                    address: SQLiteConnection.address(row, from: Stop.columnCount + 2)
                )
                let visits = Stop.columnCount + 2 + SQLiteConnection.addressColumnCount
                record.place.name = names.name(of: record.stop.centre)
                record.place.visitCount = row.optionalInt64(visits)
                return record
            }
        }
    }

    package func gaps(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<GapRecord> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(HistorySQL.gaps(query))
            try query.bind(to: statement)
            return RowSource(statement) { (row) throws(StoreError) in
                GapRecord(
                    device: try row.device(Gap.columnCount),
                    vehicle: row.text(Gap.columnCount + 1),
                    gap: Gap(row)
                )
            }
        }
    }

    package func vehicles() async throws(StoreError) -> RecordStream<VehicleRecord> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(HistorySQL.vehicles)
            return RowSource(statement) { (row) throws(StoreError) in
                VehicleRecord(
                    device: try row.device(0),
                    vehicle: row.text(1),
                    positionCount: row.int64(2),
                    first: try PositionCode.decode(row, 3),
                    latest: try PositionCode.decode(row, 4),
                    lastContact: row.optionalTimestamp(5),
                    watermark: row.optionalTimestamp(6)
                )
            }
        }
    }

    package func trip(_ id: TripID) async throws(StoreError) -> TripRecord? {
        guard let parts = id.parts else { return nil }
        return try await read { (connection) throws(StoreError) in
            try connection.withStatement(HistorySQL.oneTrip) { (statement) throws(StoreError) in
                try statement.bind(Int64(bitPattern: parts.tag), at: 1)
                try statement.bind(parts.begin, at: 2)
                try statement.bind(parts.count, at: 3)
                guard try statement.step() else { return nil }
                return try TripRecord(statement, names: UserPlaceNames(connection.userPlaces()))
            }
        }
    }

    package func path(of id: TripID) async throws(StoreError) -> [Position]? {
        guard let record = try await trip(id) else { return nil }
        let span = record.trip.begin...max(record.trip.begin, record.trip.end)
        return try await read { (connection) throws(StoreError) in
            try connection.transactionForReading { () throws(StoreError) in
                guard let state = try connection.state(of: record.device) else { return [] }
                let unused = try connection.history(of: state.number, from: span.lowerBound, until: span.upperBound + 1)
                    .setAside.map(\.key)
                let source = try PositionSource(connection, device: state.number, span: span)
                var path: [Position] = []
                var next = unused.makeIterator()
                var skipped = next.next()
                while true {
                    let page = try source.next()
                    if page.isEmpty { return path }
                    for position in page {
                        while let key = skipped, key < position.key { skipped = next.next() }
                        if skipped != position.key { path.append(position) }
                    }
                }
            }
        }
    }

    package func positions(
        of device: DeviceID,
        in span: ClosedRange<Timestamp>?
    ) async throws(StoreError) -> RecordStream<Position> {
        try stream { (connection) throws(StoreError) in
            guard let state = try connection.state(of: device) else { return PageSource() }
            return try PositionSource(
                connection,
                device: state.number,
                span: span ?? Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max)
            )
        }
    }

    package func setAside(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<SetAsideRecord> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(HistorySQL.setAside(query))
            try query.bind(to: statement)
            return RowSource(statement) { (row) throws(StoreError) in
                SetAsideRecord(
                    device: try row.device(SetAside.columnCount),
                    vehicle: row.text(SetAside.columnCount + 1),
                    setAside: SetAside(row)
                )
            }
        }
    }

    package func refusals() async throws(StoreError) -> RecordStream<Refusal> {
        try stream { (connection) throws(StoreError) in
            let statement = try connection.ownedStatement(
                "SELECT reason, source, place, detail, device, content FROM quarantine ORDER BY id"
            )
            return RowSource(statement) { (row) throws(StoreError) in
                Refusal(
                    reason: Refusal.Reason(rawValue: row.text(0)) ?? .malformed,
                    source: row.text(1),
                    place: row.text(2),
                    detail: row.text(3),
                    device: row.isNull(4) ? nil : try row.device(4),
                    content: row.text(5)
                )
            }
        }
    }

    package func refusalCounts() async throws(StoreError) -> [Refusal.Reason: Int] {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                "SELECT reason, count(*) FROM quarantine GROUP BY reason"
            ) { (statement) throws(StoreError) in
                var counts: [Refusal.Reason: Int] = [:]
                while try statement.step() {
                    counts[Refusal.Reason(rawValue: statement.text(0)) ?? .malformed, default: 0] += statement.int(1)
                }
                return counts
            }
        }
    }

    package func attributes(_ references: [UInt64]) async throws(StoreError) -> [UInt64: AttributeSet] {
        try await read { (connection) throws(StoreError) in
            try connection.withStatement(
                "SELECT json FROM attribute_set WHERE reference = ?"
            ) { (statement) throws(StoreError) in
                var sets: [UInt64: AttributeSet] = [:]
                for reference in references {
                    try statement.bind(Int64(bitPattern: reference), at: 1)
                    if try statement.step() { sets[reference] = AttributeSet(canonicalJSON: statement.text(0)) }
                    statement.reset()
                }
                return sets
            }
        }
    }

    package func totals() async throws(StoreError) -> StoreTotals {
        try await read { (connection) throws(StoreError) in
            try connection.transactionForReading { () throws(StoreError) in
                var totals = StoreTotals()
                totals.vehicles = try connection.integer("SELECT count(*) FROM device WHERE last IS NOT NULL") ?? 0
                totals.positions = try connection.integer("SELECT coalesce(sum(position_count), 0) FROM device") ?? 0
                totals.trips = try connection.integer("SELECT count(*) FROM trip WHERE is_removed = 0") ?? 0
                totals.stops = try connection.integer("SELECT count(*) FROM stop") ?? 0
                totals.gaps = try connection.integer("SELECT count(*) FROM gap") ?? 0
                totals.refusals = try connection.integer("SELECT count(*) FROM quarantine") ?? 0
                return totals
            }
        }
    }

    package func lastChange() async throws(StoreError) -> Int64 {
        try await read { (connection) throws(StoreError) in try connection.lastChange() }
    }
}

extension TripRecord {
    /// Reads a row of `HistorySQL.trips`.
    init(_ statement: borrowing SQLiteStatement, names: UserPlaceNames) throws(StoreError) {
        let row = TripRow(statement)
        let next = TripRow.columnCount
        self.init(
            id: TripID(tag: UInt64(bitPattern: statement.int64(next)), begin: row.idBegin, count: row.idCount),
            device: try statement.device(next + 1),
            vehicle: statement.text(next + 2),
            trip: row.trip,
            revision: row.revision,
            change: row.change,
            isRemoved: row.isRemoved,
            beginAddress: SQLiteConnection.address(statement, from: next + 3),
            endAddress: SQLiteConnection.address(statement, from: next + 3 + SQLiteConnection.addressColumnCount)
        )
        let visits = next + 3 + 2 * SQLiteConnection.addressColumnCount
        beginPlace = EndpointPlace(
            name: names.name(of: trip.beginPoint),
            visitCount: statement.optionalInt64(visits)
        )
        endPlace = EndpointPlace(
            name: names.name(of: trip.endPoint),
            visitCount: statement.optionalInt64(visits + 1)
        )
    }
}
