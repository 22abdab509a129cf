import Telemetry
import TestSupport
import Testing
import TripDetection

@Suite("Real tracks", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))
struct RealTrackTests {
    private func derive(_ track: [Position]) -> Derivation {
        TripDetector(settings: DetectionSettings()).derive(track, asOf: .latest)
    }

    private func time(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? .earliest }

    @Test("The drive through Munich is one trip")
    func munich() throws {
        let derivation = derive(try Recording.gpx("munich-drive-1s.gpx"))
        let trip = try #require(derivation.trips.first)
        #expect(derivation.trips.count == 1)
        #expect(derivation.tiles)
        #expect(trip.begin == time("2014-09-10T04:54:07Z"))
        #expect(trip.end == time("2014-09-10T05:14:02Z"))
        #expect(isNear(trip.metres, 13_600, within: 0.01))
    }

    @Test("The bus in Limerick makes one trip: it waits before, and crawls on the way")
    func limerick() throws {
        let derivation = derive(try Recording.gpx("limerick-bus.gpx"))
        let trip = try #require(derivation.trips.first)
        #expect(derivation.trips.count == 1)
        #expect(derivation.tiles)
        #expect(trip.begin >= time("2019-02-18T07:45:00Z") && trip.begin <= time("2019-02-18T07:51:00Z"))
        #expect(isNear(trip.metres, 14_200, within: 0.02))
    }

    @Test("The car at Visnjan makes one trip between two times of standing")
    func visnjan() throws {
        let derivation = derive(try Recording.gpx("visnjan-car.gpx"))
        let trip = try #require(derivation.trips.first)
        #expect(derivation.trips.count == 1)
        #expect(derivation.tiles)
        #expect(trip.metres >= 2600 && trip.metres <= 2700)
    }
}
