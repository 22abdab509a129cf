import Foundation
import Ingest
import Telemetry
import TestSupport
import Testing

@Suite("Real recordings", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))
struct RecordingTests {
    @Test(
        "Every GPX recording gives its track points",
        arguments: [
            ("munich-drive-1s", 1194, 0), ("limerick-bus", 2144, 0), ("visnjan-car", 104, 0),
            ("gpx-leipzig-issue-13", 29, 0), ("gpx-leipzig-no-trkseg", 0, 0), ("gpx-leipzig-test-only-wpt", 0, 0),
            ("gpx-track-with-speed", 3, 0), ("gpx-unicode-with-bom", 0, 0), ("gpx-track-with-less-sec-time", 2, 0),
            ("gpx-track-with-extremes", 0, 25), ("gpx-cerknicko-without-times", 5, 291),
            ("gpx-gpx1.0-with-all-fields", 1, 0),
            ("gpx-leipzig-tour-with-loop", 11, 0), ("gpx-leipzig-tour4-with-uturn", 5, 0),
            ("gpx-track-with-empty-segment", 9, 0),
        ]
    )
    func gpx(name: String, accepted: Int, refused: Int) {
        let reading = Reading(path: SharedData.url("tracks/\(name).gpx").path)
        #expect(reading.error == nil)
        #expect(reading.summary?.format == .gpx)
        #expect(reading.positions.count == accepted)
        #expect(reading.refusals.count == refused)
        #expect(reading.refusals.allSatisfy { $0.reason == .noTime })
        #expect(accepted == 0 || reading.devices == [name])
    }

    @Test("The OwnTracks recording gives its 23 locations, and its last wills are counted")
    func ownTracks() throws {
        let reading = Reading(path: SharedData.url("tracks/owntracks-iphone.rec").path)
        #expect(reading.error == nil)
        #expect(reading.summary?.format == .ownTracks)
        #expect(reading.positions.count == 23)
        #expect(reading.refusals.isEmpty)
        #expect(reading.notes.contains("lwt, which is no position: 2"))
        #expect(reading.devices == ["owntracks-iphone"])
        let first = try #require(reading.bare.first)
        #expect(first.fixTime == Timestamp(seconds: 1_440_395_361))
        #expect(first.accuracy == 3000)
        #expect(first.speed == nil)
        #expect(first.heading == nil)
        #expect(first.coordinate == Coordinate(latitudeE7: 523_788_858, longitudeE7: 100_278_573))
    }
}
