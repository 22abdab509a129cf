package import Telemetry
package import TripStore

/// Upkeep that changes tracks: it waits for what is being recorded, and draws anew what it changed.
extension Recorder {
    /// Erases a device or a span of it; the file's bytes are cleared by compacting.
    ///
    /// - Parameters:
    ///   - erasure: what goes.
    ///   - asOf: the time by which silences are judged.
    /// - Returns: what went.
    /// - Throws: `StoreError`.
    package func erase(_ erasure: Erasure, asOf: Timestamp) async throws(StoreError) -> ErasureSummary {
        try await update(asOf: asOf, folding: .everything, derives: false)
        let device =
            switch erasure {
            case .device(let device), .span(let device, _): device
            }
        let summary = try await whileAlone { () async throws(StoreError) in
            let summary = try await storage.erase(erasure)
            if let track = tracks.removeValue(forKey: device) {
                journalCount -= track.rows.reduce(0) { $0 + $1.positions.count }
            }
            return summary
        }
        try await update(asOf: asOf)
        return summary
    }

    /// Removes raw positions before a horizon, as `UpkeepStorage.retain` says.
    ///
    /// - Parameters:
    ///   - horizon: what is older goes.
    ///   - asOf: the time by which silences are judged.
    /// - Returns: how many positions went.
    /// - Throws: `StoreError`.
    package func retain(from horizon: Timestamp, asOf: Timestamp) async throws(StoreError) -> Int64 {
        try await settle(asOf: asOf)
        return try await whileAlone { () async throws(StoreError) in
            let removed = try await storage.retain(from: horizon)
            for state in try await storage.knownStates(of: tracks.keys.sorted()) {
                guard let state, var track = tracks[state.device] else { continue }
                track.state.horizon = state.horizon
                track.state.foldedCount = state.foldedCount
                track.state.positionCount = state.foldedCount + track.rows.reduce(0) { $0 + Int64($1.newCount) }
                tracks[state.device] = track
            }
            return removed
        }
    }

    /// Merges short chunks and clears the file of what was removed; recording goes on, folding waits.
    package func compact() async throws(StoreError) {
        try await whileUpdating { () async throws(StoreError) in try await storage.compact() }
    }
}
