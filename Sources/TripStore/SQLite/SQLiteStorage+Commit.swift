package import Telemetry
import TripDetection

extension SQLiteStorage {
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitReceipt {
        try await write { (connection) throws(StoreError) in
            var receipt = CommitReceipt()
            receipt.journalSequences = try connection.append(transaction.journal)
            try connection.keep(attributes: transaction.attributes)
            receipt.newRefusals = try connection.quarantine(transaction.refusals)
            for track in transaction.tracks { try connection.apply(track) }
            if !transaction.histories.isEmpty {
                var writer = try HistoryWriter(connection, now: transaction.now)
                for history in transaction.histories { try writer.apply(history) }
                try writer.finish()
            }
            for state in transaction.states { try connection.update(state) }
            receipt.lastChange = try connection.lastChange()
            return receipt
        }
    }
}

extension SQLiteConnection {
    /// Writes batches to the journal, a row each.
    fileprivate func append(_ entries: [JournalEntry]) throws(StoreError) -> [Int64] {
        guard !entries.isEmpty else { return [] }
        let encoder = TrackEncoder()
        return try withStatement(
            "INSERT INTO journal (device, new_count, positions) VALUES (?, ?, ?)"
        ) { (statement) throws(StoreError) in
            var sequences: [Int64] = []
            sequences.reserveCapacity(entries.count)
            for entry in entries {
                try statement.bind(entry.device.rawValue, at: 1)
                try statement.bind(entry.newCount, at: 2)
                try statement.bind(encoder.encode(entry.positions), at: 3)
                try statement.run()
                sequences.append(lastInsertedRow)
            }
            return sequences
        }
    }

    fileprivate func keep(attributes: [UInt64: AttributeSet]) throws(StoreError) {
        guard !attributes.isEmpty else { return }
        try withStatement("INSERT OR IGNORE INTO attribute_set VALUES (?, ?)") { (statement) throws(StoreError) in
            for (reference, set) in attributes {
                try statement.bind(Int64(bitPattern: reference), at: 1)
                try statement.bind(set.json, at: 2)
                try statement.run()
            }
        }
    }

    /// Keeps refusals that are not there yet.
    ///
    /// - Returns: how many were new.
    fileprivate func quarantine(_ refusals: [Refusal]) throws(StoreError) -> Int {
        var new = 0
        for refusal in refusals {
            let hash = refusal.hash
            let isKnown = try withStatement(
                "SELECT 1 FROM quarantine WHERE hash = ? AND source = ? AND place = ? AND content = ?"
            ) { (statement) throws(StoreError) in
                try statement.bind(hash, at: 1)
                try statement.bind(refusal.source, at: 2)
                try statement.bind(refusal.place, at: 3)
                try statement.bind(refusal.content, at: 4)
                return try statement.step()
            }
            guard !isKnown else { continue }
            try withStatement(
                """
                INSERT INTO quarantine (hash, reason, source, place, detail, device, content)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(hash, at: 1)
                try statement.bind(refusal.reason.rawValue, at: 2)
                try statement.bind(refusal.source, at: 3)
                try statement.bind(refusal.place, at: 4)
                try statement.bind(refusal.detail, at: 5)
                try statement.bind(refusal.device?.text, at: 6)
                try statement.bind(refusal.content, at: 7)
                try statement.run()
            }
            new += 1
        }
        return new
    }

    fileprivate func apply(_ change: TrackChange) throws(StoreError) {
        if !change.removed.isEmpty {
            try withStatement("DELETE FROM chunk WHERE device = ? AND first_ms = ?") { (statement) throws(StoreError) in
                try statement.bind(change.device.rawValue, at: 1)
                for first in change.removed {
                    try statement.bind(first, at: 2)
                    try statement.run()
                }
            }
        }
        if !change.added.isEmpty {
            try withStatement("INSERT INTO chunk VALUES (?, ?, ?, ?, ?)") { (statement) throws(StoreError) in
                try statement.bind(change.device.rawValue, at: 1)
                for chunk in change.added {
                    try statement.bind(chunk.first, at: 2)
                    try statement.bind(chunk.last, at: 3)
                    try statement.bind(chunk.count, at: 4)
                    try statement.bind(chunk.bytes, at: 5)
                    try statement.run()
                }
            }
        }
        guard !change.foldedRows.isEmpty else { return }
        try withStatement("DELETE FROM journal WHERE sequence = ?") { (statement) throws(StoreError) in
            for sequence in change.foldedRows {
                try statement.bind(sequence, at: 1)
                try statement.run()
            }
        }
    }

    fileprivate func update(_ state: DeviceState) throws(StoreError) {
        try withStatement(
            """
            UPDATE device SET position_count = ?2, folded_count = ?3, first = ?4, last = ?5, latest = ?6,
                last_contact_ms = ?7, watermark_ms = ?8, outstanding_from_ms = ?9, outstanding_until_ms = ?10,
                open_until_ms = ?11, horizon_ms = ?12
            WHERE number = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(state.number.rawValue, at: 1)
            try statement.bind(state.positionCount, at: 2)
            try statement.bind(state.foldedCount, at: 3)
            try statement.bind(PositionCode.encode(state.first), at: 4)
            try statement.bind(PositionCode.encode(state.last), at: 5)
            try statement.bind(PositionCode.encode(state.latest), at: 6)
            try statement.bind(state.lastContact, at: 7)
            try statement.bind(state.watermark, at: 8)
            try statement.bind(state.outstanding?.lowerBound, at: 9)
            try statement.bind(state.outstanding?.upperBound, at: 10)
            try statement.bind(state.openUntil, at: 11)
            try statement.bind(state.horizon, at: 12)
            try statement.run()
        }
    }
}

extension Refusal {
    /// FNV-1a over source, place and content; equal hashes are compared in full.
    fileprivate var hash: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in [source, place, content] {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3  // no byte of UTF-8: keeps the texts apart
        }
        return Int64(bitPattern: hash)
    }
}

/// One position as a chunk of one.
enum PositionCode {
    static func encode(_ position: Position?) -> [UInt8]? {
        position.map { TrackEncoder().encode(CollectionOfOne($0)) }
    }

    static func decode(_ statement: borrowing SQLiteStatement, _ column: Int32) throws(StoreError) -> Position? {
        guard !statement.isNull(column) else { return nil }
        return try statement.positions(column).first
    }
}

extension SQLiteStatement {
    /// The positions of a chunk, checked.
    borrowing func positions(_ column: Int32) throws(StoreError) -> [Position] {
        var positions: [Position] = []
        do throws(TrackCodecError) {
            try withBytes(column) { (bytes) throws(TrackCodecError) in
                try TrackDecoder().decode(raw: bytes, into: &positions)
            }
        } catch {
            throw StoreError(chunk: error)
        }
        return positions
    }
}

extension StoreError {
    package init(chunk error: TrackCodecError) {
        switch error.kind {
        case .damaged: self.init(kind: .corrupt, message: "a chunk of positions is damaged")
        case .unknownVersion: self.init(kind: .foreign, message: "a newer version wrote a chunk of positions")
        }
    }
}
