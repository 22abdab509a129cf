import CSQLite
import Telemetry

/// A prepared statement, lent by its connection or owned by a cursor.
struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer
    private let isLent: Bool

    /// - Parameters:
    ///   - handle: a prepared statement.
    ///   - isLent: whether someone else finalises it.
    init(handle: OpaquePointer, isLent: Bool) {
        self.handle = handle
        self.isLent = isLent
    }

    deinit {
        if isLent {
            sqlite3_reset(handle)  // returns the last step's error again, which `step` already threw
            sqlite3_clear_bindings(handle)
        } else {
            sqlite3_finalize(handle)
        }
    }

    // MARK: Binding; the first parameter is 1

    func bind(_ value: Int64, at index: Int32) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }
    func bind(_ value: Int, at index: Int32) throws(StoreError) { try bind(Int64(value), at: index) }
    func bind(_ value: Int32, at index: Int32) throws(StoreError) { try bind(Int64(value), at: index) }
    func bind(_ value: Bool, at index: Int32) throws(StoreError) { try bind(value ? 1 : Int64(0), at: index) }
    func bind(_ value: Timestamp, at index: Int32) throws(StoreError) { try bind(value.milliseconds, at: index) }
    func bind(_ value: Double, at index: Int32) throws(StoreError) {
        try check(sqlite3_bind_double(handle, index, value))
    }
    func bindNull(at index: Int32) throws(StoreError) { try check(sqlite3_bind_null(handle, index)) }

    func bind(_ value: Int64?, at index: Int32) throws(StoreError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    func bind(_ value: Double?, at index: Int32) throws(StoreError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    func bind(_ value: Timestamp?, at index: Int32) throws(StoreError) {
        try bind(value?.milliseconds, at: index)
    }

    func bind(_ value: String?, at index: Int32) throws(StoreError) {
        guard var value else { return try bindNull(at: index) }
        let code = value.withUTF8 { bytes in
            // An empty buffer may have no address, which would bind NULL.
            bytes.baseAddress.map { base in
                base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    odograph_bind_text(handle, index, $0, sqlite3_uint64(bytes.count))
                }
            } ?? odograph_bind_text(handle, index, "", 0)
        }
        try check(code)
    }

    func bind(_ value: [UInt8]?, at index: Int32) throws(StoreError) {
        guard let value else { return try bindNull(at: index) }
        let code = value.withUnsafeBytes { bytes in
            bytes.baseAddress.map { odograph_bind_blob(handle, index, $0, sqlite3_uint64(bytes.count)) }
                ?? sqlite3_bind_zeroblob(handle, index, 0)
        }
        try check(code)
    }

    /// The number of a named parameter; nil when the statement has none of this name.
    func parameter(_ name: String) -> Int32? {
        let index = sqlite3_bind_parameter_index(handle, name)
        return index > 0 ? index : nil
    }

    // MARK: Running

    /// Moves to the next row.
    ///
    /// - Returns: false when there are no more rows.
    /// - Throws: what the outside world can cause.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        try check(code)
        return false
    }

    /// Runs a statement that gives no rows and makes it ready for new bindings.
    func run() throws(StoreError) {
        while try step() {}
        reset()
    }

    /// Makes the statement ready to run again; bindings stay.
    func reset() { sqlite3_reset(handle) }  // returns the last step's error again, which `step` already threw

    // MARK: Columns; the first is 0

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
    func int32(_ column: Int32) -> Int32 { Int32(truncatingIfNeeded: sqlite3_column_int64(handle, column)) }
    func bool(_ column: Int32) -> Bool { sqlite3_column_int64(handle, column) != 0 }
    func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: int64(column)) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }
    func optionalTimestamp(_ column: Int32) -> Timestamp? { isNull(column) ? nil : timestamp(column) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

    func coordinate(_ column: Int32) -> Coordinate {
        Coordinate(latitudeE7: int32(column), longitudeE7: int32(column + 1))
    }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The bytes of a blob, valid in `body` only.
    func withBytes<R, E: Error>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

    /// Throws what the outside world can cause, and traps on what only our own code can.
    private func check(_ code: Int32) throws(StoreError) {
        switch code & 0xFF {
        case SQLITE_OK: return
        case SQLITE_RANGE, SQLITE_MISUSE: preconditionFailure("SQLite \(code)")
        default: throw StoreError(sqlite: code, handle: sqlite3_db_handle(handle))
        }
    }
}
