import Telemetry
import TestSupport
import Testing

@testable import TripStore

@Suite("Query plans") struct QueryPlanTests {
    private func plan(_ sql: String, _ storage: SQLiteStorage) async throws -> [String] {
        try await storage.read { (connection) throws(StoreError) in
            try connection.withStatement("EXPLAIN QUERY PLAN " + sql) { (statement) throws(StoreError) in
                var lines: [String] = []
                while try statement.step() { lines.append(statement.text(3)) }
                return lines
            }
        }
    }

    @Test("History is read through indexes, sorted by them, and no table of it is scanned")
    func history() async throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        var statements: [String] = [HistorySQL.oneTrip, HistorySQL.vehicles]
        for bits in 0..<16 {
            var query = HistoryQuery()
            if bits & 1 != 0 { query.device = DeviceID("car") }
            if bits & 2 != 0 { query.since = Timestamp(milliseconds: 0) }
            if bits & 4 != 0 { query.until = Timestamp(milliseconds: 1) }
            if bits & 8 != 0 { query.afterChange = 0 }
            statements += [HistorySQL.trips(query), HistorySQL.stops(query), HistorySQL.gaps(query)]
            statements.append(HistorySQL.setAside(query))
        }
        for statement in statements {
            let lines = try await plan(statement, storage)
            #expect(!lines.isEmpty)
            for line in lines {
                // Devices may be walked through in the order of their ids: history then is asked for each.
                let isWalk = line.hasPrefix("SCAN d USING INDEX") || line.hasPrefix("SCAN device USING INDEX")
                #expect(isWalk || !line.hasPrefix("SCAN"), "\(line) in \(statement)")
                #expect(!line.contains("TEMP B-TREE"), "\(line) in \(statement)")
            }
        }
    }

    @Test(
        "What the writer and the queue ask for goes through indexes",
        arguments: [
            "SELECT positions FROM journal WHERE device = 1",
            "SELECT 1 FROM chunk WHERE device = 1 AND first_ms <= 5 ORDER BY first_ms DESC LIMIT 1",
            "SELECT number FROM device WHERE outstanding_from_ms IS NOT NULL",
            "SELECT number FROM device WHERE open_until_ms <= 1", "SELECT number FROM device WHERE mark > 0",
            "SELECT 1 FROM trip WHERE begin_place = 1", "SELECT 1 FROM trip WHERE end_place = 1",
            "SELECT 1 FROM stop WHERE place = 1", "SELECT 1 FROM quarantine WHERE hash = 1",
            "SELECT state FROM resumption WHERE device = 1 AND from_ms <= 5 ORDER BY from_ms DESC LIMIT 2",
        ]
    )
    func others(sql: String) async throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        for line in try await plan(sql, storage) {
            #expect(line.hasPrefix("SEARCH") || line.contains("USING COVERING INDEX"), "\(line)")
            #expect(!line.contains("TEMP B-TREE"), "\(line)")
        }
    }
}
