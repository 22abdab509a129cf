import CSQLite
import Telemetry

/// The baseline of the store: a row for each position with an index, written in groups with fsync, and nothing else.
final class RowStore {
    private let handle: OpaquePointer
    private let insert: OpaquePointer
    let groupSize: Int
    private var waiting = 0

    struct Failure: Error { var code: Int32 }

    init(path: String, groupSize: Int = 10_000) throws {
        var raw: OpaquePointer?
        guard sqlite3_open(path, &raw) == SQLITE_OK, let raw else { throw Failure(code: sqlite3_errcode(raw)) }
        handle = raw
        self.groupSize = groupSize
        sqlite3_exec(
            raw,
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE position (vehicle TEXT NOT NULL, time_ms INTEGER NOT NULL, latitude REAL NOT NULL,
                longitude REAL NOT NULL, speed REAL, heading REAL, ignition INTEGER);
            CREATE INDEX position_time ON position (vehicle, time_ms);
            """,
            nil,
            nil,
            nil
        )
        var statement: OpaquePointer?
        sqlite3_prepare_v2(raw, "INSERT INTO position VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &statement, nil)
        guard let statement else { throw Failure(code: sqlite3_errcode(raw)) }
        insert = statement
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(handle)
    }

    func add(_ position: Position, device: DeviceID) throws {
        if waiting == 0 { try run("BEGIN") }
        _ = device.text.withCString { text in
            odograph_bind_text(insert, 1, text, sqlite3_uint64(device.text.utf8.count))
        }
        sqlite3_bind_int64(insert, 2, position.fixTime.milliseconds)
        sqlite3_bind_double(insert, 3, position.coordinate.latitude)
        sqlite3_bind_double(insert, 4, position.coordinate.longitude)
        if let speed = position.speed { sqlite3_bind_double(insert, 5, speed) } else { sqlite3_bind_null(insert, 5) }
        if let heading = position.heading {
            sqlite3_bind_double(insert, 6, heading)
        } else {
            sqlite3_bind_null(insert, 6)
        }
        if let ignition = position.ignition {
            sqlite3_bind_int(insert, 7, ignition ? 1 : 0)
        } else {
            sqlite3_bind_null(insert, 7)
        }
        let code = sqlite3_step(insert)
        sqlite3_reset(insert)
        guard code == SQLITE_DONE else { throw Failure(code: code) }
        waiting += 1
        if waiting >= groupSize { try commit() }
    }

    func commit() throws {
        guard waiting > 0 else { return }
        waiting = 0
        try run("COMMIT")
    }

    private func run(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Failure(code: code) }
    }
}
