import Foundation
import Testing

/// Runs the built command as a user would.
struct Odograph {
    /// What a run gave.
    struct Result {
        var code: Int32
        var output: String
        var errors: String
        /// Standard output as it came.
        var bytes: [UInt8]

        /// The lines of standard output.
        var lines: [Substring] { output.split(separator: "\n") }

        /// The last line of standard output, or all of it, as JSON.
        var json: Any? {
            let last = lines.last.map { Data($0.utf8) }
            // Text that is no JSON is nil, which the test then reports.
            return (try? JSONSerialization.jsonObject(with: Data(bytes)))
                ?? last.flatMap { try? JSONSerialization.jsonObject(with: $0) }
        }
    }

    /// A fresh folder, with the store in it.
    let folder: URL
    var environment: [String: String] = [:]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "odograph-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = ["ODOGRAPH_STORE": path("store.sqlite"), "HOME": folder.path(), "PATH": "/usr/bin:/bin"]
    }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }  // a temporary folder: the system removes it too

    /// Gives a test a folder and removes it afterwards.
    static func with(_ body: (Odograph) throws -> Void) throws {
        let odograph = try Odograph()
        defer { odograph.remove() }
        try body(odograph)
    }

    /// Where the tests' own program is, and the command beside it.
    static let executable: URL = {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = own.deletingLastPathComponent().appending(path: "odograph")
        if FileManager.default.isExecutableFile(atPath: beside.path()) { return beside }
        let argument = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return argument.appending(path: "odograph")
    }()

    func start(_ arguments: [String], input: URL? = nil) throws -> (Process, output: URL, errors: URL) {
        let process = Process()
        process.executableURL = Odograph.executable
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = folder
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        let errors = folder.appending(path: "errors-\(UUID().uuidString)")
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        try process.run()
        return (process, output, errors)
    }

    func run(_ arguments: [String], input: URL? = nil) throws -> Result {
        let (process, output, errors) = try start(arguments, input: input)
        process.waitUntilExit()
        let bytes = try Data(contentsOf: output)
        let text = try Data(contentsOf: errors)
        try FileManager.default.removeItem(at: output)
        try FileManager.default.removeItem(at: errors)
        return Result(
            code: process.terminationStatus,
            output: String(decoding: bytes, as: UTF8.self),
            errors: String(decoding: text, as: UTF8.self),
            bytes: [UInt8](bytes)
        )
    }

    func callAsFunction(_ arguments: String...) throws -> Result { try run(arguments) }
}

/// Compares with a text in `Snapshots`, which `ODOGRAPH_UPDATE_SNAPSHOTS=1` writes anew.
func expectSnapshot(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["ODOGRAPH_UPDATE_SNAPSHOTS"] != nil {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    // A missing file differs from every text.
    let known = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(text == known, "differs from Snapshots/\(name)", sourceLocation: sourceLocation)
}
