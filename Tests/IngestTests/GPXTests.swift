import Ingest
import Telemetry
import Testing

@Suite("GPX") struct GPXTests {
    static func track(_ points: String, version: String = "1.1") -> String {
        "<?xml version=\"1.0\"?><gpx version=\"\(version)\" xmlns=\"http://www.topografix.com/GPX/1/1\" "
            + "xmlns:t=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\"><trk><trkseg>\(points)</trkseg></trk></gpx>"
    }

    @Test("Speed, course and the rest are read from the point and from its extensions")
    func fields() throws {
        let inside = "<ele>12.34</ele><time>2026-03-29T10:15:30.5Z</time><fix>3d</fix><sat>9</sat><hdop>1.2</hdop>"
        let extended =
            "<extensions><t:TrackPointExtension><t:speed>10.5</t:speed><t:course>271</t:course>"
            + "<t:time>2001-01-01T00:00:00Z</t:time><t:hr>99</t:hr></t:TrackPointExtension></extensions>"
        for rest in [extended, "<speed>10.5</speed><course>271</course>"] {
            let text = GPXTests.track("<trkpt lat=\"60.1\" lon=\"24.9\">\(inside)\(rest)</trkpt>")
            let reading = Reading(text, name: "van.gpx")
            let position = try #require(reading.bare.first)
            #expect(position.fixTime == Timestamp(iso8601: "2026-03-29T10:15:30.5Z"))
            #expect(position.speed == 10.5)
            #expect(position.heading == 271)
            #expect(position.altitude == 12.3)
            #expect(position.hdop == 1.2)
            #expect(position.satellites == 9)
            #expect(reading.devices == ["van"])
        }
    }

    @Test("Points are refused one by one, with number and line")
    func refusals() {
        let reading = Reading(
            GPXTests.track(
                """
                <trkpt lat="60.1" lon="24.9"/>
                <trkpt lat="60.1"><time>2026-03-29T10:15:30Z</time></trkpt>
                <trkpt lat="60,1" lon="24.9"><time>2026-03-29T10:15:30Z</time></trkpt>
                <trkpt lat="95" lon="24.9"><time>2026-03-29T10:15:30Z</time></trkpt>
                <trkpt lat="60.1" lon="24.9"><time>yesterday</time></trkpt>
                <trkpt lat="60.1" lon="24.9"><time>2026-03-29T10:15:30Z</time><speed>quick</speed></trkpt>
                <trkpt lat="60.1" lon="24.9"><time>2026-03-29T10:15:30</time><fix>none</fix></trkpt>
                """
            ),
            name: "van.gpx"
        )
        #expect(
            reading.refusals.map(\.reason) == [
                .noTime, .noCoordinates, .badCoordinates, .badCoordinates, .badTime, .malformed,
            ]
        )
        #expect(reading.refusals.map(\.place) == (1...6).map { "track point \($0), line \($0)" })
        #expect(reading.positions.count == 1)
        #expect(reading.bare.first?.fields == .invalidFix)
        #expect(reading.notes.contains("UTC"))
    }

    @Test("A file that is cut off keeps what was good and gives one error")
    func truncated() {
        let point = "<trkpt lat=\"60.1\" lon=\"24.9\"><time>2026-03-29T10:15:30Z</time></trkpt>"
        let text = GPXTests.track(String(repeating: point, count: 5))
        let reading = Reading(String(text.dropLast(60)), name: "van.gpx")
        #expect(reading.positions.count == 4)
        #expect(reading.error?.kind == .truncated)
        #expect(reading.error?.place == "line 1")
    }

    @Test("Every point that is whole before a cut is kept, wherever the cut is")
    func cutAnywhere() {
        let point = "<trkpt lat=\"60.1\" lon=\"24.9\"><time>2026-03-29T10:15:30Z</time></trkpt>\n"
        let text = Array(GPXTests.track(String(repeating: point, count: 100)).utf8)
        for length in stride(from: 300, to: text.count - 1, by: 31) + [text.count - 1, text.count - 7] {
            let cut = String(decoding: text.prefix(length), as: UTF8.self)
            let reading = Reading(cut, name: "van.gpx")
            #expect(
                reading.positions.count == cut.split(separator: "</trkpt>", omittingEmptySubsequences: false).count - 1
            )
            #expect(reading.error?.kind == .truncated)
            #expect(reading.error?.message.contains("cut off") == true)
        }
    }

    @Test("A fault in the middle keeps every point before it, and none behind it")
    func damagedInTheMiddle() {
        let point = "<trkpt lat=\"60.1\" lon=\"24.9\"><time>2026-03-29T10:15:30Z</time></trkpt>"
        let points = String(repeating: point, count: 50)
        let reading = Reading(GPXTests.track(points + "<trkpt lat=1></trkpt>" + points), name: "van.gpx")
        #expect(reading.positions.count == 50)
        #expect(reading.error?.kind == .damaged)
    }

    @Test("A file without track points says so")
    func noTrackPoints() {
        let reading = Reading("<gpx><wpt lat=\"1\" lon=\"2\"/></gpx>", name: "van.gpx")
        #expect(reading.error == nil)
        #expect(reading.notes.contains("no track points"))
        #expect(reading.notes.contains("waypoints, which are no positions: 1"))
    }

    @Test("Entities are never expanded: a document type ends the reading")
    func entities() {
        let bomb =
            "<?xml version=\"1.0\"?><!DOCTYPE gpx [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">"
            + "<!ENTITY x SYSTEM \"file:///etc/passwd\">]><gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>&x;&b;</time>"
            + "</trkpt></trkseg></trk></gpx>"
        let reading = Reading(bomb, name: "x.gpx")
        #expect(reading.positions.isEmpty)
        #expect(reading.error?.kind == .damaged)
        #expect(reading.error?.message.contains("document type") == true)
    }

    @Test("Other XML and web pages are named for what they are")
    func otherXML() {
        let page = Reading("<!doctype html><html><body>503</body></html>", name: "x.gpx")
        #expect(page.error != nil)
        let kml = Reading("<kml><Placemark/></kml>", name: "x.gpx")
        #expect(kml.error?.kind == .notWhatItSeems)
        #expect(kml.error?.message.contains("kml") == true)
    }
}
