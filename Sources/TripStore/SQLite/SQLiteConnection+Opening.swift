#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SQLiteConnection {
    /// Opens a store for its one writer; a new or empty file gets the tables, an older version the migrations.
    static func openForWriting(path: String, creating: Bool) throws(StoreError) -> SQLiteConnection {
        if !creating { try requireFile(path) }
        let connection = try SQLiteConnection(path: path, access: creating ? .create : .write)
        try connection.execute("PRAGMA cache_size = -12000; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF")
        let version = try connection.checkedVersion(allowsEmpty: creating)
        if version == nil {
            // The page size must be set before the first page is written, and WAL outside of a transaction.
            try connection.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = NONE")
        }
        try connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864"
        )
        try connection.migrate(from: version ?? 0)
        return connection
    }

    /// Opens a store that someone else may be writing, or that lies on a medium that cannot be written.
    static func openForReading(path: String) throws(StoreError) -> SQLiteConnection {
        try requireFile(path)
        do throws(StoreError) {
            return try openForReading(path: path, access: .read)
        } catch {
            // Without the right to make the files of WAL beside it, a store can be read as long as it needs no WAL.
            var status = stat()
            let hasWAL = stat(path + "-wal", &status) == 0 && status.st_size > 0
            guard error.kind == .missing || error.kind == .readOnly, !hasWAL else { throw error }
            return try openForReading(path: path, access: .readImmutable)
        }
    }

    /// Opens a store of this version for small transactions beside its writer.
    static func openForSharing(path: String) throws(StoreError) -> SQLiteConnection {
        try requireFile(path)
        let connection = try openForReading(path: path, access: .write)
        // A counted call must stay counted whatever happens to the machine.
        try connection.execute("PRAGMA synchronous = FULL")
        return connection
    }

    private static func openForReading(path: String, access: Access) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: access)
        try connection.execute("PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY")
        let version = try connection.checkedVersion(allowsEmpty: false)
        guard version == Schema.version else {
            throw StoreError(
                kind: .foreign,
                message: "an older version wrote the store; `odograph store migrate` updates it"
            )
        }
        return connection
    }

    static func requireFile(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StoreError(
                kind: errno == EACCES ? .readOnly : .missing,
                message: "there is no store at \(path): \(String(cString: strerror(errno)))"
            )
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(kind: .foreign, message: "\(path) is no file")
        }
    }

    /// Looks whether the file is a store of ours.
    ///
    /// - Returns: its version, or nil for an empty file.
    private func checkedVersion(allowsEmpty: Bool) throws(StoreError) -> Int64? {
        let application = try integer("PRAGMA application_id") ?? 0
        let version = try integer("PRAGMA user_version") ?? 0
        if application == Schema.applicationID {
            guard version <= Schema.version else {
                throw StoreError(kind: .foreign, message: "a newer version of Odograph wrote the store")
            }
            return version
        }
        guard allowsEmpty, application == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 else {
            throw StoreError(kind: .foreign, message: "the file is a database, but no store of Odograph")
        }
        return nil
    }

    /// Takes each step that is missing, as one transaction with the version that it leads to.
    private func migrate(from version: Int64) throws(StoreError) {
        for (index, statements) in Schema.migrations.enumerated() where index >= version {
            try transaction { () throws(StoreError) in
                try execute(statements)
                try execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
