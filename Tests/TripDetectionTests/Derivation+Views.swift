import Telemetry
import TestSupport
import TripDetection

extension Derivation {
    var trips: [Trip] {
        intervals.compactMap { if case .trip(let trip) = $0 { trip } else { nil } }
    }
    var stops: [Stop] {
        intervals.compactMap { if case .stop(let stop) = $0 { stop } else { nil } }
    }
    var gaps: [Gap] {
        intervals.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    }

    /// Whether the intervals follow one another without overlap or hole.
    var tiles: Bool {
        zip(intervals, intervals.dropFirst()).allSatisfy { $0.end == $1.begin }
            && intervals.allSatisfy { $0.begin <= $0.end }
    }
}

extension Tape {
    /// What the detector makes of the tape a day later, by the default settings.
    func derived(asOf: Timestamp? = nil, settings: DetectionSettings = DetectionSettings()) -> Derivation {
        let track = track
        let last = track.last?.fixTime ?? Tape.day
        return TripDetector(settings: settings).derive(track, asOf: asOf ?? last + 86_400_000)
    }
}

extension Trip {
    var metres: Double { Double(distance) / 1000 }
}

/// Whether a value lies within a share of another one.
func isNear(_ value: Double, _ expected: Double, within share: Double = 0.006) -> Bool {
    (value - expected).magnitude <= expected * share
}
