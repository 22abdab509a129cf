import CivilTime
import Ingest
import Telemetry
import TestSupport
import Testing

@Suite("CSV") struct CSVTests {
    @Test("CSV gives the same positions as framed batches of them", arguments: 1...10)
    func sameAsFramed(seed: Int) {
        var samples = Samples(seed: UInt64(seed))
        let batches = samples.batches(20, attributes: false)
        let framed = Reading(batches.flatMap { BatchEncoder.frame($0, as: .plain) })
        var text =
            "vehicle,time_ms,lat,lon,speed_mps,heading,altitude,accuracy,hdop,satellites,odometer_m,ignition,valid\r\n"
        for batch in batches {
            for position in batch.positions {
                func shown<T>(_ value: T?) -> String { value.map { "\($0)" } ?? "" }
                let place = "\(position.coordinate.latitude),\(position.coordinate.longitude)"
                let motion = "\(shown(position.speed)),\(shown(position.heading)),\(shown(position.altitude))"
                let quality = "\(shown(position.accuracy)),\(shown(position.hdop)),\(shown(position.satellites))"
                let state = "\(shown(position.odometer)),\(shown(position.ignition))"
                let valid = position.fields.contains(.invalidFix) ? "0" : "1"
                text +=
                    "\(batch.device),\(position.fixTime.milliseconds),\(place),\(motion),\(quality),\(state),\(valid)\r\n"
            }
        }
        let csv = Reading(text)
        #expect(csv.error == nil)
        #expect(csv.refusals.isEmpty)
        #expect(csv.bare == framed.bare)
        #expect(csv.positions.map(\.device) == framed.positions.map(\.device))
    }

    @Test("Every usual line end gives the same rows", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) {
        for last in [end, ""] {
            for quote in ["", "\""] {
                let rows = (0..<3).map { "A,60.1,24.9,\(1_774_779_330 + $0),\(quote)x\(quote)" }
                let text = ([end + "device,lat,lon,time_s,\(quote)note\(quote)"] + rows).joined(separator: end) + last
                let reading = Reading(text)
                #expect(reading.error == nil)
                #expect(reading.positions.count == 3)
                #expect(reading.refusals.isEmpty)
                #expect(reading.notes.contains("columns not read: note"))
            }
        }
    }

    @Test("Carriage returns inside a row are named in its refusal")
    func returnsInside() {
        let reading = Reading("device,lat,lon,time_s\nA,1,2,1774779330\rA,1,2,1774779331\rA,1,2,1774779332\n")
        #expect(reading.refusals.map(\.reason) == [.malformed])
        #expect(reading.refusals.first?.detail.contains("carriage returns") == true)
    }

    @Test("Many unknown columns are told in short, and a header alone says that there are no rows")
    func manyColumns() {
        let names = (0..<900).map { "x\($0)" }.joined(separator: ",")
        let reading = Reading("device,lat,lon,time_s,\(names)\n")
        #expect(reading.notes.contains("x19 and 880 more"))
        #expect(reading.notes.contains("no rows"))
    }

    @Test(
        "Usual headers are understood",
        arguments: [
            "vehicle,lat,lon,time\nA,60.1,24.9,2026-03-29T10:15:30Z\n",
            "Device_ID;Latitude;Longitude;Timestamp\nA;60.1;24.9;2026-03-29 12:15:30+02:00\n",
            "imei\tlng\tlat\tepoch\r\nA\t24.9\t60.1\t1774779330\r\n",
            "\u{FEFF}\"vehicle id\",\"LAT\",\"LON\",\"time_ms\"\n\"A\",\"60.1\",\"24.9\",\"1774779330000\"\n",
            "time,lat,lon,device,id\n1774779330000,60.1,24.9,A,4711",
            "\n\nvehicle|latitude_e7|longitude_e7|time_s\n A | 601000000 | 249000000 | 1774779330\n\n",
            "date,time,lat,lon,imei\n2026-03-29,10:15:30Z,60.1,24.9,A\n",
            "date,time,lat,lon,imei\n29,2026-03-29T10:15:30Z,60.1,24.9,A\n",
            "vehicle,device,lat,lon,datetime_utc\nnot me,A,60.10000000000000000000001,24.9,2026-03-29 10:15:30",
        ]
    )
    func headers(text: String) throws {
        let reading = Reading(text)
        #expect(reading.error == nil)
        let (device, position) = try #require(reading.positions.first)
        #expect(device.text == "A")
        #expect(position.coordinate == Coordinate(latitudeE7: 601_000_000, longitudeE7: 249_000_000))
        #expect(position.fixTime == Timestamp(iso8601: "2026-03-29T10:15:30Z"))
    }

    @Test(
        "Speeds come in the unit that the column names",
        arguments: [("speed_kmh", "36"), ("speed_mps", "10"), ("speed_kn", "19.438445"), ("SPEED_MPH", "22.369363")]
    )
    func speeds(column: String, value: String) {
        let reading = Reading("vehicle,lat,lon,time,\(column)\nA,1,2,1774779330,\(value)\n")
        #expect(reading.bare.first?.speed == 10)
    }

    @Test("A speed without a unit asks for one, and takes the one it is given")
    func speedUnit() {
        let text = "vehicle,lat,lon,time,speed\nA,1,2,1774779330,36\n"
        #expect(Reading(text).error?.kind == .needsOption)
        #expect(Reading(text, Reading.options { $0.speedUnit = .kilometresPerHour }).bare.first?.speed == 10)
    }

    @Test(
        "A row that cannot be used is refused by row number, reason and field, and the next one is read",
        arguments: [
            ("A,60.1,24.9,2026-03-29 10:15:30,", Refusal.Reason.timeWithoutZone, "time"),
            ("A,60.1,24.9,29.03.2026 10:15,", .badTime, "time"),
            ("A,60.1,24.9,,", .noTime, "time"),
            (",60.1,24.9,1774779330,", .noDevice, "vehicle"),
            ("A,,24.9,1774779330,", .noCoordinates, "lat"),
            ("A,\"53,079\",24.9,1774779330,", .badCoordinates, "comma"),
            ("A,53,079,24.9,1774779330,", .malformed, "comma"),
            ("A,91,24.9,1774779330,", .badCoordinates, "latitude"),
            ("A,60.1,300,1774779330,", .badCoordinates, "longitude"),
            ("A,NaN,24.9,1774779330,", .badCoordinates, "latitude"),
            ("A,0x10,24.9,1774779330,", .badCoordinates, "lat"),
            ("A,60.1,24.9,1774779330,2500", .valueOutOfRange, "speed"),
            ("A,60.1,24.9,1774779330,inf", .valueOutOfRange, "speed"),
            ("A,60.1,24.9,1774779330,fast", .malformed, "speed_kmh"),
            ("A,60.1,24.9,1899-12-31T23:59:59Z,", .timeOutOfRange, "1900"),
            ("A,60.1,24.9,2034-01-01T00:00:00Z,", .inTheFuture, "2034"),
            ("A\"x,60.1,24.9", .malformed, "fields"),
            ("\"A\"x,60.1,24.9,1774779330,", .malformed, "quote"),
        ]
    )
    func refusals(row: String, reason: Refusal.Reason, named: String) throws {
        let reading = Reading("vehicle,lat,lon,time,speed_kmh\n\(row)\nB,1,2,1774779330,-1\n")
        let refusal = try #require(reading.refusals.first)
        #expect(refusal.reason == reason)
        #expect(refusal.place == "row 2")
        #expect(refusal.detail.contains(named))
        #expect(refusal.content.hasPrefix(row))
        #expect(refusal.source == "test.csv")
        #expect(reading.devices == ["B"])
        #expect(reading.bare.first?.speed == nil)
    }

    @Test("C8: with semicolons a decimal comma is refused by name, never cut off")
    func decimalComma() throws {
        let reading = Reading("vehicle;lat;lon;time\nA;53,079;8,8;1774779330\n")
        #expect(reading.positions.isEmpty)
        #expect(try #require(reading.refusals.first).reason == .badCoordinates)
        #expect(reading.refusals.first?.detail.contains("comma") == true)
    }

    @Test("Quoted fields may hold separators, quotes and line ends")
    func quotes() {
        let reading = Reading(
            "vehicle,note,lat,lon,time\n\"A \"\"1\"\"\",\"x,\r\ny\"\"\",1,2,1774779330\n\"B\",\"\",1,2,1774779330"
        )
        #expect(reading.error == nil)
        #expect(reading.devices == ["A \"1\"", "B"])
        #expect(reading.notes.contains("note"))
    }

    @Test("A quote that is never closed is one error with its row")
    func unclosedQuote() {
        let reading = Reading("vehicle,lat,lon,time\nA,1,2,1774779330\n\"B,1,2,1774779330\nC,1,2,1774779330\n")
        #expect(reading.error?.kind == .truncated)
        #expect(reading.error?.place == "row 3")
        #expect(reading.devices == ["A"])
    }

    @Test(
        "Times without a zone are taken in the assumed one, also where clocks change",
        arguments: [
            ("2026-01-15 12:00:00", "2026-01-15T10:00:00Z"), ("2026-07-15 12:00:00", "2026-07-15T09:00:00Z"),
            ("2026-03-29 02:59:59", "2026-03-29T00:59:59Z"), ("2026-03-29 04:00:00", "2026-03-29T01:00:00Z"),
            ("2026-03-29 03:30:00", "2026-03-29T01:30:00Z"), ("2026-10-25 03:30:00", "2026-10-25T00:30:00Z"),
            ("2026-10-25 04:00:00", "2026-10-25T02:00:00Z"), ("2026-10-25 02:59:59", "2026-10-24T23:59:59Z"),
        ]
    )
    func zones(local: String, expected: String) {
        let reading = Reading(
            "vehicle,lat,lon,time\nA,1,2,\(local)\n",
            Reading.options { $0.assumedZone = Zone("Europe/Helsinki") }
        )
        #expect(reading.bare.first?.fixTime == Timestamp(iso8601: expected))
    }

    @Test("Text that is no table of positions says what is missing")
    func noTable() {
        let reading = Reading("Nie odnaleziono pliku")
        #expect(reading.error?.kind == .notWhatItSeems)
        #expect(reading.error?.message.contains("lat, lon, time") == true)
        #expect(Reading("").error?.kind == .empty)
        #expect(Reading("a,b\n").error?.kind == .notWhatItSeems)
        #expect(Reading([0x1f, 0x8b, 8, 0]).error?.message.contains("gzip") == true)
    }

    @Test("Without a column for it the device is the option's, else the file's name")
    func deviceOfFile() {
        let text = "lat,lon,time\n1,2,1774779330\n"
        #expect(Reading(text, name: "/tmp/van.7.csv").devices == ["van.7"])
        #expect(Reading(text, Reading.options { $0.device = DeviceID("mine") }).devices == ["mine"])
        #expect(Reading(text, name: "standard input").error?.kind == .needsOption)
    }

    @Test("A chunk groups an interleaved fleet into batches")
    func interleaved() throws {
        var text = "vehicle,lat,lon,time\n"
        for row in 0..<10_000 { text += "V\(row % 700),\(row % 90),2,\(1_774_779_330 + row)\n" }
        let reader = try PositionReader(bytes: Array(text.utf8), name: "x.csv", options: Reading.options())
        var chunk = DecodedChunk()
        var counts: [DeviceID: Int] = [:]
        var chunks = 0
        while try reader.read(into: &chunk) {
            chunks += 1
            let batches = chunk.batches()
            #expect(Set(batches.map(\.device)).count == batches.count)
            for batch in batches { counts[batch.device, default: 0] += batch.positions.count }
        }
        #expect(chunks == 3)
        #expect(counts.count == 700)
        #expect(counts.values.reduce(0, +) == 10_000)
        #expect(reader.summary.accepted == 10_000)
    }
}
