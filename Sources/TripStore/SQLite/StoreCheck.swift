import Telemetry
import TripDetection

/// Looks through a whole store for damage and broken promises, on one consistent state.
struct StoreCheck {
    private let connection: SQLiteConnection
    private(set) var findings: [StoreFinding] = []
    /// More of one kind tell nothing new.
    private static let mostOfOneKind = 20
    private var counts: [StoreFinding.Kind: Int] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    mutating func run() throws(StoreError) {
        try checkStructure()
        // Damaged pages would make the rest report damage of their own.
        guard findings.isEmpty else { return }
        try checkDevices()
        try checkAddresses()
    }

    private mutating func report(_ kind: StoreFinding.Kind, _ message: String) {
        counts[kind, default: 0] += 1
        guard counts[kind, default: 0] <= StoreCheck.mostOfOneKind else { return }
        findings.append(StoreFinding(kind: kind, message: message))
    }

    // MARK: Structure

    private mutating func checkStructure() throws(StoreError) {
        let problems = try connection.withStatement("PRAGMA integrity_check(20)") { (statement) throws(StoreError) in
            var problems: [String] = []
            while try statement.step() {
                let text = statement.text(0)
                if text != "ok" { problems.append(text) }
            }
            return problems
        }
        for problem in problems { report(.structure, problem) }
        for table in ["journal", "chunk", "trip", "stop", "gap", "set_aside", "resumption"] {
            let orphans = try connection.integer(
                "SELECT count(*) FROM \(table) WHERE device NOT IN (SELECT number FROM device)"
            )
            if let orphans, orphans > 0 { report(.orphan, "\(orphans) rows of \(table) belong to no device") }
        }
    }

    // MARK: Devices

    private mutating func checkDevices() throws(StoreError) {
        var last = DeviceNumber(rawValue: 0)
        while let state = try connection.state(after: last) {
            last = state.number
            try checkPositions(state)
            try checkTiling(state)
        }
    }

    private mutating func checkPositions(_ state: DeviceState) throws(StoreError) {
        let number = state.number.rawValue
        let decoder = TrackDecoder()
        let statement = try connection.chunkStatement(
            device: number,
            span: Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max)
        )
        var folded: Int64 = 0
        var previous: Position.Key?
        var positions: [Position] = []
        while try statement.step() {
            positions.removeAll(keepingCapacity: true)
            let isWhole = statement.withBytes(3) { bytes in
                do throws(TrackCodecError) {
                    try decoder.decode(raw: bytes, into: &positions)
                    return true
                } catch {
                    return false
                }
            }
            guard isWhole else {
                report(.checksum, "device \(number): a chunk of positions is damaged")
                continue
            }
            folded += Int64(positions.count)
            let isDescribed =
                positions.count == statement.int(2) && positions.first?.fixTime == statement.timestamp(0)
                && positions.last?.fixTime == statement.timestamp(1)
            if !isDescribed { report(.checksum, "device \(number): a chunk is not what its row says") }
            for position in positions {
                if let previous, position.key <= previous {
                    report(.checksum, "device \(number): positions are out of order")
                    break
                }
                previous = position.key
            }
        }
        if folded != state.foldedCount {
            report(.count, "device \(number): \(folded) positions in chunks, \(state.foldedCount) counted")
        }
        let journal = try connection.ownedStatement("SELECT positions FROM journal WHERE device = ?")
        try journal.bind(number, at: 1)
        while try journal.step() {
            do throws(StoreError) {
                _ = try journal.positions(0)
            } catch {
                report(.checksum, "device \(number): a row of the journal is damaged")
            }
        }
    }

    /// Trips, stops and gaps follow each other without overlap or hole; retention may have taken the positions.
    private mutating func checkTiling(_ state: DeviceState) throws(StoreError) {
        let number = state.number.rawValue
        let statement = try connection.ownedStatement(
            """
            SELECT begin_ms, end_ms FROM trip WHERE device = ?1 AND is_removed = 0
            UNION ALL SELECT arrival_ms, departure_ms FROM stop WHERE device = ?1
            UNION ALL SELECT begin_ms, end_ms FROM gap WHERE device = ?1 ORDER BY 1, 2
            """
        )
        try statement.bind(number, at: 1)
        var previous: Int64?
        while try statement.step() {
            let (begin, end) = (statement.int64(0), statement.int64(1))
            if end < begin { report(.tiling, "device \(number): an interval ends before it begins") }
            if let previous, begin != previous {
                report(.tiling, "device \(number): \(begin < previous ? "an overlap" : "a hole") at \(begin) ms")
            }
            previous = end
        }
        if previous == nil, state.outstanding == nil, state.positionCount > 0, state.mark == 0, state.latest != nil {
            report(.tiling, "device \(number): positions without a history")
        }
    }

    // MARK: Addresses

    private mutating func checkAddresses() throws(StoreError) {
        let questions: [(StoreFinding.Kind, String, String)] = [
            (
                .endpoint, "final trips without a place at an end",
                """
                SELECT count(*) FROM trip
                WHERE is_removed = 0 AND is_final = 1 AND (begin_place IS NULL OR end_place IS NULL)
                """
            ),
            (
                .endpoint, "final stops without a place",
                "SELECT count(*) FROM stop WHERE is_final = 1 AND place IS NULL"
            ),
            (
                .endpoint, "trips that point to a missing place",
                """
                SELECT count(*) FROM trip WHERE (begin_place IS NOT NULL AND begin_place NOT IN (SELECT id FROM place))
                    OR (end_place IS NOT NULL AND end_place NOT IN (SELECT id FROM place))
                """
            ),
            (
                .endpoint, "stops that point to a missing place",
                "SELECT count(*) FROM stop WHERE place IS NOT NULL AND place NOT IN (SELECT id FROM place)"
            ),
            (
                .endpoint, "places without an address and without a task",
                """
                SELECT count(*) FROM place WHERE state IN (0, 1) AND corrected IS NULL
                    AND id NOT IN (SELECT place FROM geocode_task)
                    AND (EXISTS (SELECT 1 FROM stop WHERE stop.place = place.id)
                        OR EXISTS (SELECT 1 FROM trip WHERE begin_place = place.id AND is_removed = 0)
                        OR EXISTS (SELECT 1 FROM trip WHERE end_place = place.id AND is_removed = 0))
                """
            ),
            (
                .orphan, "places that nothing points to",
                """
                SELECT count(*) FROM place WHERE corrected IS NULL
                    AND NOT EXISTS (SELECT 1 FROM stop WHERE stop.place = place.id)
                    AND NOT EXISTS (SELECT 1 FROM trip WHERE begin_place = place.id)
                    AND NOT EXISTS (SELECT 1 FROM trip WHERE end_place = place.id)
                """
            ),
            (
                .orphan, "geocode tasks of missing places",
                "SELECT count(*) FROM geocode_task WHERE place NOT IN (SELECT id FROM place)"
            ),
            (
                .count, "trips whose change number is greater than the last one given",
                "SELECT count(*) FROM trip WHERE change > (SELECT value FROM meta WHERE name = 'last_change')"
            ),
        ]
        for (kind, what, sql) in questions {
            if let count = try connection.integer(sql), count > 0 { report(kind, "\(count) \(what)") }
        }
    }
}
