package import Telemetry
package import TripStore

/// What an import did to the store.
package struct ImportSummary: Hashable, Sendable {
    /// Positions that were new.
    package var accepted = 0
    /// Positions that were there already, or twice in the input.
    package var duplicate = 0
    /// Reports that were not accepted, by reason, whether they were in quarantine before or not.
    package var refused: [Refusal.Reason: Int] = [:]
    /// Devices of which something was accepted or there already.
    package var vehicles = 0
    /// Trips that these devices have now.
    package var trips = 0
    package var newTrips = 0
    package var revisedTrips = 0
    package var removedTrips = 0

    package init() {}
}

extension Recorder {
    /// Stores what `produce` feeds: straight into chunks, in any order and interleaving, then draws the histories.
    ///
    /// Decoding in `produce` and folding run side by side. What was fed before `produce` ends is stored, whether it
    /// found the end of its input or not; importing the same again changes nothing.
    ///
    /// - Parameters:
    ///   - asOf: the time by which silences are judged.
    ///   - produce: feeds reports, in one task.
    /// - Returns: what `produce` returns, and what was done.
    /// - Throws: `StoreError`; what was committed before stays, and its history is drawn by the next update.
    package func importing<R: Sendable>(
        asOf: Timestamp,
        _ produce: sending (ImportFeed) async throws(StoreError) -> R
    ) async throws(StoreError) -> (result: R, summary: ImportSummary) {
        try await update(asOf: asOf, folding: .everything, derives: false)
        let handoff = Handoff()
        typealias Folded = Result<ImportProgress, StoreError>
        let (produced, folded) = await withTaskGroup(
            of: Folded.self,
            returning: (Result<R, StoreError>, Folded).self
        ) { group in
            group.addTask { await self.foldBuffers(from: handoff) }
            let feed = ImportFeed(handoff: handoff)
            var produced: Result<R, StoreError>
            do throws(StoreError) {
                produced = .success(try await produce(feed))
                try await feed.flush()
            } catch {
                produced = .failure(error)
            }
            await handoff.finish()
            return (produced, await group.next() ?? .success(ImportProgress()))
        }
        let progress = try folded.get()
        let update = try await update(asOf: asOf, folding: .due, derives: true)
        let result = try produced.get()
        var summary = progress.summary
        summary.vehicles = progress.seen.count
        summary.trips = try await storage.tripCount(of: progress.seen.sorted())
        summary.newTrips = update.newTrips
        summary.revisedTrips = update.revisedTrips
        summary.removedTrips = update.removedTrips
        return (result, summary)
    }

    private func foldBuffers(from handoff: Handoff) async -> Result<ImportProgress, StoreError> {
        var progress = ImportProgress()
        while let buffer = await handoff.take() {
            do throws(StoreError) {
                try await whileUpdating { () async throws(StoreError) in try await fold(buffer, &progress) }
            } catch {
                await handoff.fail(error)
                return .failure(error)
            }
        }
        return .success(progress)
    }

    private func fold(_ buffer: ImportBuffer, _ progress: inout ImportProgress) async throws(StoreError) {
        for state in try await storage.states(of: buffer.newDevices) {
            if tracks[state.device] == nil { tracks[state.device] = LiveTrack(state: state) }
            progress.devices.append(state.device)
            progress.numbers.append(state.number)
        }
        for refusal in buffer.refusals { progress.summary.refused[refusal.reason, default: 0] += 1 }
        var transaction = StoreTransaction(now: clock())
        transaction.attributes = buffer.attributes
        transaction.refusals = buffer.refusals
        var groups = await Recorder.prepared(buffer, deviceCount: progress.devices.count)
        for index in groups.indices {
            let device = progress.devices[Int(groups[index].owner)]
            guard let horizon = tracks[device]?.state.horizon else { continue }
            let early = groups[index].positions.filter { $0.fixTime < horizon }
            guard !early.isEmpty else { continue }
            groups[index].positions.removeAll { $0.fixTime < horizon }
            groups[index].received -= early.count
            transaction.refusals += early.map { Refusal(beforeRetention: $0, device: device) }
            progress.summary.refused[.beforeRetention, default: 0] += early.count
        }
        let held = try await storage.chunks(
            holding: groups.map {
                ChunkRequest(device: progress.numbers[Int($0.owner)], times: $0.positions.map(\.fixTime))
            }
        )
        let numbers = progress.numbers
        let results = try await Recorder.folded(groups, numbers: numbers, into: held)
        var undo: [DeviceState] = []
        for (group, result) in zip(groups, results) {
            let device = progress.devices[Int(group.owner)]
            progress.seen.insert(numbers[Int(group.owner)])
            guard var track = tracks[device] else { continue }
            undo.append(track.state)
            // What the journal has of it was counted when it came.
            let known = track.tail.isEmpty ? 0 : group.positions.count { track.position($0.key) != nil }
            let new = max(0, result.newCount - known)
            progress.summary.accepted += new
            progress.summary.duplicate += group.received - new
            guard result.touched != nil else { continue }
            track.importFolded(group.positions, newCount: result.newCount, added: new, touched: result.touched)
            tracks[device] = track
            transaction.tracks.append(result.change)
            transaction.states.append(track.state)
        }
        guard !transaction.isEmpty else { return }
        do throws(StoreError) {
            _ = try await storage.commit(transaction)
        } catch {
            for state in undo { tracks[state.device]?.state = state }
            throw error
        }
    }

    /// Sorts a buffer by device and key, away from the recorder.
    private nonisolated static func prepared(
        _ buffer: ImportBuffer,
        deviceCount: Int
    ) async -> [ImportGroup] {
        buffer.grouped(deviceCount: deviceCount).map { owner, own in
            var positions = own
            Position.sortAndMerge(&positions)
            return ImportGroup(owner: owner, positions: positions, received: own.count)
        }
    }

    /// Folds groups into their chunks, away from the recorder.
    private nonisolated static func folded(
        _ groups: [ImportGroup],
        numbers: [DeviceNumber],
        into held: [HeldChunks]
    ) async throws(StoreError) -> [Folding.Result] {
        let folding = Folding()
        var results: [Folding.Result] = []
        results.reserveCapacity(groups.count)
        for (group, chunks) in zip(groups, held) {
            results.append(
                try folding.fold(group.positions, device: numbers[Int(group.owner)], into: chunks)
            )
        }
        return results
    }
}

/// Positions of one device from one buffer.
private struct ImportGroup: Sendable {
    var owner: Int32
    /// In key order, each key once.
    var positions: [Position]
    /// How many there were before merging.
    var received: Int
}

/// What an import knows so far.
private struct ImportProgress: Sendable {
    var devices: [DeviceID] = []
    var numbers: [DeviceNumber] = []
    var seen: Set<DeviceNumber> = []
    var summary = ImportSummary()
}
