import Telemetry
import TripStore

/// Decides for a group of batches what is new, first by what is in memory, then by the chunks that hold the rest.
struct GroupWork {
    /// Times that only chunks can tell about, by device.
    private(set) var requests: [DeviceID: Set<Timestamp>] = [:]
    private var folded: [DeviceID: [Position]] = [:]

    struct Outcome {
        var transaction: StoreTransaction
        var entries: [(device: DeviceID, entry: JournalEntry)] = []
        /// For each batch of the group, a receipt for each of its parts.
        var receipts: [[Recorder.Receipt]] = []
    }

    /// Notes which chunks have to be read.
    mutating func add(_ batch: PendingBatch, tracks: [DeviceID: LiveTrack]) {
        for part in batch.batches {
            guard let track = tracks[part.device], let end = track.foldedEnd else { continue }
            for position in part.positions where position.key <= end && track.position(position.key) == nil {
                requests[part.device, default: []].insert(position.fixTime)
            }
        }
    }

    /// Takes the chunks that were asked for.
    mutating func take(_ held: [HeldChunks], for devices: [DeviceID]) throws(StoreError) {
        let folding = Folding()
        for (device, answer) in zip(devices, held) {
            var positions: [Position] = []
            for chunk in answer.chunks { positions += try folding.decode(chunk) }
            folded[device] = positions
        }
    }

    /// Sorts out what is new, what adds something, and what was there.
    func finish(_ group: [PendingBatch], tracks: [DeviceID: LiveTrack], now: Timestamp) -> Outcome {
        var outcome = Outcome(transaction: StoreTransaction(now: now))
        var fresh: [DeviceID: Fresh] = [:]
        for batch in group {
            var receipts: [Recorder.Receipt] = []
            for part in batch.batches {
                var receipt = Recorder.Receipt()
                if let track = tracks[part.device] {
                    let known = folded[part.device] ?? []
                    var own = fresh.removeValue(forKey: part.device) ?? Fresh()
                    own.add(part, track: track, folded: known, &receipt, &outcome.transaction.refusals)
                    fresh[part.device] = own
                }
                outcome.transaction.attributes.merge(part.attributes) { $1 }
                receipts.append(receipt)
            }
            outcome.transaction.refusals += batch.refusals
            outcome.receipts.append(receipts)
        }
        for (device, own) in fresh.sorted(by: { $0.key < $1.key }) {
            guard let track = tracks[device], !own.positions.isEmpty else { continue }
            let entry = JournalEntry(device: track.state.number, positions: own.positions, newCount: own.newCount)
            outcome.entries.append((device, entry))
            outcome.transaction.journal.append(entry)
        }
        return outcome
    }
}

/// What a group adds to one device.
private struct Fresh {
    /// New or changed positions in key order, each key once.
    var positions: [Position] = []
    var newCount = 0

    mutating func add(
        _ part: PositionBatch,
        track: LiveTrack,
        folded: [Position],
        _ receipt: inout Recorder.Receipt,
        _ refusals: inout [Refusal]
    ) {
        var incoming = part.positions
        if let horizon = track.state.horizon {
            let refused = incoming.filter { $0.fixTime < horizon }
            if !refused.isEmpty {
                incoming.removeAll { $0.fixTime < horizon }
                receipt.beforeRetention = refused.count
                refusals += refused.map { Refusal(beforeRetention: $0, device: part.device) }
            }
        }
        let count = incoming.count
        Position.sortAndMerge(&incoming)
        guard let first = incoming.first else { return }
        let end = [track.foldedEnd, track.tail.last?.key, positions.last?.key].compactMap { $0 }.max()
        if end.map({ $0 < first.key }) ?? true {
            receipt.accepted = incoming.count
            newCount += incoming.count
            Position.merge(incoming, into: &positions)
        } else {
            var added: [Position] = []
            for position in incoming {
                let known =
                    positions.position(position.key) ?? track.position(position.key) ?? folded.position(position.key)
                guard let known else {
                    receipt.accepted += 1
                    added.append(position)
                    continue
                }
                var both = known
                both.merge(position)
                if both != known { added.append(both) }
            }
            newCount += receipt.accepted
            Position.merge(added, into: &positions)
        }
        receipt.duplicate = count - receipt.accepted
    }
}

extension Refusal {
    init(beforeRetention position: Position, device: DeviceID) {
        self.init(
            reason: .beforeRetention,
            source: "store",
            place: position.fixTime.iso8601(),
            detail: "the fix time lies before what retention keeps of the device",
            device: device,
            content:
                "\(position.fixTime.milliseconds) \(position.coordinate.latitudeE7) \(position.coordinate.longitudeE7)"
        )
    }
}
