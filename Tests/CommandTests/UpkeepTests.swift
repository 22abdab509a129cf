import Foundation
import Testing

@Suite("Upkeep and places") struct UpkeepTests {
    @Test("A backup holds what the store held, and comes back only where it may")
    func backup() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let before = try odograph("trips", "--format", "json").output
            let backup = odograph.path("backup.sqlite")
            #expect(try odograph("store", "backup", backup).code == 0)
            #expect(try odograph("store", "backup", backup).code == 73)
            #expect(try odograph("--store", backup, "trips", "--format", "json").output == before)

            _ = try odograph(
                "import",
                "--no-geocode",
                try odograph.write(MainJobTests.drive(device: "Van 8"), to: "more.csv")
            )
            #expect(try odograph("store", "restore", backup).code == 73)
            #expect(try odograph("store", "restore", backup, "--replace").code == 0)
            #expect(try odograph("trips", "--format", "json").output == before)
            #expect(try odograph("store", "restore", odograph.path("nothing.sqlite"), "--replace").code == 66)
            #expect(try odograph("trips", "--format", "json").output == before)
            #expect(try odograph("store", "compact").code == 0)
            #expect(try odograph("store", "migrate").code == 0)
            #expect(try odograph("trips", "--format", "json").output == before)
            #expect(try odograph("store", "check").output == "")
        }
    }

    @Test("What is erased is gone from the file, and what is only old keeps its trips")
    func erased() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            _ = try odograph("import", try odograph.write(MainJobTests.drive(device: "Secret 8"), to: "more.csv"))
            let kept = try odograph("trips", "--vehicle", "Van 7", "--format", "json").output
            #expect(try odograph("store", "erase", "Secret 8").code == 64)
            #expect(try odograph("store", "erase", "Secret 8", "--yes").code == 0)
            #expect(try odograph("trips", "--format", "json").output == kept)
            for suffix in ["", "-wal"] {
                let path = odograph.path("store.sqlite" + suffix)
                guard FileManager.default.fileExists(atPath: path) else { continue }
                #expect(try Data(contentsOf: URL(filePath: path)).firstRange(of: Data("Secret 8".utf8)) == nil)
            }
            #expect(try odograph("store", "retain", "2026-03-28T08:45Z").code == 0)
            #expect(try odograph("trips", "--format", "json").output == kept)
            let vehicles = try #require(try odograph("vehicles", "list", "--format", "json").json as? [[String: Any]])
            let count = try #require(vehicles[0]["positions"] as? Int)
            #expect(count < 170 && count > 0)
            #expect(try odograph("store", "check").output == "")
        }
    }

    @Test("A name given to a place is shown instead of the address, also for trips that are there")
    func places() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let address = try odograph("trips", "--format", "csv").output
            #expect(try odograph("places", "add", "Depot, North", "--at", "60.2,24.65", "--radius", "150").code == 0)
            #expect(try odograph("places", "list").output.contains("Depot, North"))
            let named = try odograph("trips", "--format", "csv").output
            #expect(named.components(separatedBy: "\"Depot, North\"").count == 3)
            #expect(try odograph("places", "remove", "Depot, North").code == 0)
            #expect(try odograph("places", "remove", "Depot, North").code == 66)
            let columns = [6, 9]
            func addresses(_ csv: String) -> [String] {
                csv.components(separatedBy: "\r\n").dropFirst().flatMap { line in
                    columns.map { line.components(separatedBy: ",").dropFirst($0).prefix(3).joined() }
                }
            }
            #expect(addresses(try odograph("trips", "--format", "csv").output) == addresses(address))
        }
    }

    @Test("An address set by hand holds for the place, and explain says where addresses come from")
    func corrected() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            let id = try #require(trips[0]["trip_id"] as? String)
            #expect(try odograph("geocode", "explain", id).output.contains("offline"))
            #expect(try odograph("geocode", "correct", id, "begin", "Gate 3").code == 0)
            #expect(try odograph("geocode", "explain", id).output.contains("Gate 3"))
            // The second trip ends where the first began.
            #expect(try odograph("trips", "--format", "csv").output.components(separatedBy: ",Gate 3,").count == 3)
            #expect(try odograph("geocode", "refresh").code == 0)
            #expect(try odograph("geocode", "run").code == 0)
            #expect(try odograph("trips", "--format", "csv").output.components(separatedBy: ",Gate 3,").count == 3)
            #expect(try odograph("geocode", "correct", id, "begin", "").code == 0)
            #expect(try odograph("geocode", "run").code == 0)
            #expect(!(try odograph("trips", "--format", "csv").output.contains("Gate 3")))
            #expect(try odograph("geocode", "explain", "nosuch").code == 66)
        }
    }

    @Test(
        "F1, F2: what another program reads from the CSV is what was stored",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is absent")
    )
    func python() throws {
        try Odograph.with { odograph in
            let names = ["=1+1", "+49 30", "-x", "@A1", "'q", "Łódź, \"Grüner\" Weg", "東京 🚐", "a;b", "-7"]
            var rows = "device,time,lat,lon,speed_kmh,ignition\n"
            for name in names {
                let quoted = "\"\(name.replacing("\"", with: "\"\""))\""
                rows +=
                    MainJobTests.drive(device: quoted).split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
            }
            _ = try odograph("import", try odograph.write(rows, to: "fleet.csv"))
            let script = """
                import csv, json, sys
                rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8-sig"), delimiter=sys.argv[2]))
                assert all(len(row) == 22 and None not in row for row in rows), "columns"
                off = lambda text: text[1:] if text.startswith("'") else text
                print(json.dumps([[off(row["vehicle"]), float(row["begin_latitude"]), off(row["begin_address"])] for row in rows]))
                """
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.count == 2 * names.count)
            #expect(Set(trips.compactMap { $0["vehicle"] as? String }) == Set(names))
            for options in [["--separator", ","], ["--separator", ";", "--bom"], ["--separator", "tab"]] {
                let csv = try odograph.run(["trips", "--format", "csv"] + options)
                let file = odograph.path("trips.csv")
                try Data(csv.bytes).write(to: URL(filePath: file))
                let python = Process()
                python.executableURL = URL(filePath: "/usr/bin/python3")
                python.arguments = ["-c", script, file, options[1] == "tab" ? "\t" : options[1]]
                let pipe = Pipe()
                python.standardOutput = pipe
                try python.run()
                let output = pipe.fileHandleForReading.readDataToEndOfFile()
                python.waitUntilExit()
                let read = try #require(JSONSerialization.jsonObject(with: output) as? [[Any]])
                #expect(read.count == trips.count)
                for (row, trip) in zip(read, trips) {
                    #expect(row[0] as? String == trip["vehicle"] as? String)
                    #expect(row[1] as? Double == trip["begin_latitude"] as? Double)
                    #expect(row[2] as? String == (trip["begin_address"] as? [String: Any])?["line"] as? String)
                }
            }
        }
    }
}
