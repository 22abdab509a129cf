import Foundation
import Telemetry
import TripDetection

/// Finds the trips of generated fleets and has them scored against the truth.
struct Accuracy {
    var directory: URL
    var seeds: [Int]
    var settings = DetectionSettings()

    func printTable(of sets: [WorkloadSet], vehicles: Int = 20) throws {
        print(
            "| set | true | found | count | by vehicle | F1 60 s | F1 120 s | F1 240 s | begin m | end m | begin s | end s "
                + "| aim 60 | aim 120 | distance |"
        )
        print("|---|" + String(repeating: "---:|", count: 14))
        for set in sets {
            var found = "vehicle,begin_ms,end_ms,begin_lat,begin_lon,end_lat,end_lon\n"
            var truth = "vehicle,begin_ms,end_ms,begin_lat,begin_lon,end_lat,end_lon\n"
            var ratios: [Double] = []
            for seed in seeds {
                let workload = try Workload(folder: try set.folder(seed: seed, in: directory, vehicles: vehicles))
                let trips = detect(in: workload)
                for (vehicle, trips) in trips {
                    for trip in trips {
                        found += Accuracy.line(
                            vehicle + seed * 10_000,
                            trip.begin,
                            trip.end,
                            trip.beginPoint,
                            trip.endPoint
                        )
                    }
                }
                for trip in workload.truth {
                    truth += Accuracy.line(
                        trip.vehicle + seed * 10_000,
                        trip.begin,
                        trip.end,
                        trip.beginPoint,
                        trip.endPoint
                    )
                    if let match = trips[trip.vehicle]?.first(where: {
                        ($0.begin - trip.begin).magnitude <= 240_000 && ($0.end - trip.end).magnitude <= 240_000
                    }), match.largestHole < 300_000 {
                        ratios.append(Double(match.positionDistance) / 1000 / trip.metres)
                    }
                }
            }
            let foundFile = directory.appending(path: "found.csv")
            let truthFile = directory.appending(path: "truth.csv")
            try Data(found.utf8).write(to: foundFile)
            try Data(truth.utf8).write(to: truthFile)
            let row = try Script.run("score-trips.py", [foundFile.path, truthFile.path, set.name])
            let aim60 = set.aim60.map { "\($0)" } ?? "-"
            print(
                row.trimmingCharacters(in: .newlines),
                "\(aim60) | \(set.aim120) |",
                Accuracy.spread(of: ratios),
                "|"
            )
        }
    }

    func detect(in workload: Workload) -> [Int: [Trip]] {
        workload.tracks.mapValues { track in
            TripDetector(settings: settings).derive(track, asOf: .latest).intervals.compactMap {
                if case .trip(let trip) = $0 { trip } else { nil }
            }
        }
    }

    private static func line(
        _ vehicle: Int,
        _ begin: Timestamp,
        _ end: Timestamp,
        _ a: Coordinate,
        _ b: Coordinate
    )
        -> String
    {
        "\(vehicle),\(begin.milliseconds),\(end.milliseconds),\(a.latitude),\(a.longitude),\(b.latitude),\(b.longitude)\n"
    }

    /// The 5th, 50th and 95th percentile of found through true distance.
    private static func spread(of ratios: [Double]) -> String {
        let sorted = ratios.sorted()
        if sorted.isEmpty { return "-" }
        return [0.05, 0.5, 0.95].map { share in
            String(format: "%.3f", sorted[Int(Double(sorted.count - 1) * share)])
        }.joined(separator: " ")
    }
}
