import Foundation
import TestSupport
import Testing

/// What stays as it was: ids, the language of addresses, the folder of an export.
@Suite("Continuity") struct ContinuityTests {
    private func ids(_ odograph: Odograph) throws -> [String] {
        try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            .compactMap { $0["trip_id"] as? String }
    }

    private func states(_ folder: String, _ file: String) throws -> [String: String] {
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        var states: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            states[try #require(row["trip_id"] as? String)] = row["state"] as? String
        }
        return states
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ndjson") }.sorted()
    }

    @Test(
        "A trip that settings take away and bring back keeps its id, with a higher revision",
        arguments: [["least_trip_m", "6000"], ["stop_time_s", "7200"]]
    )
    func revived(setting: [String]) throws {
        try Odograph.with { odograph in
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let before = try ids(odograph)
            #expect(before.count == 2)
            for _ in 0..<2 {
                #expect(try odograph.run(["settings", "set"] + setting).code == 0)
                #expect(try ids(odograph).count < 2)
                #expect(try odograph("settings", "set", setting[0], "default").code == 0)
                #expect(try ids(odograph) == before)
            }
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.contains { ($0["revision"] as? Int ?? 0) == 5 })
            #expect(try odograph("store", "check").code == 0)
        }
    }

    @Test("An export tells of a removed trip only whom it told of the trip")
    func removals() throws {
        try Odograph.with { odograph in
            let (early, late) = (odograph.path("early"), odograph.path("late"))
            func export(_ folder: String, _ name: String) throws {
                #expect(try odograph("export", "--to", folder, "--name", name, "--format", "ndjson").code == 0)
            }
            func set(_ value: String) throws {
                #expect(try odograph("settings", "set", "least_trip_m", value).code == 0)
            }
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            let before = try ids(odograph)
            // The trips of another vehicle stay.
            let other = MainJobTests.drive(device: "Van 9", latitude: 61)
            _ = try odograph("import", "--no-geocode", try odograph.write(other, to: "other.csv"))
            _ = try odograph("settings", "set", "least_trip_m", "200", "--device", "Van 9")
            try export(early, "early")
            #expect(try states(early, "early-000001.ndjson").count == 4)
            try set("6000")
            try export(early, "early")
            #expect(try states(early, "early-000002.ndjson") == [before[0]: "removed", before[1]: "removed"])
            try export(late, "late")
            #expect(try states(late, "late-000001.ndjson").values.sorted() == ["final", "final"])
            // Nothing is written to trips that are gone, not even an address.
            _ = try odograph("geocode", "run")
            try export(late, "late")
            #expect(try states(late, "late-000002.ndjson").values.sorted() == ["final", "final"])
            // Back and away again between two exports: there is nothing to tell.
            try set("default")
            try set("6000")
            try export(late, "late")
            #expect(try files(late).count == 2)
            try export(early, "early")
            #expect(try Set(states(early, "early-000003.ndjson").keys).isDisjoint(with: before))
            // Back, delivered, away.
            try set("default")
            try export(late, "late")
            #expect(try states(late, "late-000003.ndjson") == [before[0]: "final", before[1]: "final"])
            try set("6000")
            try export(late, "late")
            #expect(try states(late, "late-000004.ndjson") == [before[0]: "removed", before[1]: "removed"])
        }
    }

    @Test("Who applies each delivery of an export holds what the store shows, and never removes what is not there")
    func follower() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            var generator = SeededGenerator(seed: 9)
            var held: [String: [String: Int]] = [:]
            var numbers: [String: Int] = [:]
            for _ in 0..<24 {
                let name = ["one", "two", "three"].randomElement(using: &generator) ?? "one"
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let value = ["default", "6000"].randomElement(using: &generator) ?? "default"
                    _ = try odograph("settings", "set", "least_trip_m", value)
                case 1:
                    let value = ["default", "7200"].randomElement(using: &generator) ?? "default"
                    _ = try odograph("settings", "set", "stop_time_s", value)
                case 2: _ = try odograph("geocode", "run")
                default:
                    let folder = odograph.path(name)
                    _ = try odograph("export", "--to", folder, "--name", name, "--format", "ndjson")
                    let number = try files(folder).count
                    defer { numbers[name] = number }
                    guard number > numbers[name, default: 0] else { continue }
                    let path = "\(folder)/\(name)-00000\(number).ndjson"
                    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                        let row = try #require(
                            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                        )
                        let id = try #require(row["trip_id"] as? String)
                        let revision = try #require(row["revision"] as? Int)
                        let known = held[name]?[id]
                        if row["state"] as? String == "removed" {
                            #expect(known != nil)
                            held[name]?[id] = nil
                        } else {
                            held[name, default: [:]][id] = revision
                        }
                        if let known { #expect(revision >= known) }
                    }
                    let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
                    var shown: [String: Int] = [:]
                    for trip in trips {
                        shown[try #require(trip["trip_id"] as? String)] = trip["revision"] as? Int
                    }
                    #expect(held[name] ?? [:] == shown)
                }
            }
        }
    }

    @Test("An export goes on only where its deliveries are, and delivers all of it anew when told so")
    func folder() throws {
        try Odograph.with { odograph in
            let (one, two) = (odograph.path("one"), odograph.path("two"))
            _ = try odograph("import", "--no-geocode", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            #expect(try odograph("export", "--to", one, "--format", "ndjson").code == 0)
            #expect(try odograph("export", "--to", "one/").code == 0)
            let elsewhere = try odograph("export", "--to", two)
            #expect(elsewhere.code == 73)
            #expect(elsewhere.errors.contains(one) && elsewhere.errors.contains(two))
            #expect(elsewhere.errors.contains("--again"))
            #expect(!FileManager.default.fileExists(atPath: two))

            try FileManager.default.removeItem(atPath: one)
            let gone = try odograph("export", "--to", one)
            #expect(gone.code == 73)
            #expect(gone.errors.contains("gone"))
            #expect(!FileManager.default.fileExists(atPath: one))
            #expect(try odograph("export", "--to", one, "--format", "ndjson", "--again").code == 0)
            #expect(try states(one, "trips-000001.ndjson").count == 2)

            #expect(try odograph("export", "--to", two, "--format", "ndjson", "--again").code == 0)
            #expect(try states(two, "trips-000001.ndjson").count == 2)
            #expect(try odograph("export", "--to", two, "--format", "ndjson").code == 0)
            #expect(try files(two).count == 1)
            #expect(try odograph("export", "--to", one).code == 73)
            // The same folder again: a number more, nothing overwritten.
            #expect(try odograph("export", "--to", two, "--format", "ndjson", "--again").code == 0)
            #expect(try files(two) == ["trips-000001.ndjson", "trips-000002.ndjson"])
        }
    }

    @Test("The store keeps the language of its addresses until a flag changes it")
    func language() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            _ = try odograph("import", file)
            let english = try odograph("trips", "--format", "json").output
            _ = try odograph("geocode", "run", "--language", "ru")
            let russian = try odograph("trips", "--format", "json").output
            #expect(russian != english)
            _ = try odograph("import", file)
            _ = try odograph("geocode", "run")
            var surroundings = odograph
            surroundings.environment["ODOGRAPH_LANGUAGE"] = "de"
            _ = try surroundings("import", file)
            #expect(try odograph("trips", "--format", "json").output == russian)
            let other = try odograph.write(MainJobTests.drive(device: "Van 8", latitude: 61), to: "other.csv")
            _ = try odograph("import", other)
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.allSatisfy { ($0["begin_address"] as? [String: Any])?["language"] as? String == "ru" })
            _ = try odograph("geocode", "run", "--language", "en")
            #expect(try odograph("geocode", "run").errors == "")
        }
    }

    @Test("ODOGRAPH_LANGUAGE is the language of a store that has none yet")
    func firstLanguage() throws {
        try Odograph.with { odograph in
            var surroundings = odograph
            surroundings.environment["ODOGRAPH_LANGUAGE"] = "ru"
            _ = try surroundings("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            _ = try odograph("geocode", "run")
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            #expect(trips.allSatisfy { ($0["begin_address"] as? [String: Any])?["language"] as? String == "ru" })
        }
    }

    @Test("What a refresh asks for again is in the status, and a provider that is none is an error")
    func refreshed() throws {
        try Odograph.with { odograph in
            _ = try odograph("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            func waiting() throws -> Int? {
                (try odograph("geocode", "status", "--format", "json").json as? [String: Any])?["waiting"] as? Int
            }
            #expect(try waiting() == 0)
            #expect(try odograph("geocode", "refresh", "--provider", "offline").code == 0)
            let count = try #require(try waiting())
            #expect(count > 0)
            let line = try odograph("geocode", "status").lines.first { $0.hasPrefix("In the queue") }
            #expect(line?.hasSuffix(" \(count)") == true)
            #expect(try odograph("geocode", "refresh", "--provider", "nope").code == 64)
            #expect(try odograph("geocode", "refresh", "--provider", "ofline").errors.contains("did you mean offline?"))
        }
    }

    @Test("E19: a name given to a place is shown wherever the address was, which stays beside it")
    func named() throws {
        try Odograph.with { odograph in
            let folder = odograph.path("out")
            _ = try odograph("import", try odograph.write(MainJobTests.drive(), to: "day.csv"))
            _ = try odograph("export", "--to", folder, "--format", "ndjson")
            _ = try odograph("places", "add", "Depot", "--at", "60.2,24.65", "--radius", "150")
            let trips = try #require(try odograph("trips", "--format", "json").json as? [[String: Any]])
            let begin = try #require(trips[0]["begin_address"] as? [String: Any])
            #expect(begin["place"] as? String == "Depot")
            #expect((begin["line"] as? String)?.isEmpty == false)
            let id = try #require(trips[0]["trip_id"] as? String)
            for words in [
                ["trips"], ["trips", "--format", "csv"], ["stops"], ["stops", "--format", "csv"],
                ["stops", "--format", "json"], ["trip", id], ["trip", id, "--format", "csv"],
                ["trip", id, "--format", "geojson"], ["geocode", "explain", id],
                ["geocode", "explain", "60.2001", "24.65"],
            ] {
                #expect(try odograph.run(words).output.contains("Depot"), "\(words)")
            }
            _ = try odograph("export", "--to", folder, "--format", "ndjson")
            let second = try String(contentsOfFile: "\(folder)/trips-000002.ndjson", encoding: .utf8)
            #expect(second.split(separator: "\n").allSatisfy { $0.contains("\"place\":\"Depot\"") })
            _ = try odograph("places", "remove", "Depot")
            #expect(try !odograph("trips", "--format", "csv").output.contains("Depot"))
            #expect(try !odograph("stops").output.contains("Depot"))
        }
    }
}
