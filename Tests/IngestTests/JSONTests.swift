import Ingest
import Telemetry
import Testing

@Suite("Positions in JSON") struct JSONTests {
    static let collection = """
        {"type": "FeatureCollection", "name": "a \\"b\\" [\\u00e4\\ud83d\\ude97]", "features": [
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [24.9, 60.1, 12.5]},
           "properties": {"vehicle": "A", "time": "2026-03-29T10:15:30Z", "speed_kmh": 36, "heading": 90, "note": null}},
          {"properties": {"device": "B", "vehicle": "no", "time_ms": 1774779330000, "ignition": true}, "type": "Feature",
           "geometry": {"coordinates": [-0.5, -1.5], "type": "Point"}},
          {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}, "properties": {}},
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [24.9, 95]}, "properties": {"time": 1774779330}},
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": ["24,9", 60]}, "properties": {"time": 1774779330}},
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [24.9, 60]}, "properties": null}
        ]}
        """

    static let overland = """
        {"locations": [
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-122.03, 37.33]},
           "properties": {"timestamp": "2026-10-01T08:00:00-0700", "altitude": 5, "speed": 4, "horizontal_accuracy": 30,
            "motion": ["driving"], "battery_level": 0.8, "wifi": "", "device_id": "phone"}},
          {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-122.04, 37.33]},
           "properties": {"timestamp": "2026-10-01T15:00:10Z", "speed": -1, "device_id": "phone"}}
        ], "current": {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}}}
        """

    static let recorder = """
        2026-10-01T15:00:00Z\t*                 \t{"_type":"location","topic":"owntracks/jane/car","tst":1774779330,"lat":60.1,"lon":24.9,"vel":36,"acc":5}
        2026-10-01T15:00:01Z\t*                 \t{"_type":"location","tst":"1774779331","lat":60.1,"lon":24.9,"vel":-1}
        2026-10-01T15:00:01Z\t-                 \t{"_type":"lwt","tst":"1774779331"}
        2026-10-01T15:00:02Z\t*                 \t{"_type":"location","lat":60.1,"lon":24.9}
        2026-10-01T15:00:03Z\t*                 \t{"_type":"location","lat":
        """

    @Test("Point features are read by the names that CSV columns have")
    func features() throws {
        let reading = Reading(JSONTests.collection, name: "day.geojson")
        #expect(reading.error == nil)
        #expect(reading.summary?.format == .geoJSON)
        try #require(reading.positions.count == 2)
        #expect(reading.positions.map(\.device.text) == ["A", "B"])
        #expect(reading.bare[0].speed == 10)
        #expect(reading.bare[0].altitude == 12.5)
        #expect(reading.bare[1].coordinate == Coordinate(latitudeE7: -15_000_000, longitudeE7: -5_000_000))
        #expect(reading.bare[1].ignition == true)
        #expect(reading.bare.allSatisfy { $0.fixTime == Timestamp(seconds: 1_774_779_330) })
        #expect(reading.refusals.map(\.reason) == [.badCoordinates, .badCoordinates, .noTime])
        #expect(reading.refusals.map(\.place) == ["feature 4", "feature 5", "feature 6"])
        #expect(reading.refusals.allSatisfy { $0.device?.text == "day" })
        #expect(reading.notes.contains("features that are no points"))
        #expect(reading.notes.contains("note"))
    }

    @Test("Features one after another, and arrays of them, are read alike")
    func sequences() {
        let feature =
            "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
            + "\"properties\":{\"device\":\"A\",\"time\":1774779330}}"
        for text in ["\(feature)\n\(feature)\n", "[\(feature),\(feature)]", "\u{1e}\(feature)\n\u{1e}\(feature)\n"] {
            let reading = Reading(text, name: "x.json")
            #expect(reading.error == nil)
            #expect(reading.positions.count == 2)
        }
    }

    @Test("A speed without a unit asks for one")
    func speedUnit() {
        let text = JSONTests.collection.replacing("speed_kmh", with: "speed")
        #expect(Reading(text, name: "x.json").error?.kind == .needsOption)
        let said = Reading(text, name: "x.json", Reading.options { $0.speedUnit = .kilometresPerHour })
        #expect(said.bare.first?.speed == 10)
    }

    @Test("Overland batches are read with their units")
    func overlandBatch() throws {
        let reading = Reading(JSONTests.overland, name: "batch.json")
        #expect(reading.summary?.format == .overland)
        try #require(reading.positions.count == 2)
        #expect(reading.devices == ["phone"])
        #expect(reading.bare[0].speed == 4)
        #expect(reading.bare[0].accuracy == 30)
        #expect(reading.bare[0].fixTime == Timestamp(iso8601: "2026-10-01T15:00:00Z"))
        #expect(reading.bare[1].speed == nil)
    }

    @Test("OwnTracks lines give device, time and km/h; broken lines are refused by number")
    func recorderLines() throws {
        let reading = Reading(JSONTests.recorder, name: "2026-10.rec")
        #expect(reading.summary?.format == .ownTracks)
        #expect(reading.positions.map(\.device.text) == ["jane/car", "2026-10"])
        #expect(reading.bare.first?.speed == 10)
        #expect(reading.refusals.map(\.reason) == [.noTime, .malformed])
        #expect(reading.refusals.map(\.place) == ["line 4", "line 5"])
    }

    @Test("Text that ends in the middle, or is broken, is one error with its place; what was good stays")
    func damage() {
        let cut = Reading(String(JSONTests.collection.prefix(560)), name: "x.json")
        #expect(cut.error?.kind == .truncated)
        #expect(cut.positions.count == 2)
        let broken = Reading(
            JSONTests.collection.replacing("\"properties\": null", with: "\"properties\": nul"),
            name: "x.json"
        )
        #expect(broken.error?.kind == .damaged)
        #expect(broken.error?.place.hasPrefix("byte ") == true)
        #expect(broken.positions.count == 2)
        let deep = Reading(String(repeating: "[", count: 100_000), name: "x.json")
        #expect(deep.error?.kind == .damaged)
    }
}
