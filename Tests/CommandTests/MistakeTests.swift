import Foundation
import Testing

@Suite("Mistakes of the one who types") struct MistakeTests {
    @Test("Only an import makes a store, says so, and makes no folder that was named")
    func mistypedStore() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            let lost = try odograph("import", "--store", odograph.path("no/where/x.sqlite"), "--no-geocode", file)
            #expect(lost.code == 73)
            #expect(lost.errors.contains("no folder"))
            let typo = odograph.path("typo.sqlite")
            for words in [
                ["settings", "set", "stop_time_s", "600"], ["places", "add", "Depot", "--at", "60.2,24.65"],
                ["store", "migrate"], ["store", "compact"], ["trips"],
            ] { #expect(try odograph.run(["--store", typo] + words).code == 66, "\(words)") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: odograph.folder.path) == ["day.csv"])
            #expect(try odograph("--store", "", "trips").code == 64)
            var empty = odograph
            empty.environment["ODOGRAPH_STORE"] = ""
            #expect(try empty("trips").code == 64)
            #expect(try odograph("import", "--no-geocode", file).errors.contains("Made a new store"))
            #expect(!(try odograph("import", "--no-geocode", file).errors.contains("Made a new store")))
        }
    }

    @Test("A place where nothing can be written is named, with exit code 73")
    func targets() throws {
        try Odograph.with { odograph in
            let file = try odograph.write(MainJobTests.drive(), to: "day.csv")
            _ = try odograph("import", "--no-geocode", file)
            let backup = odograph.path("b.sqlite")
            #expect(try odograph("store", "backup", backup).code == 0)
            for words in [
                ["export", "--to", odograph.path("no/x/y")], ["export", "--to", file],
                ["store", "backup", odograph.path("no/x.sqlite")],
            ] {
                let result = try odograph.run(words)
                #expect(result.code == 73, "\(words)")
                #expect(result.errors.contains(words[2]))
                #expect(!result.errors.contains("SQLite"))
            }
            #expect(try odograph("import", "--store", odograph.folder.path, file).code == 73)
            #expect(try odograph("import", "--no-geocode", odograph.folder.path).code == 66)
            #expect(try odograph("store", "restore", backup).errors.contains("--replace"))
            let foreign = try odograph("store", "restore", file, "--replace")
            #expect(foreign.code == 65)
            #expect(foreign.errors.contains(file) && !foreign.errors.contains("store.sqlite"))
        }
    }

    @Test("What is refused comes with its cure, and what cannot be meant is refused")
    func cures() throws {
        try Odograph.with { odograph in
            let rows = "device,lat,lon,time\nVan 7,60.2,24.6,2026-03-28 08:00:00\n"
            let refused = try odograph("import", "--no-geocode", try odograph.write(rows, to: "zoneless.csv"))
            #expect(refused.errors.contains("--assume-zone") && refused.errors.contains("odograph quarantine"))
            #expect(try odograph("trips", "--vehicle", "a", "--vehicle", "b").code == 64)
            #expect(try odograph("places", "add", " ", "--at", "60.2,24.65").code == 64)
            #expect(try odograph("places", "add", "x", "--at", "60,24", "--polygon", "p").errors.contains("not both"))
            #expect(try odograph("settings", "set", "stop_time_s", "600", "--device", "Van 8").errors.contains("Van 8"))
        }
    }
}
