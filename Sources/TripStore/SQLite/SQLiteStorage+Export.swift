/// The memory of named exports in the SQLite store; exports run beside the process that writes positions.
extension SQLiteStorage: ExportStorage {
    package func exportCursor(named name: String) async throws(StoreError) -> ExportCursor? {
        try await read { (connection) throws(StoreError) in try connection.exportCursor(named: name) }
    }

    package func moveExportCursor(
        to cursor: ExportCursor,
        from known: ExportCursor?,
        named name: String
    ) async throws(StoreError) -> Bool {
        try await writeAddresses { (connection) throws(StoreError) in
            guard try connection.exportCursor(named: name) == known else { return false }
            try connection.withStatement(
                "INSERT OR REPLACE INTO export (name, change, folder, prepared) VALUES (?, ?, ?, ?)"
            ) { (statement) throws(StoreError) in
                try statement.bind(name, at: 1)
                try statement.bind(cursor.change, at: 2)
                try statement.bind(cursor.folder, at: 3)
                try statement.bind(cursor.prepared, at: 4)
                try statement.run()
            }
            return true
        }
    }
}

extension SQLiteConnection {
    fileprivate func exportCursor(named name: String) throws(StoreError) -> ExportCursor? {
        try withStatement("SELECT change, folder, prepared FROM export WHERE name = ?") {
            (statement) throws(StoreError) in
            try statement.bind(name, at: 1)
            guard try statement.step() else { return nil }
            return ExportCursor(
                change: statement.int64(0),
                folder: statement.text(1),
                prepared: statement.text(2)
            )
        }
    }
}

/// The table of named exports.
enum ExportSchema {
    static let version1 = """
        CREATE TABLE export (
            name TEXT PRIMARY KEY,
            change INTEGER NOT NULL, -- delivered up to here
            folder TEXT NOT NULL,
            prepared TEXT NOT NULL -- files that wait for their place
        ) WITHOUT ROWID;

        """
}
