import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Gazetteer

@Suite("Index files")
struct IndexFileTests {
    @Test("A missing, foreign, cut or newer file gives a typed error")
    func openErrors() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: URL(filePath: TownsFile.path))
        func kind(_ content: Data?) throws -> GazetteerError.Kind? {
            let path = folder.path("index")
            if let content { try content.write(to: URL(filePath: path)) }
            do throws(GazetteerError) { _ = try TownIndex(path: path) } catch { return error.kind }
            return nil
        }
        #expect(try kind(nil) == .notFound)
        #expect(try kind(Data()) == .foreign)
        #expect(try kind(Data("<!DOCTYPE html>".utf8)) == .foreign)
        #expect(try kind(whole.prefix(47)) == .foreign)
        #expect(try kind(whole.prefix(100)) == .damaged)
        #expect(try kind(whole.dropLast()) == .damaged)
        var newer = whole
        newer[8] = 2
        #expect(try kind(newer) == .unsupportedVersion)
        var flipped = whole
        flipped[56] ^= 1
        #expect(try kind(flipped) == .damaged)
        #expect(try kind(whole) == nil)
        #expect(throws: GazetteerError.self) { try IndexFile(path: folder.path("")) }
    }

    @Test("Damaged content is found by the checksum, and never ends the process", .timeLimit(.minutes(2)))
    func damagedContent() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: URL(filePath: TownsFile.path))
        var random = SplitMix64(seed: 11)
        for round in 0..<40 {
            var copy = whole
            // Many flips in the tables at the front, where each one reaches far, and some everywhere.
            for flip in 0..<2000 {
                let end = flip % 2 == 0 ? 500_000 : copy.count
                copy[272 + Int(random.next() % UInt64(end - 272))] = UInt8(truncatingIfNeeded: random.next())
            }
            let path = folder.path("index-\(round)")
            try copy.write(to: URL(filePath: path))
            do throws(GazetteerError) {
                let index = try TownIndex(path: path)
                #expect(throws: GazetteerError.self) { try index.file.verify() }
                for _ in 0..<200 {
                    do throws(GazetteerError) {
                        _ = try index.answer(at: random.pointOnSphere(), language: "ru", level: .place)
                    } catch {
                        #expect(error.kind == .damaged)
                    }
                }
            } catch {
                #expect(error.kind == .damaged)
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("The index of towns is looked for beside the program, in share, in data above it, or where the setting says")
    func searchPath() throws {
        let paths = GazetteerFiles.townsCandidates(environment: nil, executable: "/opt/odograph/bin/odograph")
        #expect(
            paths.prefix(2) == [
                "/opt/odograph/bin/towns.gazetteer", "/opt/odograph/bin/../share/odograph/towns.gazetteer",
            ]
        )
        #expect(paths.contains("/opt/odograph/data/towns.gazetteer"))
        #expect(paths.last == "/usr/share/odograph/towns.gazetteer")
        let build = GazetteerFiles.townsCandidates(
            environment: nil,
            executable: "/src/o/.build/x86_64-unknown-linux-gnu/debug/odograph"
        )
        #expect(build.contains("/src/o/data/towns.gazetteer"))
        let set = GazetteerFiles.townsCandidates(environment: "/etc/x", executable: "/bin/odograph")
        #expect(set == ["/etc/x", "/etc/x/towns.gazetteer"])
        let index = try GazetteerFiles.openTowns(among: ["/nonexistent", SharedData.packageFolder.path, TownsFile.path])
        #expect(index.count > 0)
        #expect(throws: GazetteerError.self) { try GazetteerFiles.openTowns(among: ["/nonexistent"]) }
    }
}

/// A folder that goes with the test.
final class TemporaryFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "odograph-gazetteer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }  // A left-over folder harms nobody.

    func path(_ name: String) -> String { url.appending(path: name).path }
}
