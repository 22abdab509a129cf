import CivilTime
import Telemetry
import Testing

@Suite("Zones") struct ZoneTests {
    @Test(
        "A day begins at its first instant and has 23, 24 or 25 hours",
        arguments: [
            ("Europe/Berlin", CivilDate(year: 2026, month: 3, day: 29), "2026-03-29T00:00:00+01:00", 23),
            ("Europe/Berlin", CivilDate(year: 2026, month: 10, day: 25), "2026-10-25T00:00:00+02:00", 25),
            ("Europe/Berlin", CivilDate(year: 2026, month: 1, day: 1), "2026-01-01T00:00:00+01:00", 24),
            ("UTC", CivilDate(year: 2026, month: 3, day: 29), "2026-03-29T00:00:00Z", 24),
            ("Asia/Kolkata", CivilDate(year: 2026, month: 3, day: 29), "2026-03-29T00:00:00+05:30", 24),
            // The clocks pass over midnight.
            ("America/Havana", CivilDate(year: 2024, month: 3, day: 10), "2024-03-10T01:00:00-04:00", 23),
            // They are set back at one o'clock to midnight.
            ("America/Havana", CivilDate(year: 2024, month: 11, day: 3), "2024-11-03T00:00:00-04:00", 25),
        ]
    )
    func days(name: String, date: CivilDate, begin: String, hours: Int64) throws {
        let zone = try #require(Zone(name))
        let start = zone.start(of: date)
        #expect(zone.text(start) == begin)
        #expect(zone.date(of: start) == date)
        #expect(zone.date(of: start + -1) < date)
        let next = zone.start(of: CivilDate(daysSince1970: date.daysSince1970 + 1))
        #expect(next - start == hours * 3_600_000)
    }

    @Test("A reading that every clock shows once is the instant that shows it", arguments: ["Europe/Berlin", "+05:45"])
    func roundTrip(name: String) throws {
        let zone = try #require(Zone(name))
        for hour in stride(from: Int64(0), to: 400 * 24, by: 7) {
            let instant = Timestamp(seconds: 1_767_225_600 + hour * 3600)
            let reading = instant + Int64(zone.offsetSeconds(at: instant)) * 1000
            let found = zone.instant(ofReading: reading)
            #expect(found == instant || zone.offsetSeconds(at: found) != zone.offsetSeconds(at: instant))
        }
    }

    @Test("A reading shown twice is the first, one passed over is the change")
    func ambiguous() throws {
        let berlin = try #require(Zone("Europe/Berlin"))
        let twice = try #require(ClockReading(iso8601: "2026-10-25T02:30:00".utf8)).asUTC
        #expect(berlin.text(berlin.instant(ofReading: twice)) == "2026-10-25T02:30:00+02:00")
        let never = try #require(ClockReading(iso8601: "2026-03-29T02:30:00".utf8)).asUTC
        #expect(berlin.text(berlin.instant(ofReading: never)) == "2026-03-29T03:00:00+02:00")
    }

    @Test(
        "What names no zone is refused",
        arguments: ["", "CET/", "Mars/Olympus", "CEST", "+2", "25:00", "Europe/../UTC"]
    )
    func refused(name: String) {
        #expect(Zone(name) == nil)
    }
}

@Suite("Times as people say them") struct TimeExpressionTests {
    // A Sunday, the day on which the clocks are set forward.
    private let now = Timestamp(iso8601: "2026-03-29T12:00:00+02:00") ?? .latest

    @Test(
        "A text is a span in the zone",
        arguments: [
            ("now", "2026-03-29T12:00:00+02:00", "2026-03-29T12:00:00+02:00"),
            ("today", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"),
            ("Yesterday", "2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00"),
            ("monday", "2026-03-23T00:00:00+01:00", "2026-03-24T00:00:00+01:00"),
            ("sunday", "2026-03-22T00:00:00+01:00", "2026-03-23T00:00:00+01:00"),
            ("2026-03-29", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"),
            ("2026-12", "2026-12-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00"),
            ("-6h", "2026-03-29T06:00:00+02:00", "2026-03-29T06:00:00+02:00"),
            ("-2 days", "2026-03-27T11:00:00+01:00", "2026-03-27T11:00:00+01:00"),
            ("2026-03-29 10:15", "2026-03-29T10:15:00+02:00", "2026-03-29T10:15:00+02:00"),
            ("2026-03-29T10:15:00Z", "2026-03-29T12:15:00+02:00", "2026-03-29T12:15:00+02:00"),
        ]
    )
    func understood(text: String, begin: String, end: String) throws {
        let zone = try #require(Zone("Europe/Berlin"))
        let span = try #require(TimeExpression(text, zone: zone, now: now))
        #expect(zone.text(span.begin) == begin)
        #expect(zone.text(span.end) == end)
    }

    @Test("Anything else is refused", arguments: ["", "soon", "2026-02-30", "6h", "-h", "-6x", "2026-13", "10:15"])
    func refused(text: String) throws {
        let zone = try #require(Zone("Europe/Berlin"))
        #expect(TimeExpression(text, zone: zone, now: now) == nil)
    }
}
