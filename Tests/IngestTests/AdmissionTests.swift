import Ingest
import Telemetry
import Testing

@Suite("Admission") struct AdmissionTests {
    static func read(_ time: String, transport: Admission.Transport, received: String) throws -> Reading {
        let clock = try #require(Timestamp(iso8601: received))
        return Reading(
            "vehicle,lat,lon,time\nA,52,13,\(time)\n",
            Reading.options { $0.admission = Admission(receivedTime: clock, transport: transport) }
        )
    }

    @Test("B9: a rolled-over week is put right on a live transport and kept in a file")
    func rollover() throws {
        let (old, now) = ("2007-04-17T12:00:00Z", "2026-12-01T12:00:05Z")
        let live = try #require(AdmissionTests.read(old, transport: .live, received: now).bare.first)
        #expect(live.fixTime == Timestamp(iso8601: "2026-12-01T12:00:00Z"))
        #expect(live.fields.contains(.timeCorrected))
        #expect(live.receivedTime == Timestamp(iso8601: now))
        let file = try #require(AdmissionTests.read(old, transport: .file, received: now).bare.first)
        #expect(file.fixTime == Timestamp(iso8601: old))
        #expect(!file.fields.contains(.timeCorrected))
    }

    @Test(
        "The rollover is corrected from seven days before to the tolerance after, both included",
        arguments: [(-604_800, true), (-604_801, false), (300, true), (301, false)]
    )
    func rolloverLimits(seconds: Int64, corrected: Bool) throws {
        let received = "2026-12-01T12:00:00Z"
        let clock = try #require(Timestamp(iso8601: received))
        let fix = clock + (seconds - 7168 * 86_400) * 1000
        let reading = try AdmissionTests.read(fix.iso8601(), transport: .live, received: received)
        #expect(reading.bare.first?.fields.contains(.timeCorrected) == corrected)
    }

    @Test(
        "B8: a fix later than the tolerance allows is refused, one at the limit is not",
        arguments: [(300, true), (301, false), (8 * 365 * 86_400, false)]
    )
    func future(seconds: Int64, accepted: Bool) throws {
        let received = "2026-12-01T12:00:00Z"
        let clock = try #require(Timestamp(iso8601: received))
        for transport in [Admission.Transport.file, .live] {
            let reading = try AdmissionTests.read(
                (clock + seconds * 1000).iso8601(),
                transport: transport,
                received: received
            )
            #expect(reading.positions.count == (accepted ? 1 : 0))
            #expect(reading.reasons == (accepted ? [:] : [.inTheFuture: 1]))
        }
    }

    @Test("What phones send for not known is absent, not refused and not zero")
    func negatives() throws {
        let header = "vehicle,lat,lon,time,speed_mps,heading,accuracy,hdop,satellites"
        let position = try #require(Reading("\(header)\nA,1,2,1774779330,-1,-1,-1,-1,-1\n").bare.first)
        #expect(position.fields == [])
        let north = try #require(Reading("\(header)\nA,1,2,1774779330,0,360,0,0,0\n").bare.first)
        #expect(north.heading == 0)
        #expect(north.speed == 0)
        #expect(north.satellites == 0)
    }
}

@Suite("Numbers and times as text") struct TextTests {
    @Test("Decimal text gives the double that the standard library gives")
    func decimals() throws {
        var samples = Samples(seed: 9)
        for _ in 0..<3000 {
            var text = samples.flip() ? "-" : ""
            for _ in 0..<samples.number(1...3) { text += "\(samples.number(0...9))" }
            text += "."
            for _ in 0..<samples.number(0...20) { text += "\(samples.number(0...9))" }
            let value = try #require(Double(text.hasSuffix(".") ? text + "0" : text))
            let reading = Reading("vehicle,lat,lon,time,odometer_m\nA,0,0,0,\(text)\n")
            let expected = value < 0 || text.hasPrefix("-") && value != 0 ? nil : (value * 10).rounded() / 10
            #expect(reading.bare.first?.odometer == expected)
        }
    }

    @Test("Times are read as the slower reader of the foundation reads them")
    func times() {
        var samples = Samples(seed: 4)
        let zones = ["Z", "z", "+02:00", "-0930", "+05", "", "+19:00", "x"]
        let fractions = ["", ".5", ".123", ".9996", ".1234567", ",5", "."]
        for _ in 0..<3000 {
            func two(_ range: ClosedRange<Int>) -> String {
                let value = samples.number(range)
                return value < 10 ? "0\(value)" : "\(value)"
            }
            let date = "\(samples.number(1890...2030))-\(two(0...13))-\(two(0...32))"
            let clock = "\(two(0...24)):\(two(0...60)):\(two(0...61))"
            let text =
                date + (samples.flip() ? "T" : " ") + clock + fractions[samples.number(0...6)]
                + zones[samples.number(0...7)]
            let reading = Reading("vehicle|lat|lon|time\nA|0|0|\(text)\n")
            let expected = ClockReading(iso8601: text.utf8)
            if let instant = expected?.timestamp {
                let isInRange = instant >= .earliest && instant <= Reading.received + 300_000
                #expect(reading.bare.first?.fixTime == (isInRange ? instant : nil))
            } else {
                #expect(reading.reasons == [expected == nil ? .badTime : .timeWithoutZone: 1])
            }
        }
    }

    @Test(
        "Numbers are seconds or milliseconds by their magnitude",
        arguments: [
            ("1774779330", 1_774_779_330_000), ("1774779330.25", 1_774_779_330_250),
            ("1774779330250", 1_774_779_330_250),
            ("-1", -1000), ("0", 0), ("1e9", 1_000_000_000_000),
        ]
    )
    func epochs(text: String, milliseconds: Int64) {
        #expect(Reading("vehicle,lat,lon,time\nA,0,0,\(text)\n").bare.first?.fixTime.milliseconds == milliseconds)
    }
}
