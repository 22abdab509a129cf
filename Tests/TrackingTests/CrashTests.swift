import Foundation
import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

/// A program records, and is killed or its disk fails; what it acknowledged must be there, once, and nothing must break.
@Suite("Crashes") struct CrashTests {
    private static let executable: URL = {
        let argument = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return argument.appending(path: "StoreTrial")
    }()

    /// Runs the trial program and gives what it said; it is killed after a number of seconds, if any.
    private static func run(_ arguments: [String], killedAfter seconds: Double?) async throws -> [String] {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.standardError
        try process.run()
        if let seconds {
            // The instant is what is tried here: nothing is waited for.
            try await Task.sleep(for: .seconds(seconds))
            kill(process.processIdentifier, SIGKILL)
        }
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Looks at a store after its program ended: everything acknowledged is there, nothing that was not sent, all sound.
    private static func judge(_ path: String, _ trial: Trial, acknowledged: Int, sent: Int) async throws {
        let storage = try SQLiteStorage(path: path, mode: .write)
        for device in trial.devices {
            let found = try await storage.positions(of: device, in: nil).all().map(\.key)
            let least = trial.positions(of: device, in: 0..<acknowledged).map(\.key)
            let most = trial.positions(of: device, in: 0..<sent).map(\.key)
            #expect(zip(found, found.dropFirst()).first { $0 >= $1 } == nil)
            #expect(Set(least).isSubset(of: found))
            #expect(Set(found).isSubset(of: most))
        }
        #expect(try await storage.check() == [])
        await storage.close()
    }

    private static func judgeEnd(_ path: String, _ trial: Trial) async throws {
        let storage = try SQLiteStorage(path: path, mode: .read)
        for device in trial.devices {
            let all = trial.positions(of: device, in: trial.batches.indices)
            #expect(try await storage.positions(of: device, in: nil).all() == all)
            #expect(try await Drawn(storage, device) == Drawn(all, asOf: Trial.asOf))
        }
        #expect(try await storage.check() == [])
    }

    @Test(
        "A3: killed at any instant, again and again, a store keeps what it acknowledged, and ends as if never killed",
        .timeLimit(.minutes(10)),
        arguments: 0..<Repetitions.count(12, long: 120)
    )
    func killed(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let trial = Trial(seed: UInt64(seed))
        var random = SeededGenerator(seed: UInt64(seed) &+ 1000)
        var acknowledged = 0
        for _ in 0..<25 {
            // Near its end the trial begins anew: everything is sent again.
            let first = acknowledged == trial.batches.count ? 0 : acknowledged
            let lines = try await Self.run([path, "\(seed)", "\(first)"], killedAfter: 0.02 + random.unit() * 0.1)
            let last = lines.last { Int($0) != nil }.flatMap { Int($0) }
            if let last { acknowledged = max(acknowledged, last + 1) }
            guard FileManager.default.fileExists(atPath: path) else { continue }
            if lines.isEmpty, acknowledged == 0 { continue }  // killed before or while the store was made
            try await Self.judge(
                path,
                trial,
                acknowledged: acknowledged,
                sent: min(trial.batches.count, acknowledged + 1)
            )
        }
        let lines = try await Self.run([path, "\(seed)", "\(acknowledged)"], killedAfter: nil)
        #expect(lines.last == "done")
        try await Self.judgeEnd(path, trial)
    }

    @Test(
        "H1: when writes fail, fsync fails or a page is torn, nothing is acknowledged that is not kept",
        .timeLimit(.minutes(10)),
        arguments: 0..<Repetitions.count(24, long: 1000)
    )
    func failingDisk(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let trial = Trial(seed: 5)
        var random = SeededGenerator(seed: UInt64(seed))
        let mode = [1, 3, 4][seed % 3]
        // The store is made on a sound disk.
        await (try SQLiteStorage(path: path, mode: .create)).close()
        let lines = try await Self.run(
            [path, "5", "0", "\(mode)", "\(1 + Int(random.next() % 400))"],
            killedAfter: nil
        )
        let acknowledged = (lines.compactMap { Int($0) }.max() ?? -1) + 1
        try await Self.judge(path, trial, acknowledged: acknowledged, sent: min(trial.batches.count, acknowledged + 1))
        let rest = try await Self.run([path, "5", "\(acknowledged)"], killedAfter: nil)
        #expect(rest.last == "done")
        try await Self.judgeEnd(path, trial)
    }

    @Test(
        "H4: a full disk is a retryable error, nothing breaks, and recording goes on when there is space",
        .timeLimit(.minutes(10)),
        arguments: 0..<Repetitions.count(6, long: 200)
    )
    func fullDisk(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        var random = SeededGenerator(seed: UInt64(seed))
        await (try SQLiteStorage(path: path, mode: .create)).close()
        let lines = try await Self.run(
            [path, "6", "0", "2", "\(1 + Int(random.next() % 300))", "3"],
            killedAfter: nil
        )
        #expect(lines.count { $0 == "failed full" } >= 3)
        #expect(lines.last == "done")
        try await Self.judgeEnd(path, Trial(seed: 6))
    }
}
