import CSQLite
import Foundation
import TestSupport
import Testing

@testable import TripStore

@Suite("Opening a store") struct OpeningTests {
    private func failure(_ path: String, _ mode: SQLiteStorage.Mode) -> StoreError.Kind? {
        do {
            _ = try SQLiteStorage(path: path, mode: mode)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("A store that is not there is missing, and is made only when asked for")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(failure(folder.path("a.sqlite"), .read) == .missing)
        #expect(failure(folder.path("a.sqlite"), .write) == .missing)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.sqlite")))
        #expect(failure(folder.path("a.sqlite"), .create) == nil)
        #expect(failure(folder.path("a.sqlite"), .read) == nil)
        #expect(failure(folder.path("no/folder/a.sqlite"), .create) == .missing)
    }

    @Test("A store under another name has the same lock: through a link it is busy, with a second name refused")
    func linkedNames() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        try #require(symlink(folder.path("a.sqlite"), folder.path("soft.sqlite")) == 0)
        #expect(failure(folder.path("soft.sqlite"), .write) == .busy)
        await store.close()
        try #require(link(folder.path("a.sqlite"), folder.path("hard.sqlite")) == 0)
        #expect(failure(folder.path("hard.sqlite"), .write) == .foreign)
        #expect(failure(folder.path("a.sqlite"), .write) == .foreign)
        try #require(unlink(folder.path("hard.sqlite")) == 0)
        try #require(symlink("nowhere", folder.path("dangling.sqlite")) == 0)
        #expect(failure(folder.path("dangling.sqlite"), .create) == .missing)
    }

    @Test("A second writer is told that the store is busy; readers are not")
    func locked() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        #expect(failure(folder.path("a.sqlite"), .write) == .busy)
        #expect(failure(folder.path("a.sqlite"), .read) == nil)
        await first.close()
    }

    @Test("What is no store is foreign, and is left as it is")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let text = folder.path("text")
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: text))
        let other = folder.path("other.sqlite")
        var handle: OpaquePointer?
        #expect(sqlite3_open(other, &handle) == SQLITE_OK)
        sqlite3_exec(handle, "CREATE TABLE something (a)", nil, nil, nil)
        sqlite3_close(handle)
        for path in [text, other, folder.url.path] {
            let before = try? Data(contentsOf: URL(filePath: path))
            for mode in [SQLiteStorage.Mode.read, .write, .create] {
                #expect([.foreign, .missing].contains(failure(path, mode)), "\(path) \(mode)")
            }
            #expect((try? Data(contentsOf: URL(filePath: path))) == before)
        }
        let empty = folder.path("empty")
        try Data().write(to: URL(filePath: empty))
        #expect(failure(empty, .read) == .foreign)
    }

    @Test("A store of a newer version is foreign")
    func newer() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let storage = try SQLiteStorage(path: path, mode: .create)
        await storage.close()
        var handle: OpaquePointer?
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        sqlite3_exec(handle, "PRAGMA user_version = 999", nil, nil, nil)
        sqlite3_close(handle)
        #expect(failure(path, .read) == .foreign)
        #expect(failure(path, .create) == .foreign)
    }

    @Test("A store keeps the page size and the safety that it was made with")
    func pragmas() async throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        let values = try await storage.maintain { (connection) throws(StoreError) in
            [
                try connection.integer("PRAGMA page_size"), try connection.integer("PRAGMA synchronous"),
                try connection.integer("PRAGMA secure_delete"), try connection.integer("PRAGMA user_version"),
            ]
        }
        #expect(values == [16384, 2, 0, Schema.version])
    }

    @Test("A damaged file is reported as corrupt or found by the check, never read as if it were whole")
    func corrupt() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let storage = try SQLiteStorage(path: path, mode: .create)
        await storage.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        for offset in 16_384..<min(bytes.count, 17_000) { bytes[offset] = 0xff }
        try bytes.write(to: URL(filePath: path))
        do throws(StoreError) {
            let reader = try SQLiteStorage(path: path, mode: .read)
            let findings = try await reader.check()
            #expect(!findings.isEmpty)
        } catch {
            #expect(error.kind == .corrupt)
        }
    }

    @Test("A closed store says so")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.path("a.sqlite"), mode: .create)
        await storage.close()
        let found = await #expect(throws: StoreError.self) { try await storage.lastChange() }
        #expect(found?.kind == .closed)
    }
}
