import Synchronization

/// The store in one SQLite file: WAL, one writing process, readers that it never blocks.
package final class SQLiteStorage: Sendable {
    package enum Mode: Sendable {
        /// Writes, and makes the store when it is missing.
        case create
        /// Writes to a store that must be there.
        case write
        /// Reads, and writes addresses beside the process that writes positions; needs no lock.
        case share
        /// Reads; needs no lock and may be used while another process writes.
        case read
    }

    package let path: String
    private let writer: SQLiteWorker?
    /// Writes addresses where another process may be the writer.
    private let addressWriter: SQLiteWorker?
    /// Workers that nobody uses now; nil when the store was closed.
    private let idleReaders = Mutex<[SQLiteWorker]?>([])
    private static let keptReaders = 4

    /// Opens a store.
    ///
    /// - Throws: `missing`, `busy` when another process writes, `readOnly`, `corrupt`, `foreign` for a file that is no
    ///   store or of a newer version.
    package init(path: String, mode: Mode) throws(StoreError) {
        self.path = path
        switch mode {
        case .create:
            writer = try SQLiteWorker(writing: path, creating: true)
            addressWriter = writer
        case .write:
            writer = try SQLiteWorker(writing: path, creating: false)
            addressWriter = writer
        case .share:
            writer = nil
            addressWriter = try SQLiteWorker(sharing: path)
        case .read:
            (writer, addressWriter) = (nil, nil)
            let reader = try SQLiteWorker(reading: path)
            idleReaders.withLock { $0?.append(reader) }
        }
    }

    /// Runs work as one transaction on the writer's connection; it is durable when this returns.
    func write<R: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await requireWriter().transaction(body)
    }

    /// Runs work on addresses as one transaction; other processes may do so too.
    ///
    /// - Parameters:
    ///   - isRelaxed: whether power loss, but not the end of the process, may undo it: what is lost is only done again.
    ///   - body: the work.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws; `readOnly`.
    func writeAddresses<R: Sendable>(
        isRelaxed: Bool = false,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        guard let addressWriter else {
            throw StoreError(kind: .readOnly, message: "the store was opened for reading")
        }
        return try await isRelaxed ? addressWriter.relaxedTransaction(body) : addressWriter.transaction(body)
    }

    /// Runs work on the writer's connection outside of a transaction, for what SQLite refuses inside of one.
    func maintain<R: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await requireWriter().run(body)
    }

    /// Runs reading work that sees what was last committed.
    func read<R: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let reader = try takeReader()
        let result = try await reader.run(body)
        giveBack(reader)
        return result
    }

    /// A stream of pages from one consistent state, which begins with the first page.
    func stream<Element: Sendable>(
        _ make: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> PageSource<Element>
    ) throws(StoreError) -> RecordStream<Element> {
        let lease = ReaderLease(storage: self, worker: try takeReader())
        return RecordStream { () async throws(StoreError) -> [Element] in
            guard let worker = lease.worker else { return [] }
            let page = try await worker.page(of: make)
            if page.isEmpty { lease.giveBack() }
            return page
        }
    }

    private func requireWriter() throws(StoreError) -> SQLiteWorker {
        guard let writer else { throw StoreError(kind: .readOnly, message: "the store was opened for reading") }
        return writer
    }

    private func takeReader() throws(StoreError) -> SQLiteWorker {
        let (isClosed, idle) = idleReaders.withLock { ($0 == nil, $0?.popLast()) }
        guard !isClosed else { throw StoreError(kind: .closed, message: "the store was closed") }
        if let idle { return idle }
        return try SQLiteWorker(reading: path)
    }

    fileprivate func giveBack(_ reader: SQLiteWorker) {
        idleReaders.withLock { if let count = $0?.count, count < SQLiteStorage.keptReaders { $0?.append(reader) } }
    }

    /// Ends the use of the store; later calls throw kind `closed`.
    package func close() async {
        let readers = idleReaders.withLock { readers in
            defer { readers = nil }
            return readers ?? []
        }
        for reader in readers { await reader.close() }
        await writer?.close()
        await addressWriter?.close()
    }
}

/// Keeps a reader for one stream; one that is left before its end closes its connection with the stream.
private final class ReaderLease: Sendable {
    private let storage: SQLiteStorage
    private let held: Mutex<SQLiteWorker?>

    init(storage: SQLiteStorage, worker: SQLiteWorker) {
        self.storage = storage
        held = Mutex(worker)
    }

    var worker: SQLiteWorker? { held.withLock { $0 } }

    func giveBack() {
        let worker = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let worker { storage.giveBack(worker) }
    }
}
