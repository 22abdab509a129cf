import Foundation
import Telemetry
import TripDetection

/// Lists true trips that were missed beside what was found, so that causes are seen and not guessed.
struct Explain {
    var accuracy: Accuracy
    /// A boundary farther off than this is a miss, in milliseconds.
    var tolerance: Int64 = 60_000

    func printMisses(of set: WorkloadSet, seed: Int, vehicle: Int?, withRows: Bool) throws {
        let workload = try Workload(folder: try set.folder(seed: seed, in: accuracy.directory))
        let found = accuracy.detect(in: workload)
        var matched: [Int: Set<Timestamp>] = [:]
        for trip in workload.truth where vehicle == nil || trip.vehicle == vehicle {
            let candidates = found[trip.vehicle] ?? []
            if let match = candidates.first(where: { isMatch($0, trip) }) {
                matched[trip.vehicle, default: []].insert(match.begin)
                continue
            }
            print(
                "missed: vehicle \(trip.vehicle)  true \(trip.begin.iso8601()) to \(trip.end.iso8601())",
                Int(trip.metres),
                "m"
            )
            let overlapping = candidates.filter { $0.begin < trip.end && $0.end > trip.begin }
            for other in overlapping {
                let begin = Double(other.begin - trip.begin) / 1000
                let end = Double(other.end - trip.end) / 1000
                print(
                    "    found begin \(begin) s, end \(end) s,",
                    other.distance / 1000,
                    "m,",
                    other.positionCount,
                    "rows"
                )
                if withRows {
                    if abs(begin) > 60 {
                        printRows(
                            of: workload,
                            trip.vehicle,
                            around: [trip.begin, other.begin],
                            place: trip.beginPoint
                        )
                    }
                    if abs(end) > 60 {
                        printRows(of: workload, trip.vehicle, around: [trip.end, other.end], place: trip.endPoint)
                    }
                }
            }
        }
        for (vehicle, trips) in found {
            for trip in trips
            where !workload.truth.contains(where: {
                $0.vehicle == vehicle && $0.begin < trip.end && $0.end > trip.begin
            }) {
                print("phantom: vehicle \(vehicle)", Interval.trip(trip))
            }
        }
    }

    private func isMatch(_ trip: Trip, _ truth: Workload.TrueTrip) -> Bool {
        (trip.begin - truth.begin).magnitude <= tolerance && (trip.end - truth.end).magnitude <= tolerance
    }

    private func printRows(of workload: Workload, _ vehicle: Int, around times: [Timestamp], place: Coordinate) {
        let first = (times.min() ?? .earliest) + -180_000
        let last = (times.max() ?? .latest) + 180_000
        for row in workload.tracks[vehicle] ?? [] where row.fixTime >= first && row.fixTime <= last {
            let mark = times.firstIndex(of: row.fixTime).map { ["true", "found"][$0] } ?? ""
            print(
                "        \(row.fixTime.iso8601())  \(Int(row.coordinate.distance(to: place))) m from the true place,",
                "\(row.speed.map { "\(Int($0 * 3.6)) km/h" } ?? "-"), ignition \(row.ignition.map { "\($0)" } ?? "-")",
                mark
            )
        }
    }
}
