import CivilTime
import Foundation
import Reports
import Telemetry
import Testing
import TripDetection
import TripStore

@Suite("Import outcomes") struct ImportOutcomeTests {
    @Test("The summary has the keys of the contract, refusals by reason")
    func json() {
        var outcome = ImportOutcome()
        outcome.accepted = 3
        outcome.refused = [.noTime: 2, .badCoordinates: 1]
        #expect(
            outcome.json.text
                == #"{"accepted":3,"duplicate":0,"refused":{"bad coordinates":1,"no time":2},"vehicles":0,"trips":0}"#
        )
        #expect(outcome.text == "3 positions accepted, 3 refused (no time 2, bad coordinates 1); 0 vehicles, 0 trips.")
    }

    @Test("Progress shows share, rate and time left, and never more than the terminal holds")
    func progress() {
        let line = ProgressLine(name: "day.csv", total: 1000)
        #expect(
            line.text(bytes: 250, positions: 50_000, elapsed: 10_000, width: 80)
                == "day.csv: 25 %, 50 000 positions, 5 000/s, 0:30 left"
        )
        #expect(line.text(bytes: 0, positions: 0, elapsed: 0, width: 80) == "day.csv: 0 %, 0 positions")
        #expect(
            ProgressLine(name: "-", total: nil).text(bytes: 9, positions: 9, elapsed: 2000, width: 80)
                == "-: 9 positions, 4/s"
        )
        for width in 1...60 {
            #expect(
                line.text(bytes: 250, positions: 50_000, elapsed: 10_000, width: width).displayWidth
                    <= max(1, width - 1)
            )
        }
    }
}

@Suite("Notes of an import") struct ImportNotesTests {
    @Test("A hundred files of one feed are spoken of once, and their numbers added up")
    func groups() {
        var notes = ImportNotes()
        for number in 1...100 { notes.add("alerts, which carry no positions: \(number)", source: "\(number).pb") }
        notes.add("taken from the file's name: Van 7", source: "a.gpx")
        notes.add("columns not read: id, note", source: "b.csv")
        notes.add("columns not read: id", source: "c.csv")
        notes.add("times were taken as UTC", source: "a.gpx")
        #expect(
            notes.lines == [
                "1.pb and 99 more: alerts, which carry no positions: 5 050", "a.gpx: taken from the file's name: Van 7",
                "b.csv and 1 more: columns not read", "a.gpx: times were taken as UTC",
            ]
        )
    }
}

@Suite("Paths") struct PathTests {
    private var trip: TripPath {
        var record = sampleTrip(vehicle: "A & <B>")
        record.trip.beginPoint = Coordinate(latitudeE7: 10, longitudeE7: -20)
        let points = [(10, -20), (30, -40)].map { Coordinate(latitudeE7: $0.0, longitudeE7: $0.1) }
        var position = Position(fixTime: record.trip.begin, coordinate: points[0])
        position.altitude = -12.3
        return TripPath(record: record, path: [position, Position(fixTime: record.trip.end, coordinate: points[1])])
    }

    @Test("GeoJSON puts longitude before latitude")
    func geoJSON() throws {
        var out: [UInt8] = []
        var formatter = GeoJSONFormatter()
        formatter.begin(&out)
        formatter.append(trip, to: &out)
        formatter.append(trip, to: &out)
        formatter.end(&out)
        let collection = try #require(JSONSerialization.jsonObject(with: Data(out)) as? [String: Any])
        let features = try #require(collection["features"] as? [[String: Any]])
        #expect(features.count == 2)
        let geometry = try #require(features[0]["geometry"] as? [String: Any])
        #expect(geometry["coordinates"] as? [[Double]] == [[-20e-7, 10e-7], [-40e-7, 30e-7]])
        #expect((features[0]["properties"] as? [String: Any])?["vehicle"] as? String == "A & <B>")
    }

    @Test("C3: GeoJSON cuts a trip over the antimeridian in two lines that end on it", arguments: [1, -1])
    func antimeridian(direction: Int32) throws {
        var trip = trip
        trip.path = [(0, 179), (10, -179), (10, -178)].map { (latitude: Int32, longitude: Int32) in
            Position(
                fixTime: trip.record.trip.begin,
                coordinate: Coordinate(
                    latitudeE7: latitude * 10_000_000,
                    longitudeE7: direction * longitude * 10_000_000
                )
            )
        }
        var out: [UInt8] = []
        var formatter = GeoJSONFormatter()
        formatter.begin(&out)
        formatter.append(trip, to: &out)
        formatter.end(&out)
        let collection = try #require(JSONSerialization.jsonObject(with: Data(out)) as? [String: Any])
        let features = try #require(collection["features"] as? [[String: Any]])
        let geometry = try #require(features.first?["geometry"] as? [String: Any])
        #expect(geometry["type"] as? String == "MultiLineString")
        let side = Double(direction)
        #expect(
            geometry["coordinates"] as? [[[Double]]] == [
                [[179 * side, 0], [180 * side, 5]], [[-180 * side, 5], [-179 * side, 10], [-178 * side, 10]],
            ]
        )
    }

    @Test("GPX escapes names, and a trip whose positions are gone still has its ends")
    func gpx() {
        var out: [UInt8] = []
        let formatter = GPXFormatter()
        formatter.begin(&out)
        formatter.append(trip, to: &out)
        formatter.append(TripPath(record: trip.record, path: []), to: &out)
        formatter.end(&out)
        #expect(out.text.contains("<name>A &amp; &lt;B&gt; 2026-03-29T01:00:00.500Z</name>"))
        #expect(
            out.text.contains(
                #"<trkpt lat="0.0000010" lon="-0.0000020"><ele>-12.3</ele><time>2026-03-29T01:00:00.500Z"#
            )
        )
        #expect(out.text.components(separatedBy: "<trkpt").count == 5)
    }

    @Test("The sheet names everything that people ask for")
    func sheet() {
        let sheet = trip.sheet(zone: .utc)
        for text in [
            "k3v9, open, revision 2", "13.6 km by positions", "19:55", "50.0 km/h at most", "signal lost", "1 194",
        ] {
            #expect(sheet.contains(text), "\(text)")
        }
    }
}

@Suite("Settings") struct SettingRowTests {
    @Test("The device's value goes before the store's, and that before the default")
    func origin() throws {
        var stored = StoredSettings()
        let device = try #require(DeviceID("1"))
        stored.common = ["stop_time_s": 420, "gap_s": 1800]
        stored.devices = [device: ["gap_s": 900]]
        let rows = SettingRow.all(stored, device: device)
        func row(_ setting: DetectionSetting) -> SettingRow? { rows.first { $0.setting == setting } }
        #expect(row(.gapTime)?.value == 900 && row(.gapTime)?.origin == .device)
        #expect(row(.stopTime)?.value == 420 && row(.stopTime)?.origin == .store)
        #expect(row(.movingSpeed)?.valueText == "3" && row(.movingSpeed)?.origin == .standard)
        #expect(SettingRow.all(stored, device: nil).first { $0.setting == .gapTime }?.value == 1800)
    }

    @Test(
        "Every setting keeps what it is given, and its default lies in its range",
        arguments: DetectionSetting.allCases
    )
    func roundTrip(setting: DetectionSetting) {
        #expect(setting.range.contains(DetectionSettings()[setting]))
        var settings = DetectionSettings()
        let value = (setting.range.lowerBound + setting.range.upperBound) / 2
        settings[setting] = value
        #expect(abs(settings[setting] - value) < 1e-3)
        #expect(DetectionSettings(stored: [setting.name: value]) == settings)
        #expect(DetectionSettings(stored: [setting.name: -1, "unknown": 1]) == DetectionSettings())
    }
}

@Suite("Polygons") struct PolygonTests {
    private let ring = "[[24.0,60.0],[24.1,60.0],[24.1,60.1],[24.0,60.0]]"

    @Test("A polygon is read bare, as a feature and as a collection of one")
    func read() throws {
        let polygon = #"{"type":"Polygon","coordinates":[\#(ring)]}"#
        let feature = #"{"type":"Feature","properties":{},"geometry":\#(polygon)}"#
        let collection = #"{"type":"FeatureCollection","features":[\#(feature)]}"#
        for text in [polygon, feature, collection] {
            let rings = try #require(GeoJSONPolygon.rings(Array(text.utf8)))
            #expect(rings.map(\.count) == [3])
            #expect(rings[0][1] == Coordinate(latitude: 60, longitude: 24.1))
        }
    }

    @Test(
        "What is no polygon is refused",
        arguments: [
            "", "{}", "[]", #"{"type":"Point","coordinates":[1,2]}"#,
            #"{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}"#,
            #"{"type":"Polygon","coordinates":[[[1,91],[3,4],[5,6]]]}"#, #"{"type":"Polygon","coordinates":[]}"#,
        ]
    )
    func refused(text: String) {
        #expect(GeoJSONPolygon.rings(Array(text.utf8)) == nil)
    }
}
