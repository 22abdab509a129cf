import Foundation
import Ingest
import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

@Suite("Import") struct ImportTests {
    /// Feeds a recording, as the command does.
    static func feed(_ path: String, device: String? = nil, into feed: ImportFeed) async throws(StoreError) -> Bool {
        var options = ReadOptions(admission: Admission(receivedTime: StoreFixture.now))
        options.device = device.flatMap { DeviceID($0) }
        do throws(IngestError) {
            let reader = try PositionReader(path: SharedData.url(path).path, options: options)
            var chunk = DecodedChunk()
            feed.beginInput()
            while true {
                guard try reader.read(into: &chunk) else { return true }
                do throws(StoreError) {
                    try await feed.append(
                        chunk.positions,
                        runs: chunk.runs,
                        devices: chunk.devices,
                        attributes: chunk.attributes
                    )
                    try await feed.append(chunk.refusals)
                } catch {
                    return false
                }
            }
        } catch {
            return false
        }
    }

    private func importFile(_ path: String, device: String? = nil, _ recorder: Recorder) async throws -> ImportSummary {
        let (isRead, summary) = try await recorder.importing(asOf: StoreFixture.now) { feed throws(StoreError) in
            try await ImportTests.feed(path, device: device, into: feed)
        }
        #expect(isRead)
        return summary
    }

    @Test(
        "The Munich drive is one trip, and importing it again changes nothing",
        .enabled(if: SharedData.isPresent, SharedData.whenAbsent)
    )
    func munich() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let first = try await importFile("tracks/munich-drive-1s.gpx", recorder)
        #expect((first.accepted, first.duplicate, first.vehicles, first.trips) == (1194, 0, 1, 1))
        let trips = try await fixture.storage.trips(HistoryQuery()).all()
        let trip = try #require(trips.first?.trip)
        #expect(trip.begin.iso8601() == "2014-09-10T04:54:07Z")
        #expect(trip.end.iso8601() == "2014-09-10T05:14:02Z")
        let again = try await importFile("tracks/munich-drive-1s.gpx", recorder)
        #expect((again.accepted, again.duplicate, again.trips) == (0, 1194, 1))
        #expect(again.newTrips + again.revisedTrips + again.removedTrips == 0)
        #expect(try await fixture.storage.trips(HistoryQuery()).all() == trips)
        let path = try #require(try await fixture.storage.path(of: trips[0].id))
        #expect(path.count == Int(trip.positionCount))
        #expect(try await fixture.storage.trip(trips[0].id) == trips[0])
        #expect(try await fixture.storage.check() == [])
    }

    @Test(
        "Real files of several devices: the store shows what the detector draws from each device's positions",
        .enabled(if: SharedData.isPresent, SharedData.whenAbsent),
        arguments: [
            "tracks/liverpool-route14.csv", "tracks/limerick-bus.gpx", "tracks/visnjan-car.gpx",
            "tracks/owntracks-iphone.rec",
        ]
    )
    func realFiles(path: String) async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        _ = try await recorder.importing(asOf: StoreFixture.now) { feed throws(StoreError) in
            _ = try await ImportTests.feed(path, into: feed)
        }
        for try await vehicle in try await fixture.storage.vehicles() {
            let positions = try await fixture.storage.positions(of: vehicle.device, in: nil).all()
            #expect(positions.count == Int(vehicle.positionCount))
            #expect(try await fixture.history(of: vehicle.device) == Drawn(positions))
        }
        #expect(try await fixture.storage.check() == [])
    }

    @Test("A refused report is kept once, however often the file is imported")
    func quarantine() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let refusal = Refusal(
            reason: .badTime,
            source: "day.csv",
            place: "row 17",
            detail: "time: a date, found nothing",
            content: "x,,,"
        )
        for _ in 0..<2 {
            let (_, summary) = try await recorder.importing(asOf: StoreFixture.now) { feed throws(StoreError) in
                try await feed.append([refusal])
            }
            #expect(summary.refused == [.badTime: 1])
        }
        #expect(try await fixture.storage.refusalCounts() == [.badTime: 1])
        #expect(try await fixture.storage.refusals().all() == [refusal])
    }

    @Test("A23: an interleaved fleet, imported in any order and pieces, gives the same as recording it live")
    func fleet() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        var random = SeededGenerator(seed: 23)
        let fleet = (0..<6).map { number in
            (StoreFixture.named("bus \(number)"), Tape.dirty(seed: UInt64(number) + 100).positions)
        }
        var rows = fleet.flatMap { device, positions in positions.map { (device, $0) } }
        rows.shuffle(using: &random)
        for part in rows.chunks(of: rows.count / 3 + 1) {
            _ = try await recorder.importing(asOf: StoreFixture.now) { feed throws(StoreError) in
                for (device, position) in part {
                    try await feed.append(PositionBatch(device: device, positions: [position]))
                }
            }
        }
        for (device, positions) in fleet {
            #expect(try await fixture.history(of: device) == Drawn(positions))
            #expect(try await fixture.storage.positions(of: device, in: nil).all() == Tape.track(of: positions))
        }
        #expect(try await fixture.storage.check() == [])
    }
}
