import Foundation
import Testing

@Suite("Export for cron") struct ExportTests {
    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func rows(_ path: String) throws -> [[String]] {
        try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\r\n").dropFirst()
            .filter { !$0.isEmpty }.map { $0.components(separatedBy: ",") }
    }

    private func manifest(_ path: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any])
    }

    /// The index of a column of the contract.
    private func index(_ name: String, _ path: String) throws -> Int {
        let header = try #require(
            try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\r\n").first
        )
        return try #require(header.components(separatedBy: ",").firstIndex(of: name))
    }

    @Test("F11: each change is delivered once, and a late revision by the next export")
    func changes() throws {
        try Odograph.with { odograph in
            let folder = odograph.path("out")
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let first = try odograph("export", "--to", folder)
            #expect(first.code == 0)
            #expect(first.output == "" && first.errors == "")
            #expect(try files(folder) == ["trips-000001.csv", "trips-000001.manifest.json"])
            let data = "\(folder)/trips-000001.csv"
            #expect(try rows(data).count == 2)

            #expect(try odograph("export", "--to", folder).code == 0)
            #expect(try files(folder).count == 2)

            // A position that comes late lengthens the first trip's path by a detour.
            let late = "device,time,lat,lon\nVan 7,2026-03-28T08:12:05Z,60.2125,24.655\n"
            _ = try odograph("import", "--no-geocode", try odograph.write(late, to: "late.csv"))
            _ = try odograph("export", "--to", folder)
            let second = "\(folder)/trips-000002.csv"
            let revised = try rows(second)
            #expect(revised.count == 1)
            let id = try index("trip_id", data)
            let revision = try index("revision", data)
            #expect(try rows(data).map { $0[id] }.contains(revised[0][id]))
            #expect(revised[0][revision] == "2")

            // Addresses are changes too.
            _ = try odograph("geocode", "run")
            _ = try odograph("export", "--to", folder)
            #expect(try files(folder).contains("trips-000003.csv"))
            let attribution = try manifest("\(folder)/trips-000003.manifest.json")["attribution"] as? [String]
            #expect(attribution?.contains { $0.contains("GeoNames") } == true)

            // Another name has a memory of its own.
            _ = try odograph("export", "--to", folder, "--name", "monthly", "--format", "ndjson")
            #expect(
                try String(contentsOfFile: "\(folder)/monthly-000001.ndjson", encoding: .utf8).split(separator: "\n")
                    .count == 2
            )
        }
    }

    @Test("Removed trips are delivered with the state removed")
    func removed() throws {
        try Odograph.with { odograph in
            let folder = odograph.path("out")
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            _ = try odograph("export", "--to", folder)
            _ = try odograph("settings", "set", "least_trip_m", "6000")
            _ = try odograph("export", "--to", folder)
            let path = "\(folder)/trips-000002.csv"
            let state = try index("state", path)
            #expect(try rows(path).map { $0[state] } == ["removed", "removed"])
            let files = try #require(try manifest("\(folder)/trips-000002.manifest.json")["files"] as? [[String: Any]])
            #expect(files[0]["removed"] as? Int == 2)
            #expect(files[0]["trips"] as? Int == 0)
        }
    }

    @Test("The manifest's digest is that of the file, by another program")
    func digest() throws {
        try Odograph.with { odograph in
            let folder = odograph.path("out")
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            _ = try odograph("export", "--to", folder)
            let files = try #require(try manifest("\(folder)/trips-000001.manifest.json")["files"] as? [[String: Any]])
            let sum = Process()
            sum.executableURL = URL(filePath: "/usr/bin/sha256sum")
            sum.arguments = ["\(folder)/trips-000001.csv"]
            let pipe = Pipe()
            sum.standardOutput = pipe
            try sum.run()
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            sum.waitUntilExit()
            #expect(text.prefix(64) == (files[0]["sha256"] as? String ?? ""))
            #expect(
                files[0]["bytes"] as? Int == (try Data(contentsOf: URL(filePath: "\(folder)/trips-000001.csv"))).count
            )
        }
    }

    @Test("F10: of two exports that begin together each change is delivered once", .timeLimit(.minutes(1)))
    func overlap() throws {
        try Odograph.with { odograph in
            let folder = odograph.path("out")
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let runs = try (0..<4).map { _ in try odograph.start(["export", "--to", folder]).0 }
            for run in runs { run.waitUntilExit() }
            #expect(runs.allSatisfy { [0, 75].contains($0.terminationStatus) })
            #expect(runs.contains { $0.terminationStatus == 0 })
            #expect(try files(folder) == ["trips-000001.csv", "trips-000001.manifest.json"])
            #expect(try rows("\(folder)/trips-000001.csv").count == 2)
        }
    }

    @Test("F10: an export killed at any instant is completed by the next one", .timeLimit(.minutes(2)))
    func killed() throws {
        try Odograph.with { odograph in
            let whole = odograph.path("whole")
            var vehicles = "device,time,lat,lon,speed_kmh,ignition\n"
            for number in 1...40 {
                vehicles +=
                    MainJobTests.drive(device: "Van \(number)").split(separator: "\n").dropFirst().joined(
                        separator: "\n"
                    ) + "\n"
            }
            _ = try odograph("import", "--no-geocode", try odograph.write(vehicles, to: "fleet.csv"))
            _ = try odograph("export", "--to", whole, "--name", "whole")
            let expected = try Set(rows("\(whole)/whole-000001.csv"))
            for round in 0..<30 {
                let (name, folder) = ("run\(round)", odograph.path("out\(round)"))
                let process = try odograph.start(["export", "--to", folder, "--name", name]).0
                usleep(UInt32(round) * 1000)
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                #expect(try odograph("export", "--to", folder, "--name", name).code == 0)
                #expect(try odograph("export", "--to", folder, "--name", name).code == 0)
                #expect(try files(folder) == ["\(name)-000001.csv", "\(name)-000001.manifest.json"])
                #expect(try Set(rows("\(folder)/\(name)-000001.csv")) == expected)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasSuffix(".part") }
                )
            }
        }
    }

    @Test("A folder that cannot be written ends with an error and one line, and nothing is lost")
    func unwritable() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let result = try odograph("export", "--to", odograph.path("no/such/folder"))
            #expect(result.code == 73)
            #expect(result.errors.split(separator: "\n").count == 1)
            let file = try odograph.write("", to: "file")
            #expect(try odograph("export", "--to", file).code == 73)
            #expect(try odograph("export", "--to", odograph.path("out")).code == 0)
            #expect(try rows(odograph.path("out/trips-000001.csv")).count == 2)
        }
    }
}
