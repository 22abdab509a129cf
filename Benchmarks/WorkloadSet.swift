import Foundation

/// A kind of generated fleet, and what the detector has to reach on it.
struct WorkloadSet {
    var name: String
    /// Arguments of make-workload.py.
    var arguments: [String]
    /// The F1 aimed at with begin and end within 60 s; nil as it falls.
    var aim60: Double?
    /// The same within 120 s.
    var aim120: Double

    init(_ name: String, _ arguments: String = "", _ aim60: Double?, _ aim120: Double) {
        self.name = name
        self.arguments = arguments.split(separator: " ").map(String.init)
        self.aim60 = aim60
        self.aim120 = aim120
    }

    static let all = [
        WorkloadSet("default", "", 0.99, 0.998),
        WorkloadSet("jam", "--jam 0.15", 0.98, 0.988),
        WorkloadSet("park360", "--park-min 360", 0.99, 0.998),
        WorkloadSet("gap33", "--gap 0.33", 0.99, 0.998),
        WorkloadSet("noise10", "--noise 10", 0.99, 0.998),
        WorkloadSet("noise20", "--noise 20", 0.975, 0.994),
        WorkloadSet("every30", "--drive-every 30", 0.97, 0.996),
        WorkloadSet("every120", "--drive-every 120", nil, 0.992),
        WorkloadSet("sleep", "--sleep", 0.985, 0.997),
        WorkloadSet("bare", "--no-speed --no-ignition", 0.99, 0.998),
        WorkloadSet(
            "combined",
            "--jam 0.1 --park-min 360 --gap 0.33 --noise 10 --drive-every 30 --sleep",
            0.965,
            0.99
        ),
    ]

    /// The folder of one seed, generated when it is not there yet.
    func folder(seed: Int, in directory: URL, vehicles: Int = 20) throws -> URL {
        let suffix = vehicles == 20 ? "" : "-\(vehicles)"
        let folder = directory.appending(path: "\(name)-\(seed)\(suffix)")
        if !FileManager.default.fileExists(atPath: folder.appending(path: "truth.csv").path) {
            _ = try Script.run(
                "make-workload.py",
                ["--vehicles", "\(vehicles)", "--seed", "\(seed)", "--out", folder.path] + arguments
            )
        }
        return folder
    }
}

/// The Python scripts of the shared folder beside the checkout.
enum Script {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// `$ODOGRAPH_SHARED`, or else `../shared` beside the package.
    static var folder: URL {
        if let path = ProcessInfo.processInfo.environment["ODOGRAPH_SHARED"] { return URL(filePath: path) }
        return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "shared")
    }

    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", folder.appending(path: "bench/\(name)").path] + arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(name) failed; it needs numpy") }
        return String(decoding: data, as: UTF8.self)
    }
}
