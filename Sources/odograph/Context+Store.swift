import Foundation
import Reports
import TripStore

extension Context {
    /// Opens the store; `create` says so when it makes one, and makes no folder but the default one.
    func openStore(_ mode: SQLiteStorage.Mode = .read) async throws -> any TrackStorage {
        let path = storePath
        guard !isFolder(path) else {
            throw CommandFailure(mode == .create ? .cannotCreate : .noInput, "\(path) is a folder, and no store")
        }
        let isNew = mode == .create && !FileManager.default.fileExists(atPath: path)
        if isNew { try prepareStoreFolder() }
        do {
            let store = try SQLiteStorage(path: path, mode: mode)
            if isNew { Terminal.say("Made a new store, \(path).") }
            return store
        } catch {
            guard error.kind == .missing else { throw error }
            guard mode != .create else {
                throw CommandFailure(.cannotCreate, "\(path) cannot be made: \(error.message)")
            }
            throw CommandFailure(
                .noInput,
                "there is no store at \(path); odograph import makes one, --store or ODOGRAPH_STORE name another"
            )
        }
    }

    /// Makes the folder of the default store; one that was named has to be there, since its name may be mistyped.
    private func prepareStoreFolder() throws {
        let folder = URL(filePath: storePath).deletingLastPathComponent()
        if namedStore == nil {
            do {
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                throw CommandFailure(.cannotCreate, "the folder \(folder.path) cannot be made")
            }
        }
        try requireFolder(of: storePath)
    }

    /// Refuses to write a file where there is no folder for it.
    func requireFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard isFolder(folder) else {
            throw CommandFailure(.cannotCreate, "\(path) cannot be written: there is no folder \(folder)")
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw CommandFailure(.cannotCreate, "\(path) cannot be written: the folder \(folder) may not be written")
        }
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Bytes of the store's files.
    func size() throws -> Int64 {
        try ["", "-wal"].reduce(0) { sum, suffix in
            let path = storePath + suffix
            guard FileManager.default.fileExists(atPath: path) else { return sum }
            return sum + ((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0)
        }
    }

    /// Asks on the terminal; without one the answer is no.
    func confirms(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1, terminal.errorWidth != nil else {
            Terminal.say("\(question) Say --yes.")
            return false
        }
        Terminal.write("\(question) [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}
