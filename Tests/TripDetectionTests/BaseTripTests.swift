import Telemetry
import TestSupport
import Testing
import TripDetection

@Suite("Base trips")
struct BaseTripTests {
    @Test("B is one trip from its departure to its arrival")
    func base() throws {
        let derivation = Tape.base.derived()
        let trip = try #require(derivation.trips.first)
        #expect(derivation.trips.count == 1)
        #expect(derivation.stops.count == 2)
        #expect(derivation.tiles)
        #expect(trip.begin == Tape.time("08:06:00"))
        #expect(trip.beginPoint == Tape.coordinate(52, 13))
        #expect(trip.end >= Tape.time("08:16:00") && trip.end <= Tape.time("08:17:00"))
        #expect(trip.endPoint == Tape.coordinate(52.09, 13))
        #expect(isNear(trip.metres, 10_008))
        #expect(trip.highestSpeed == 1667)
        #expect(trip.beginReason == .stop && trip.endReason == .stop)
    }
}
