import Foundation
import Telemetry

/// One generated fleet: its positions by vehicle, and the true trips.
struct Workload {
    /// In key order, each key once.
    var tracks: [Int: [Position]]
    var truth: [TrueTrip]

    struct TrueTrip {
        var vehicle: Int
        var begin: Timestamp
        var end: Timestamp
        var beginPoint: Coordinate
        var endPoint: Coordinate
        var metres: Double
    }

    /// Reads `points.csv` and `truth.csv` of a folder.
    init(folder: URL) throws {
        var tracks: [Int: [Position]] = [:]
        let points = try Data(contentsOf: folder.appending(path: "points.csv"))
        Workload.eachRow(of: points) { columns in
            guard columns.count == 7, let vehicle = Int(columns[0]), let time = Int64(columns[1]),
                let latitude = Double(columns[2]), let longitude = Double(columns[3]),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { return }
            var position = Position(fixTime: Timestamp(milliseconds: time), coordinate: coordinate)
            position.speed = Double(columns[4]).map { $0 / 3.6 }
            position.heading = Double(columns[5])
            position.ignition = columns[6].isEmpty ? nil : columns[6] == "1"
            tracks[vehicle, default: []].append(position)
        }
        self.tracks = tracks.mapValues(Workload.merged)
        var truth: [TrueTrip] = []
        let trips = try Data(contentsOf: folder.appending(path: "truth.csv"))
        Workload.eachRow(of: trips) { columns in
            guard columns.count == 8, let vehicle = Int(columns[0]), let begin = Int64(columns[1]),
                let end = Int64(columns[2]), let metres = Double(columns[7]),
                let beginPoint = Workload.coordinate(columns[3], columns[4]),
                let endPoint = Workload.coordinate(columns[5], columns[6])
            else { return }
            truth.append(
                TrueTrip(
                    vehicle: vehicle,
                    begin: Timestamp(milliseconds: begin),
                    end: Timestamp(milliseconds: end),
                    beginPoint: beginPoint,
                    endPoint: endPoint,
                    metres: metres
                )
            )
        }
        self.truth = truth
    }

    private static func coordinate(_ latitude: Substring, _ longitude: Substring) -> Coordinate? {
        guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func eachRow(of data: Data, _ body: ([Substring]) -> Void) {
        let text = String(decoding: data, as: UTF8.self)
        for line in text.split(separator: "\n").dropFirst() {
            body(line.split(separator: ",", omittingEmptySubsequences: false))
        }
    }

    private static func merged(_ positions: [Position]) -> [Position] {
        var result: [Position] = []
        result.reserveCapacity(positions.count)
        for position in positions.sorted(by: { $0.key < $1.key }) {
            if result.last?.key == position.key {
                result[result.count - 1].merge(position)
            } else {
                result.append(position)
            }
        }
        return result
    }
}
