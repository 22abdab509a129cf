package import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SQLiteStorage: UpkeepStorage {
    package func check() async throws(StoreError) -> [StoreFinding] {
        try await read { (connection) throws(StoreError) in
            try connection.transactionForReading { () throws(StoreError) in
                var check = StoreCheck(connection)
                try check.run()
                return check.findings
            }
        }
    }

    package func compact() async throws(StoreError) {
        var last: Int64? = 0
        while let device = last {
            last = try await write { (connection) throws(StoreError) in
                try connection.mergeShortChunks(afterDevice: device)
            }
        }
        try await maintain { (connection) throws(StoreError) in
            // The copy that VACUUM makes may be larger than memory.
            try connection.execute("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")
            try connection.execute("PRAGMA optimize")
            // The log still holds what was there before; it is cut to nothing when no reader needs it.
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    package func erase(_ erasure: Erasure) async throws(StoreError) -> ErasureSummary {
        try await write { (connection) throws(StoreError) in try connection.erase(erasure) }
    }

    package func retain(from horizon: Timestamp) async throws(StoreError) -> Int64 {
        var last = DeviceNumber(rawValue: 0)
        var removed: Int64 = 0
        while true {
            // A transaction for each device: a crash in between leaves every device as it was or as it shall be.
            let previous = last
            let step = try await write { (connection) throws(StoreError) -> (DeviceNumber, Int64)? in
                guard let state = try connection.state(after: previous) else { return nil }
                return (state.number, try connection.retain(state, from: horizon))
            }
            guard let step else { return removed }
            (last, removed) = (step.0, removed + step.1)
        }
    }

    package func backUp(to path: String) async throws(StoreError) {
        try await read { (connection) throws(StoreError) in
            try SQLiteStorage.write(to: path, replacing: false) { (partial) throws(StoreError) in
                let target = try SQLiteConnection(path: partial, access: .create)
                try connection.transactionForReading { () throws(StoreError) in try connection.copy(to: target) }
            }
        }
    }

    /// Puts a backup in the place of a store, after it was checked.
    ///
    /// - Parameters:
    ///   - backup: a file that `backUp` wrote.
    ///   - path: where the store shall be.
    ///   - replacing: whether a store that is there already may go.
    /// - Throws: `exists` when there is one and it may not; `corrupt` when the backup's check finds anything; `busy` when
    ///   a process writes to the store.
    package static func restore(
        _ backup: String,
        to path: String,
        replacing: Bool
    ) async throws(StoreError) {
        let source = try SQLiteStorage(path: backup, mode: .read)
        let findings = try await source.check()
        if let first = findings.first {
            await source.close()
            throw StoreError(kind: .corrupt, message: "the backup is not sound: \(first.message)")
        }
        let lock = try StoreLock(path: path)
        try await source.read { (connection) throws(StoreError) in
            try write(to: path, replacing: replacing) { (partial) throws(StoreError) in
                let target = try SQLiteConnection(path: partial, access: .create)
                try connection.copy(to: target)
            }
        }
        await source.close()
        _ = consume lock
    }

    /// Writes a file under another name and moves it to its place when it is whole and on the disk.
    private static func write(
        to path: String,
        replacing: Bool,
        _ body: (String) throws(StoreError) -> Void
    ) throws(StoreError) {
        let exists = access(path, F_OK) == 0
        guard replacing || !exists else { throw StoreError(kind: .exists, message: "\(path) exists already") }
        let partial = path + ".partial"
        unlink(partial)
        do throws(StoreError) {
            try body(partial)
            try synchronize(partial)
            if replacing {
                // What the log of the old store holds does not belong to the new one.
                unlink(path + "-wal")
                unlink(path + "-shm")
                guard rename(partial, path) == 0 else { throw StoreError(path: path, errno) }
            } else {
                // Unlike a rename, a link never replaces a file that came meanwhile.
                guard link(partial, path) == 0 else {
                    throw errno == EEXIST
                        ? StoreError(kind: .exists, message: "\(path) exists already") : StoreError(path: path, errno)
                }
                unlink(partial)
            }
            try synchronize(folder(of: path))
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a file, or a folder's list of files, durable.
    private static func synchronize(_ path: String) throws(StoreError) {
        guard let file = fopen(path, "r") else { throw StoreError(path: path, errno) }
        defer { fclose(file) }
        guard fsync(fileno(file)) == 0 else { throw StoreError(path: path, errno) }
    }
}

extension StoreError {
    /// A failure of the file system.
    init(path: String, _ code: Int32) {
        let kind: Kind =
            switch code {
            case ENOSPC, EDQUOT: .full
            case EROFS, EACCES, EPERM: .readOnly
            case ENOENT, ENOTDIR: .missing
            case EEXIST: .exists
            default: .other
            }
        self.init(kind: kind, message: "\(path): \(String(cString: strerror(code)))")
    }
}

extension SQLiteConnection {
    /// Merges chunks that have room with their neighbours, for the next device.
    ///
    /// - Parameter device: the last one that was done.
    /// - Returns: the device that was done now; nil when there are no more.
    /// - Throws: `StoreError`.
    fileprivate func mergeShortChunks(afterDevice device: Int64) throws(StoreError) -> Int64? {
        guard let next = try next(after: device) else { return nil }
        let statement = try ownedStatement(
            "SELECT first_ms, count, positions FROM chunk WHERE device = ? ORDER BY first_ms"
        )
        try statement.bind(next, at: 1)
        var packer = ChunkPacker()
        while try statement.step() {
            let count = statement.int(1)
            if packer.leaves(count) {
                try write(packer.take(), device: next)
            } else {
                packer.add(try statement.positions(2), first: statement.int64(0))
                if packer.isLarge { try write(packer.take(), device: next) }
            }
        }
        try write(packer.take(), device: next)
        return next
    }

    private func next(after device: Int64) throws(StoreError) -> Int64? {
        try withStatement("SELECT min(number) FROM device WHERE number > ?") { (statement) throws(StoreError) in
            try statement.bind(device, at: 1)
            return try statement.step() ? statement.optionalInt64(0) : nil
        }
    }

    private func write(_ repacked: ChunkPacker.Repacked, device: Int64) throws(StoreError) {
        guard repacked.changes else { return }
        for first in repacked.removed {
            try withStatement("DELETE FROM chunk WHERE device = ? AND first_ms = ?") { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(first, at: 2)
                try statement.run()
            }
        }
        let encoder = TrackEncoder()
        for piece in repacked.pieces {
            guard let first = piece.first, let last = piece.last else { continue }
            try withStatement("INSERT INTO chunk VALUES (?, ?, ?, ?, ?)") { (statement) throws(StoreError) in
                try statement.bind(device, at: 1)
                try statement.bind(first.fixTime, at: 2)
                try statement.bind(last.fixTime, at: 3)
                try statement.bind(piece.count, at: 4)
                try statement.bind(encoder.encode(piece), at: 5)
                try statement.run()
            }
        }
    }
}

/// Collects neighbouring chunks that have room, and cuts them anew.
private struct ChunkPacker {
    /// A chunk with at least so many positions is left as it is, if nothing waits before it.
    private static let fullEnough = TrackCodec.chunkSize * 7 / 8

    struct Repacked {
        var removed: [Int64] = []
        var pieces: [[Position]] = []
        /// Whether there are fewer chunks than before.
        var changes: Bool { pieces.count < removed.count }
    }

    private var removed: [Int64] = []
    private var positions: [Position] = []

    /// Whether a chunk shall be left, what waits being too little or nothing.
    func leaves(_ count: Int) -> Bool {
        count >= ChunkPacker.fullEnough
            && (positions.isEmpty || positions.count + count > TrackCodec.chunkSize)
    }

    var isLarge: Bool { positions.count >= 64 * TrackCodec.chunkSize }

    mutating func add(_ more: [Position], first: Int64) {
        removed.append(first)
        positions += more
    }

    /// Everything that waits.
    mutating func take() -> Repacked {
        defer { (removed, positions) = ([], []) }
        return Repacked(removed: removed, pieces: TrackCodec.pieces(positions).map(Array.init))
    }
}
