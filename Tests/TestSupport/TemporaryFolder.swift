package import Foundation

/// A folder of a test's own, removed when the test lets go of it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "odograph-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A test that already failed shall not fail again here.
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in it.
    package func path(_ name: String) -> String { url.appending(path: name).path }
}
