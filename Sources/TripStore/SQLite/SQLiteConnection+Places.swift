import Telemetry

/// Reading of stop places and their addresses; each call belongs into a transaction of the caller.
extension SQLiteConnection {
    /// The places within a radius in metres of a point.
    func places(near point: Coordinate, radius: Double) throws(StoreError) -> [StopPlaceRecord] {
        var found: [StopPlaceRecord] = []
        for range in GeoCell.ranges(around: point, radius: radius) {
            try withStatement(
                "SELECT \(Self.placeColumns) FROM place WHERE cell BETWEEN ? AND ? ORDER BY id"
            ) { (statement) throws(StoreError) in
                try statement.bind(range.lowerBound, at: 1)
                try statement.bind(range.upperBound, at: 2)
                while try statement.step() {
                    let place = Self.place(statement)
                    if place.place.centre.distance(to: point) <= radius { found.append(place) }
                }
            }
        }
        return found
    }

    func place(_ id: Int64) throws(StoreError) -> StopPlaceRecord? {
        try withStatement("SELECT \(Self.placeColumns) FROM place WHERE id = ?") { (statement) throws(StoreError) in
            try statement.bind(id, at: 1)
            return try statement.step() ? Self.place(statement) : nil
        }
    }

    private static let placeColumns = """
        id, first_latitude_e7, first_longitude_e7, latitude_e7, longitude_e7, weight, visits, \(addressColumns)
        """

    private static func place(_ statement: borrowing SQLiteStatement) -> StopPlaceRecord {
        StopPlaceRecord(
            id: statement.int64(0),
            place: StopPlace(
                first: statement.coordinate(1),
                centre: statement.coordinate(3),
                weight: statement.double(5),
                visitCount: statement.int64(6)
            ),
            address: address(statement, from: 7),
            corrected: statement.optionalText(9)
        )
    }

    /// The columns of `place` from which `address` reads the state.
    static let addressColumns = addressColumns(of: "place")

    /// The same of a table with another name, for joins.
    static func addressColumns(of table: String) -> String {
        ["state", "address", "corrected", "reason", "next_try_ms", "language", "resolved_ms"]
            .map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// How many columns `addressColumns` are.
    static let addressColumnCount: Int32 = 7

    /// Reads the address state of a place from its columns; an endpoint without a place is pending.
    static func address(_ statement: borrowing SQLiteStatement, from column: Int32) -> AddressState {
        let address = statement.optionalText(column + 1).flatMap(AddressCode.decode)
        if let line = statement.optionalText(column + 2) {
            // What a person wrote is shown, the parts are those of the answer.
            var shown =
                address
                ?? Address(
                    level: .house,
                    line: line,
                    language: statement.text(column + 5),
                    provider: "",
                    resolvedTime: statement.timestamp(column + 6)
                )
            shown.line = line
            shown.level = .house
            shown.provider = "manual"
            return .resolved(shown)
        }
        switch (statement.int64(column), address) {
        case (1, let address?): return .provisional(address)
        case (2, let address?): return .resolved(address)
        case (3, _): return .nothing
        case (4, _):
            return .failed(
                reason: statement.optionalText(column + 3) ?? "unknown",
                nextTry: statement.optionalTimestamp(column + 4)
            )
        default: return .pending
        }
    }

    /// The stop places of a trip's two ends.
    func places(of trip: TripID) throws(StoreError) -> (begin: StopPlaceRecord?, end: StopPlaceRecord?) {
        guard let parts = trip.parts else { return (nil, nil) }
        let ids = try withStatement(
            """
            SELECT begin_place, end_place FROM trip JOIN device ON device.number = trip.device
            WHERE device.tag = ? AND id_ms = ? AND id_count = ?
            """
        ) { (statement) throws(StoreError) -> (Int64?, Int64?) in
            try statement.bind(Int64(bitPattern: parts.tag), at: 1)
            try statement.bind(parts.begin, at: 2)
            try statement.bind(parts.count, at: 3)
            return try statement.step() ? (statement.optionalInt64(0), statement.optionalInt64(1)) : (nil, nil)
        }
        let begin = if let id = ids.0 { try place(id) } else { StopPlaceRecord?.none }
        let end = if let id = ids.1 { try place(id) } else { StopPlaceRecord?.none }
        return (begin, end)
    }

    /// Sets the line of a place by hand, or takes it off; its task is not needed while there is one.
    func correct(_ id: Int64, line: String?, now: Timestamp) throws(StoreError) {
        guard let old = try place(id) else { throw StoreError(kind: .missing, message: "there is no such place") }
        try withStatement("UPDATE place SET corrected = ? WHERE id = ?") { (statement) throws(StoreError) in
            try statement.bind(line, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
        try withStatement("DELETE FROM geocode_task WHERE place = ?") { (statement) throws(StoreError) in
            try statement.bind(id, at: 1)
            try statement.run()
        }
        if line == nil {
            try withStatement(
                """
                INSERT OR IGNORE INTO geocode_task (place, cell, priority, created_ms, next_ms) VALUES (?, ?, ?, ?4, ?4)
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(id, at: 1)
                try statement.bind(GeoCell.number(of: old.place.centre), at: 2)
                try statement.bind(Int(GeocodeTask.Priority.new.rawValue), at: 3)
                try statement.bind(now, at: 4)
                try statement.run()
            }
        }
        if line != old.corrected { _ = try touchTrips(atPlace: id) }
    }
}
