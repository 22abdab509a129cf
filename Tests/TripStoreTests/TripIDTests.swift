import Telemetry
import Testing

@testable import TripStore

@Suite("Trip ids") struct TripIDTests {
    @Test(
        "An id gives back what it was made of",
        arguments: [0, 1, UInt64.max, 0x9e37_79b9_7f4a_7c15],
        [Timestamp.earliest, Timestamp(milliseconds: 0), Timestamp(milliseconds: 1_777_852_800_123), .latest]
    )
    func roundTrip(tag: UInt64, begin: Timestamp) throws {
        for count in [0, 1, 35, 36, 46_655] {
            let id = TripID(tag: tag, begin: begin, count: count)
            #expect(TripID(id.text) == id)
            let parts = try #require(id.parts)
            #expect(parts == (tag, begin, count))
        }
    }

    @Test(
        "What no store made has no parts",
        arguments: ["0", "zzzzzzzzzzzzzzzzzzzzzzzzzz", "0000000000000000000000000"]
    )
    func foreign(text: String) {
        #expect(TripID(text)?.parts == nil)
    }
}
