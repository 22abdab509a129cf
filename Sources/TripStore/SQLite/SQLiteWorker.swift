/// Owns one connection and its thread: all calls on the connection run here, one after the other.
actor SQLiteWorker {
    private let executor: BlockingExecutor
    private var connection: SQLiteConnection?
    private var lock: StoreLock?
    /// The source of the stream that this worker serves now.
    private var source: AnyObject?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The worker that writes: takes the lock, and makes or migrates the tables.
    init(writing path: String, creating: Bool) throws(StoreError) {
        executor = BlockingExecutor(label: "store.writer")
        // First, since a lock leaves its file.
        if !creating { try SQLiteConnection.requireFile(path) }
        lock = try StoreLock(path: path)
        connection = try SQLiteConnection.openForWriting(path: path, creating: creating)
    }

    /// A worker that writes beside others: takes no lock.
    init(sharing path: String) throws(StoreError) {
        executor = BlockingExecutor(label: "store.addresses")
        lock = nil
        connection = try SQLiteConnection.openForSharing(path: path)
    }

    /// A worker that reads.
    init(reading path: String) throws(StoreError) {
        executor = BlockingExecutor(label: "store.reader")
        lock = nil
        connection = try SQLiteConnection.openForReading(path: path)
    }

    /// Runs work on the connection.
    func run<R: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let connection else { throw StoreError(kind: .closed, message: "the store was closed") }
        return try body(connection)
    }

    /// Runs work as one transaction.
    func transaction<R: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let connection else { throw StoreError(kind: .closed, message: "the store was closed") }
        return try connection.transaction { () throws(StoreError) in try body(connection) }
    }

    /// Runs work as one transaction that power loss may undo, but not the end of the process.
    func relaxedTransaction<R: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let connection else { throw StoreError(kind: .closed, message: "the store was closed") }
        try connection.execute("PRAGMA synchronous = NORMAL")
        let result: Result<R, StoreError>
        do throws(StoreError) {
            result = .success(try connection.transaction { () throws(StoreError) in try body(connection) })
        } catch {
            result = .failure(error)
        }
        // Nothing else runs on this connection meanwhile: the worker is an actor and this function does not wait.
        try connection.execute("PRAGMA synchronous = FULL")
        return try result.get()
    }

    /// Gives the next page of a stream; all pages show the state of the first.
    func page<Element: Sendable>(
        of make: @Sendable (SQLiteConnection) throws(StoreError) -> PageSource<Element>
    ) throws(StoreError) -> [Element] {
        guard let connection else { throw StoreError(kind: .closed, message: "the store was closed") }
        if source == nil {
            try connection.execute("BEGIN")
            source = try make(connection)
        }
        guard let source = source as? PageSource<Element> else { return [] }
        let page = try source.next()
        if page.isEmpty {
            self.source = nil
            try connection.execute("COMMIT")
        }
        return page
    }

    func close() {
        source = nil
        connection = nil
        lock = nil
    }
}

/// Gives the rows of one statement in pages.
class PageSource<Element> {
    /// The next records; none when there are no more.
    func next() throws(StoreError) -> [Element] { [] }
}

/// Rows of a statement as they come.
final class RowSource<Element>: PageSource<Element> {
    private let statement: SQLiteStatement
    private let pageSize: Int
    private let convert: (borrowing SQLiteStatement) throws(StoreError) -> Element
    private var isFinished = false

    /// - Parameters:
    ///   - statement: bound and not yet stepped.
    ///   - pageSize: rows at a time.
    ///   - convert: makes a record of the current row.
    init(
        _ statement: consuming SQLiteStatement,
        pageSize: Int = 512,
        convert: @escaping (borrowing SQLiteStatement) throws(StoreError) -> Element
    ) {
        self.statement = statement
        self.pageSize = pageSize
        self.convert = convert
    }

    override func next() throws(StoreError) -> [Element] {
        var page: [Element] = []
        while !isFinished, page.count < pageSize {
            if try statement.step() { page.append(try convert(statement)) } else { isFinished = true }
        }
        return page
    }
}
