#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where index files are looked for.
package enum GazetteerFiles {
    /// The name of the index of the world's towns.
    package static let townsName = "towns.gazetteer"

    /// The paths at which the index of towns may lie, in the order in which they are tried.
    ///
    /// `ODOGRAPH_GAZETTEER` alone when it is set: the file, or a folder that holds it. Else beside the executable, in
    /// `../share/odograph` from it (an installed program), `data` in a folder above it (a build inside the source
    /// tree: at most five levels up), and `/usr/local/share/odograph`, `/usr/share/odograph`.
    ///
    /// - Parameters:
    ///   - environment: the value of `ODOGRAPH_GAZETTEER`, or nil.
    ///   - executable: path of the running program.
    /// - Returns: one path or more.
    package static func townsCandidates(environment: String?, executable: String?) -> [String] {
        if let environment, !environment.isEmpty {
            return environment.hasSuffix("/")
                ? [environment + townsName] : [environment, environment + "/" + townsName]
        }
        var paths: [String] = []
        if let executable, let slash = executable.lastIndex(of: "/") {
            var folder = executable[..<slash]
            paths += ["\(folder)/\(townsName)", "\(folder)/../share/odograph/\(townsName)"]
            for _ in 0..<5 {
                guard let slash = folder.lastIndex(of: "/") else { break }
                folder = folder[..<slash]
                paths.append("\(folder)/data/\(townsName)")
            }
        }
        return paths + ["/usr/local/share/odograph/\(townsName)", "/usr/share/odograph/\(townsName)"]
    }

    /// Opens the index of towns that comes first in the candidates.
    ///
    /// - Returns: the index.
    /// - Throws: `GazetteerError`, `notFound` naming every place searched; a file that is there and cannot be read is
    ///   not passed over.
    package static func openTowns() throws(GazetteerError) -> TownIndex {
        let environment = getenv("ODOGRAPH_GAZETTEER").map { String(cString: $0) }
        return try openTowns(among: townsCandidates(environment: environment, executable: executablePath))
    }

    static func openTowns(among candidates: [String]) throws(GazetteerError) -> TownIndex {
        for path in candidates {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
            return try TownIndex(path: path)
        }
        throw GazetteerError(
            kind: .notFound,
            message: "no index of towns (\(townsName)): set ODOGRAPH_GAZETTEER to where it is; looked for "
                + candidates.joined(separator: ", ")
        )
    }

    /// The running program's own file, links followed.
    static var executablePath: String? {
        #if os(Linux)
        let path = "/proc/self/exe"
        #else
        let path = CommandLine.arguments.first ?? ""
        #endif
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension GazetteerFiles {
    /// How the files of a folder of extracts end.
    package static let extractEnding = ".gazetteer"

    /// Opens every index of a folder of extracts, in the order of their names.
    ///
    /// - Parameter folder: path of the folder; one that does not exist holds none.
    /// - Returns: the indexes, and why the other files could not be opened.
    /// - Throws: `GazetteerError` of kind `system` when the folder cannot be read.
    package static func openExtracts(
        in folder: String
    ) throws(GazetteerError) -> (indexes: [ExtractIndex], failures: [GazetteerError]) {
        var (indexes, failures): ([ExtractIndex], [GazetteerError]) = ([], [])
        for name in try names(in: folder) where name.hasSuffix(extractEnding) && !name.hasPrefix(".") {
            do throws(GazetteerError) {
                indexes.append(try ExtractIndex(path: "\(folder)/\(name)"))
            } catch {
                failures.append(error)
            }
        }
        return (indexes, failures)
    }

    private static func names(in folder: String) throws(GazetteerError) -> [String] {
        guard let directory = opendir(folder) else {
            let code = errno
            if code == ENOENT { return [] }
            throw GazetteerError(kind: .system, message: "\(folder): \(String(cString: strerror(code)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names.sorted()
    }
}
