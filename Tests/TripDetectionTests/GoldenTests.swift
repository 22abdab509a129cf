import Foundation
import Telemetry
import TestSupport
import Testing
import TripDetection

/// Compares what the real tracks give with what they gave when a person last looked at it.
///
/// `ODOGRAPH_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes the file anew after a change was judged right.
@Suite("Golden files of the real tracks", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))
struct GoldenTests {
    private static let file = SharedData.packageFolder.appending(path: "Tests/Golden/real-tracks.txt")

    @Test("Trips, stops and gaps of the real tracks are as they were, or each difference is named")
    func realTracks() throws {
        var tracks: [(String, [Position])] = []
        for name in ["munich-drive-1s", "limerick-bus", "visnjan-car", "gpx-track-with-speed"] {
            tracks.append((name, try Recording.gpx("\(name).gpx")))
        }
        for (bus, track) in try Recording.liverpool().sorted(by: { $0.key < $1.key }) {
            tracks.append(("liverpool bus \(bus)", track))
        }
        let detector = TripDetector(settings: DetectionSettings())
        let found = tracks.flatMap { name, track in
            let derivation = detector.derive(track, asOf: .latest)
            return derivation.intervals.map { "\(name): \(line($0))" }
                + ["\(name): \(derivation.setAside.count) of \(track.count) set aside"]
        }
        if ProcessInfo.processInfo.environment["ODOGRAPH_WRITE_GOLDEN"] == "1" {
            try Data((found.joined(separator: "\n") + "\n").utf8).write(to: GoldenTests.file)
        }
        let expected = String(decoding: try Data(contentsOf: GoldenTests.file), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        for change in found.difference(from: expected) {
            switch change {
            case .insert(_, let line, _): Issue.record("new: \(line)")
            case .remove(_, let line, _): Issue.record("was: \(line)")
            }
        }
    }

    private func line(_ interval: Interval) -> String {
        let span = "\(interval.begin.iso8601()) to \(interval.end.iso8601())"
        switch interval {
        case .trip(let trip):
            return "trip \(span) \(trip.beginReason) to \(trip.endReason), \(trip.distance / 1000) m, "
                + "moving \(trip.moving / 1000) s, highest \(trip.highestSpeed * 36 / 1000) km/h, "
                + "\(trip.positionCount) positions, hole \(trip.largestHole / 1000) s, flags \(trip.flags.rawValue)"
        case .stop(let stop): return "stop \(span) \(stop.positionCount) positions, flags \(stop.flags.rawValue)"
        case .gap(let gap): return "gap \(span) \(gap.reason)"
        }
    }
}
