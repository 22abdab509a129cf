import Foundation
import Testing

@Suite("Help and usage") struct UsageTests {
    /// Every command that the overview names.
    private static let commands: [String] = {
        guard let overview = try? Odograph().run([]).output else { return [] }  // the tests then find no command
        let lines = overview.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
            .filter { !$0.hasPrefix("   ") }
            .compactMap { line in
                line.dropFirst(2).firstRange(of: "  ").map { String(line.dropFirst(2)[..<$0.lowerBound]) }
            }
    }()

    @Test("The overview and the help of each command are as they were when somebody last read them")
    func help() throws {
        try Odograph.with { odograph in
            try expectSnapshot(try odograph("--help").output, "help.txt")
            #expect(UsageTests.commands.count > 20)
            for command in UsageTests.commands {
                let result = try odograph.run(command.split(separator: " ").map(String.init) + ["--help"])
                #expect(result.code == 0)
                #expect(result.errors == "")
                #expect(result.output.contains("\nExamples:\n  "), "\(command) has no example")
                #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
                try expectSnapshot(result.output, "help-\(command.replacing(" ", with: "-")).txt")
            }
        }
    }

    @Test(
        "What is typed wrong ends with 64, one sentence and where to look",
        arguments: [
            ["trisp"], ["trips", "--day", "soon"], ["trips", "--zone", "Mars/Olympus"], ["trips", "--format", "excel"],
            ["trips", "--bom"], ["trips", "--bom", "--format", "gpx"],
            ["trips", "--since", "2026-03-30", "--until", "2026-03-01"], ["trips", "extra"],
            ["trips", "--day", "2026-03-29", "--since", "-1h"], ["gazetteer", "lookup", "91", "0"],
            ["gazetteer", "lookup", "1"], ["import"], ["import", "x", "--speed-unit", "furlongs"],
            ["settings", "set", "stop_time", "300"], ["settings", "set", "stop_time_s", "-1"], ["export"],
            ["export", "--to", ".", "--name", "../x"], ["trips", "--separator", "ab"], ["trips", "--separator", "1"],
            ["vehicles"], ["--store"], ["--day", "today", "trips"],
        ]
    )
    func usage(words: [String]) throws {
        try Odograph.with { odograph in
            let result = try odograph.run(words)
            #expect(result.code == 64)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("odograph"))
            #expect(result.errors.contains("See odograph"))
        }
    }

    @Test(
        "What is not there ends with 66, and makes nothing",
        arguments: [
            ["trips"], ["stops"], ["vehicles", "list"], ["store", "check"], ["geocode", "status"], ["trip", "0k"],
        ]
    )
    func missing(words: [String]) throws {
        try Odograph.with { odograph in
            let result = try odograph.run(words)
            #expect(result.code == 66)
            #expect(result.errors.contains("there is no store"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: odograph.folder.path()) == [])
        }
    }

    @Test("A file that is no store ends with 65 and stays as it is")
    func foreign() throws {
        try Odograph.with { odograph in
            let path = try odograph.write(String(repeating: "This is no store. ", count: 1000), to: "store.sqlite")
            for words in [["trips"], ["import", "/dev/null"]] { #expect(try odograph.run(words).code == 65) }
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("This is no store."))
        }
    }

    @Test("The version is one line")
    func version() throws {
        try Odograph.with { odograph in
            let result = try odograph("--version")
            #expect(result.code == 0)
            #expect(result.lines.count == 1)
            #expect(result.output.hasPrefix("odograph "))
        }
    }

    @Test("A negative number is an operand, and the answer names its source")
    func lookup() throws {
        try Odograph.with { odograph in
            let table = try odograph("gazetteer", "lookup", "-33.86", "151.21")
            #expect(table.code == 0)
            #expect(table.output.contains("Sydney"))
            #expect(table.errors.contains("GeoNames"))
            let json = try #require(
                try odograph("gazetteer", "lookup", "-33.86", "151.21", "--format", "json").json as? [String: Any]
            )
            #expect(json["country_code"] as? String == "AU")
            #expect((json["attribution"] as? String)?.contains("GeoNames") == true)
            #expect(try odograph("gazetteer", "lookup", "-48.87", "-123.39", "--format", "json").output == "null\n")
        }
    }

    @Test("A reader that goes away ends the command quietly")
    func closedPipe() throws {
        try Odograph.with { odograph in
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", "\"$0\" --help 2>errors | head -n 1 >first", Odograph.executable.path()]
            shell.currentDirectoryURL = odograph.folder
            try shell.run()
            shell.waitUntilExit()
            #expect(try Data(contentsOf: odograph.folder.appending(path: "errors")).isEmpty)
        }
    }
}
