import CSQLite

/// Owns one `sqlite3 *` and the statements prepared on it; used by one actor only.
final class SQLiteConnection {
    enum Access {
        /// Creates the file when it is missing.
        case create
        case write
        case read
        /// For a file on a medium that cannot be written, and that nobody writes.
        case readImmutable
    }

    private let handle: OpaquePointer
    private var idle: [String: OpaquePointer] = [:]

    init(path: String, access: Access) throws(StoreError) {
        var raw: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var name = path
        switch access {
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .write: flags |= SQLITE_OPEN_READWRITE
        case .read: flags |= SQLITE_OPEN_READONLY
        case .readImmutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = "file:" + SQLiteConnection.escaped(path) + "?immutable=1"
        }
        let code = sqlite3_open_v2(name, &raw, flags, nil)
        guard code == SQLITE_OK, let raw else {
            defer { sqlite3_close_v2(raw) }  // a failed open may still hand out a handle
            throw StoreError(sqlite: code, handle: raw)
        }
        handle = raw
        sqlite3_busy_timeout(raw, 5000)
    }

    deinit {
        for statement in idle.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)  // waits for statements that cursors still own
    }

    /// Percent-encodes what has a meaning in a file URI.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), 0...0x20, 0x7f...:
                let hex = String(byte, radix: 16)
                text += hex.count == 1 ? "%0" + hex : "%" + hex
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }

    /// Lends a prepared statement, which is kept for the next time.
    func withStatement<R>(
        _ sql: String,
        _ body: (borrowing SQLiteStatement) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let statement: OpaquePointer
        if let known = idle.removeValue(forKey: sql) { statement = known } else { statement = try prepare(sql) }
        defer {
            if let other = idle.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
        }
        // The lent value is gone, and the statement reset, before it is put back.
        return try lend(statement, body)
    }

    private func lend<R>(
        _ statement: OpaquePointer,
        _ body: (borrowing SQLiteStatement) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let lent = SQLiteStatement(handle: statement, isLent: true)
        return try body(lent)
    }

    /// A statement that its owner keeps over several calls.
    func ownedStatement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        SQLiteStatement(handle: try prepare(sql), isLent: false)
    }

    private func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
        var raw: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
        guard code == SQLITE_OK, let raw else { throw StoreError(sqlite: code, handle: handle) }
        return raw
    }

    /// Runs one or more statements that give no rows of interest.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, handle: handle) }
    }

    /// The first column of the first row, as a number.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        try withStatement(sql) { (statement) throws(StoreError) in
            try statement.step() ? statement.optionalInt64(0) : nil
        }
    }

    /// The number of rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs `body` as one transaction that is durable when this returns, and undone when it throws.
    func transaction<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try execute("BEGIN IMMEDIATE")
        let result: R
        do {
            result = try body()
            try execute("COMMIT")
        } catch {
            // Some errors already rolled back: then there is nothing to do.
            if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
            throw error
        }
        return result
    }

    /// Copies the whole database into an empty one, page by page, while others may write.
    func copy(to target: SQLiteConnection) throws(StoreError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw StoreError(sqlite: sqlite3_errcode(target.handle), handle: target.handle)
        }
        var code = SQLITE_OK
        repeat { code = sqlite3_backup_step(backup, 256) } while code == SQLITE_OK
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw StoreError(sqlite: code == SQLITE_DONE ? end : code, handle: target.handle)
        }
    }
}

extension StoreError {
    /// Maps an extended SQLite result code; `handle` is nil when opening gave none.
    init(sqlite code: Int32, handle: OpaquePointer?) {
        let kind: Kind =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .full
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .foreign
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
            case SQLITE_CANTOPEN: .missing
            default: .other
            }
        let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.init(kind: kind, message: "\(text) (SQLite \(code))")
    }
}
