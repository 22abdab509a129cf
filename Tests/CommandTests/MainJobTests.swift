import Foundation
import TestSupport
import Testing

/// The contract of issue and documentation; columns are only ever appended.
private let columns =
    "trip_id,vehicle,begin,end,begin_latitude,begin_longitude,begin_address,end_latitude,end_longitude,end_address,"
    + "distance_m,duration_s,moving_s,idle_s,max_speed_kmh,begin_reason,end_reason,state,revision,"
    + "begin_address_state,end_address_state,device"

@Suite("The main job") struct MainJobTests {
    /// A day of one van: a drive to the north of nine minutes, half an hour at rest, and the way back.
    static func drive(device: String = "Van 7", day: String = "2026-03-28", latitude: Double = 60.2) -> String {
        var rows = ["device,time,lat,lon,speed_kmh,ignition"]
        func row(_ second: Int, _ metres: Double, _ speed: Int) {
            let (hour, minute) = (8 + second / 3600, second / 60 % 60)
            let clock = [hour, minute, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            let place = latitude + metres / 111_195
            rows.append("\(device),\(day)T\(clock)Z,\(place),24.65,\(speed),\(speed > 0 ? "on" : "off")")
        }
        for second in stride(from: 0, to: 600, by: 60) { row(second, 0, 0) }
        for step in 0...54 { row(600 + step * 10, Double(step) * 100, step == 54 ? 0 : 36) }
        for second in stride(from: 1200, to: 3000, by: 60) { row(second, 5400, 0) }
        for step in 0...54 { row(3000 + step * 10, 5400 - Double(step) * 100, step == 54 ? 0 : 36) }
        for second in stride(from: 3600, to: 4800, by: 60) { row(second, 0, 0) }
        return rows.joined(separator: "\n") + "\n"
    }

    @Test("Positions go in, trips with addresses come out, in every form")
    func everything() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            let imported = try odograph("import", "--summary", "json", file)
            #expect(imported.code == 0, "\(imported.errors)")
            let summary = try #require(imported.json as? [String: Any])
            #expect(summary["accepted"] as? Int == 170)
            #expect(summary["duplicate"] as? Int == 0)
            #expect((summary["refused"] as? [String: Int]) == [:])
            #expect(summary["vehicles"] as? Int == 1)
            #expect(summary["trips"] as? Int == 2)

            let csv = try odograph("trips", "--format", "csv")
            let lines = csv.output.components(separatedBy: "\r\n")
            #expect(lines.count == 4)
            #expect(lines[0] == columns)
            #expect(csv.errors == "")
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.count == 2)
            for trip in trips {
                #expect(trip["vehicle"] as? String == "Van 7")
                #expect(trip["state"] as? String == "final")
                #expect(trip["begin_address_state"] as? String == "resolved")
                let address = try #require(trip["begin_address"] as? [String: Any])
                #expect(address["country_code"] as? String == "FI")
                #expect((address["attribution"] as? String)?.contains("GeoNames") == true)
                let distance = try #require(trip["distance_m"] as? Double)
                #expect(abs(distance - 5400) < 60)
            }
            let table = try odograph("trips", "--zone", "Europe/Helsinki")
            #expect(table.output.contains("2026-03-28 10:1"))
            #expect(table.output.contains("+02:00"))
            #expect(table.errors.contains("GeoNames"))
            #expect(!table.output.contains("\u{1B}"))

            let id = try #require(trips[0]["trip_id"] as? String)
            let sheet = try odograph("trip", id)
            #expect(sheet.output.contains("5.4 km"))
            let full = try #require(try odograph("trip", id, "--format", "json").json as? [String: Any])
            #expect((full["path"] as? [Any])?.count == full["positions"] as? Int)
            let map = try #require(try odograph("trip", id, "--format", "geojson").json as? [String: Any])
            #expect((map["features"] as? [Any])?.count == 1)
            #expect(try odograph("trip", id, "--format", "gpx").output.contains("<trkpt lat=\"60.2"))

            #expect(try odograph("stops", "--format", "csv").output.components(separatedBy: "\r\n").count == 5)
            let vehicles = try #require(try odograph("vehicles", "list", "--format", "json").json as? [[String: Any]])
            #expect(vehicles.map { $0["positions"] as? Int } == [170])
            let status = try #require(try odograph("geocode", "status", "--format", "json").json as? [String: Any])
            #expect(status["pending"] as? Int == 0)
            let check = try odograph("store", "check")
            #expect(check.code == 0)
            #expect(check.output == "")
        }
    }

    @Test("Importing the same file again changes nothing and says so")
    func again() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            _ = try odograph("import", file)
            let before = try odograph("trips", "--format", "json").output
            let result = try odograph("import", file, "--summary", "json")
            #expect(result.code == 0)
            #expect(result.errors.contains("Nothing new"))
            let summary = try #require(result.json as? [String: Any])
            #expect(summary["accepted"] as? Int == 0)
            #expect(summary["duplicate"] as? Int == 170)
            #expect(try odograph("trips", "--format", "json").output == before)
        }
    }

    @Test("A GPX file goes by its name, and the store may be named before the command")
    func storeFirst() throws {
        try Odograph.with { odograph in
            var odograph = odograph
            odograph.environment["ODOGRAPH_STORE"] = nil
            let gpx = """
                <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
                <trkpt lat="-33.86" lon="151.21"><time>2026-03-28T08:00:00Z</time></trkpt>
                </trkseg></trk></gpx>
                """
            let file = try odograph.write(gpx, to: "MUC-201.gpx")
            let store = odograph.path("own.sqlite")
            #expect(try odograph("--store", store, "import", file, "--no-geocode").code == 0)
            #expect(try odograph("vehicles", "--store", store, "list").output.contains("MUC-201"))
            #expect(try odograph("vehicles", "list").code == 66)
            #expect(try odograph("import", file).code == 0)
            #expect(FileManager.default.fileExists(atPath: odograph.path(".local/share/odograph/store.sqlite")))
        }
    }

    @Test("A file that is not what it seems ends with 65, and the others are imported")
    func badFile() throws {
        try Odograph.with { odograph in
            let good = try odograph.write(MainJobTests.drive(), to: "day.csv")
            let bad = try odograph.write("<html><body>502 Bad Gateway</body></html>", to: "feed.pb")
            let result = try odograph("import", "--summary", "json", bad, good)
            #expect(result.code == 65)
            #expect(result.errors.contains("feed.pb"))
            #expect((result.json as? [String: Any])?["accepted"] as? Int == 170)
            #expect(try odograph("import", good, odograph.path("nowhere.csv")).code == 66)
        }
    }

    @Test("A row that is refused is counted, kept, and with --strict an error")
    func refused() throws {
        try Odograph.with { odograph in
            let rows = MainJobTests.drive() + "Van 7,2026-03-28T20:00:00Z,91.5,24.65,0,off\nVan 7,,60.2,24.65,0,off\n"
            let file = try odograph.write(rows, to: "day.csv")
            let result = try odograph("import", "--summary", "json", "--no-geocode", file)
            #expect(result.code == 0)
            let refused = (result.json as? [String: Any])?["refused"] as? [String: Int]
            #expect(refused == ["bad coordinates": 1, "no time": 1])
            #expect(try odograph("import", "--strict", file).code == 65)
            let quarantine = try #require(try odograph("quarantine", "--format", "json").json as? [[String: Any]])
            #expect(quarantine.compactMap { $0["reason"] as? String }.sorted() == ["bad coordinates", "no time"])
            #expect(quarantine.allSatisfy { ($0["source"] as? String)?.hasSuffix("day.csv") == true })
        }
    }

    @Test("Days begin and end by the clocks of the zone")
    func days() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            _ = try odograph("import", "--no-geocode", file)
            func count(_ words: String...) throws -> Int {
                try #require(try odograph.run(["trips", "--format", "json"] + words).json as? [Any]).count
            }
            #expect(try count("--day", "2026-03-28") == 2)
            #expect(try count("--day", "2026-03") == 2)
            #expect(try count("--day", "2026-03-27") == 0)
            // 08:10 UTC is 22:10 of the day before in Honolulu.
            #expect(try count("--day", "2026-03-27", "--zone", "Pacific/Honolulu") == 2)
            #expect(try count("--since", "2026-03-28T08:30Z") == 1)
            #expect(try count("--until", "2026-03-28T08:30Z") == 1)
            #expect(try count("--until", "2026-03-27") == 0)
            #expect(try count("--until", "2026-03-28") == 2)
            #expect(try count("--vehicle", "Van 7") == 2)
            #expect(try odograph("trips", "--vehicle", "Van 8").code == 66)
        }
    }

    @Test("F6: a German locale changes neither the decimal point nor the separator")
    func locale() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let plain = try odograph("trips", "--format", "csv")
            var german = odograph
            german.environment["LC_ALL"] = "de_DE.UTF-8"
            #expect(try german("trips", "--format", "csv").bytes == plain.bytes)
        }
    }

    @Test("Changed settings give what a fresh import with them gives")
    func settings() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            _ = try odograph("import", "--no-geocode", file)
            #expect(try odograph("settings", "set", "least_trip_m", "6000").code == 0)
            #expect(try odograph("settings", "get", "least_trip_m").output == "6000\n")
            #expect(try odograph("trips", "--format", "json").output == "[]\n")
            #expect(try odograph("settings", "set", "least_trip_m", "200", "--device", "Van 7").code == 0)
            #expect(try #require(try odograph("trips", "--format", "json").json as? [Any]).count == 2)
            #expect(try odograph("settings", "set", "least_trip_m", "default", "--device", "Van 7").code == 0)
            #expect(try odograph("settings", "set", "least_trip_m", "default").code == 0)
            #expect(try odograph("settings", "get", "least_trip_m").output == "200\n")
            #expect(try #require(try odograph("trips", "--format", "json").json as? [Any]).count == 2)
        }
    }

    @Test(
        "Recorded drives are the trips that were driven",
        .enabled(if: SharedData.isPresent, SharedData.whenAbsent),
        arguments: [
            ("munich-drive-1s.gpx", "2014-09-10T04:54:07Z", "2014-09-10T05:14:02Z", 13_450.0...13_750),
            ("limerick-bus.gpx", nil, nil, 13_900...14_500),
            ("visnjan-car.gpx", nil, nil, 2_550...2_800),
        ] as [(String, String?, String?, ClosedRange<Double>)]
    )
    func recorded(name: String, begin: String?, end: String?, distance: ClosedRange<Double>) throws {
        try Odograph.with { odograph in
            let result = try odograph("import", SharedData.url("tracks/\(name)").path(percentEncoded: false))
            #expect(result.code == 0, "\(result.errors)")
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.count == 1)
            let trip = try #require(trips.first)
            #expect(distance.contains(try #require(trip["distance_m"] as? Double)))
            if let begin { #expect(trip["begin"] as? String == begin) }
            if let end { #expect(trip["end"] as? String == end) }
        }
    }
}
