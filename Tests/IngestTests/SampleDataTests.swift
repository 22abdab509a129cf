import Foundation
import Ingest
import Telemetry
import TestSupport
import Testing
import TripDetection

@Suite("Sample data") struct SampleDataTests {
    static let folder = SharedData.packageFolder.appending(path: "sample-data")

    /// The rows of an expectation, each by column name; none of them is quoted.
    static func rows(_ name: String) -> [[String: String]] {
        let file = folder.appending(path: "expected/\(name).csv")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }  // the count check tells
        let lines = text.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let header = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
    }

    @Test("Every file gives as many positions and refusals as expected")
    func inputs() throws {
        let inputs = SampleDataTests.rows("inputs")
        #expect(inputs.count > 50)
        for input in inputs {
            let file = try #require(input["file"])
            let reading = Reading(path: SampleDataTests.folder.appending(path: file).path)
            #expect(reading.error == nil, "\(file)")
            #expect("\(reading.positions.count)" == input["accepted"], "\(file)")
            let reasons = reading.reasons.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: "; ")
            #expect(reasons == input["reasons"], "\(file)")
        }
    }

    @Test("The trips that were driven are found, with their ends and their length, and no others")
    func trips() throws {
        var byDevice: [DeviceID: [Position.Key: Position]] = [:]
        for input in SampleDataTests.rows("inputs") {
            let file = try #require(input["file"])
            for (device, position) in Reading(path: SampleDataTests.folder.appending(path: file).path).positions {
                byDevice[device, default: [:]][position.key] = position
            }
        }
        let expected = SampleDataTests.rows("trips")
        #expect(expected.count == 15)
        #expect(Set(byDevice.keys.map(\.text)) == Set(expected.compactMap { $0["vehicle"] }))
        for (device, positions) in byDevice {
            let derivation = TripDetector(settings: DetectionSettings()).derive(
                positions.values.sorted { $0.key < $1.key },
                asOf: Reading.received
            )
            let trips = derivation.intervals.compactMap { if case .trip(let trip) = $0 { trip } else { nil } }
            let driven = expected.filter { $0["vehicle"] == device.text }
            #expect(trips.count == driven.count, "\(device)")
            for (trip, row) in zip(trips, driven) {
                let begin = try #require(Timestamp(iso8601: row["begin"] ?? ""))
                let end = try #require(Timestamp(iso8601: row["end"] ?? ""))
                #expect((trip.begin - begin).magnitude <= 45_000, "\(device) \(begin.iso8601())")
                #expect((trip.end - end).magnitude <= 45_000, "\(device) \(end.iso8601())")
                #expect(try trip.beginPoint.distance(to: place(row, "begin")) <= 80)
                #expect(try trip.endPoint.distance(to: place(row, "end")) <= 80)
                let distance = try #require(Double(row["distance_m"] ?? ""))
                #expect(
                    abs(Double(trip.positionDistance) / 1000 - distance) <= 0.03 * distance,
                    "\(device) \(begin.iso8601())"
                )
            }
        }
    }

    private func place(_ row: [String: String], _ end: String) throws -> Coordinate {
        let latitude = try #require(Double(row["\(end)_latitude"] ?? ""))
        let longitude = try #require(Double(row["\(end)_longitude"] ?? ""))
        return try #require(Coordinate(latitude: latitude, longitude: longitude))
    }
}
