import Telemetry
import TestSupport
import TripDetection

/// What a store does with arriving batches, in its simplest form: merge, derive again from the last resumption before
/// the earliest new position, replace what follows.
struct FoldingModel {
    let detector: TripDetector
    private(set) var track: [Position] = []
    private(set) var intervals: [Interval] = []
    private(set) var setAside: [SetAside] = []
    private(set) var resumptions: [Resumption] = []
    /// Positions read by all derivations together.
    private(set) var read = 0

    init(detector: TripDetector) { self.detector = detector }

    mutating func fold(_ batch: [Position], asOf: Timestamp) {
        guard let earliest = batch.map(\.fixTime).min() else { return }
        let kept = (track.lastIndex { $0.fixTime < earliest } ?? -1) + 1
        let merged = Tape.track(of: track[kept...] + batch)
        track.removeLast(track.count - kept)
        track += merged
        while let last = resumptions.last, last.from > earliest { resumptions.removeLast() }
        let resumption = resumptions.last
        let from = resumption?.from ?? .earliest
        let tail = Array(track[((track.lastIndex { $0.fixTime < from } ?? -1) + 1)...])
        read += tail.count
        let derivation = detector.derive(tail, asOf: asOf, resuming: resumption)
        intervals.removeAll { $0.begin >= resumption?.intervalBegin ?? .earliest }
        intervals += derivation.intervals
        setAside.removeAll { $0.key.fixTime >= from }
        setAside += derivation.setAside
        resumptions += derivation.resumptions
    }

    /// As if the process had been restarted: what is kept goes through bytes.
    mutating func restart() {
        resumptions = resumptions.compactMap { Resumption(bytes: $0.bytes) }
    }
}
