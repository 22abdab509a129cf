package import Foundation
package import Testing

/// The folder of real recordings and measuring scripts that lies beside a checkout and is never part of it.
///
/// Tests that need it skip visibly: `@Test("...", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))`.
package enum SharedData {
    /// Why a test that needs the folder was skipped.
    package static let whenAbsent: Comment = "the shared data folder is absent; set ODOGRAPH_SHARED to its path"

    /// `$ODOGRAPH_SHARED`, or else `../shared` beside the package.
    package static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["ODOGRAPH_SHARED"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return packageFolder.deletingLastPathComponent().appending(path: "shared", directoryHint: .isDirectory)
    }()

    /// The folder that holds Package.swift.
    package static let packageFolder: URL = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Whether the recordings can be read here.
    package static let isPresent: Bool =
        FileManager.default.fileExists(atPath: folder.appending(path: "data/README.md").path)

    /// A recording under `data`, such as `tracks/munich-drive-1s.gpx`.
    package static func url(_ path: String) -> URL { folder.appending(path: "data").appending(path: path) }

    /// The bytes of a recording under `data`.
    ///
    /// - Throws: what Foundation throws when the file cannot be read.
    package static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(path))) }
}
