import Foundation
import Reports
import TripStore

extension Context {
    /// Opens the store; for `create`, also makes its folder.
    func openStore(_ mode: SQLiteStorage.Mode = .read) async throws -> any TrackStorage {
        let path = storePath
        if mode == .create {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        do {
            return try SQLiteStorage(path: path, mode: mode)
        } catch {
            guard error.kind == .missing, mode != .create else { throw error }
            throw CommandFailure(
                .noInput,
                "there is no store at \(path); odograph import makes one, --store or ODOGRAPH_STORE name another"
            )
        }
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
