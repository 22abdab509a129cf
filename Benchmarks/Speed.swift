import Telemetry
import TripDetection

/// Positions a second of cleaning and detection, beside a loop that only sums haversine distances.
enum Speed {
    static func measure(_ workload: Workload) {
        let tracks = Array(workload.tracks.values)
        let count = tracks.reduce(0) { $0 + $1.count }
        let detector = TripDetector(settings: DetectionSettings())
        var haversine: [Double] = []
        var detection: [Double] = []
        var sum = 0.0
        var intervals = 0
        let clock = ContinuousClock()
        for _ in 0..<25 {
            haversine.append(
                seconds(
                    clock.measure {
                        for track in tracks {
                            for index in track.indices.dropFirst() {
                                sum += track[index - 1].coordinate.distance(to: track[index].coordinate)
                            }
                        }
                    }
                )
            )
            detection.append(
                seconds(
                    clock.measure {
                        for track in tracks { intervals += detector.derive(track, asOf: .latest).intervals.count }
                    }
                )
            )
        }
        report("haversine sum", haversine, count)
        report("detection", detection, count)
        let ratio = (detection.min() ?? 0) / (haversine.min() ?? 1)
        print("detection takes \(ratio) times the haversine loop")
        print("(\(count) positions, \(intervals / 25) intervals, \(Int(sum / 25_000)) km)")
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func report(_ name: String, _ times: [Double], _ count: Int) {
        let sorted = times.sorted()
        let (best, median) = (Double(count) / sorted[0] / 1e6, Double(count) / sorted[sorted.count / 2] / 1e6)
        print("\(name): best \(best) M positions/s, median \(median)")
    }
}
