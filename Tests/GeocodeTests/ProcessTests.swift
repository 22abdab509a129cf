import Foundation
import Geocode
import Telemetry
import TestSupport
import Testing
import TripStore

/// The built command, several of it at once on one store.
@Suite("Processes") struct ProcessTests {
    /// The command beside the tests' own program.
    static let executable: URL = {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = own.deletingLastPathComponent().appending(path: "odograph")
        if FileManager.default.isExecutableFile(atPath: beside.path()) { return beside }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "odograph")
    }()

    private func run(_ bench: GeocodeBench, _ stub: StubProvider, daily: Int) throws -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["--store", bench.path, "geocode", "run", "--provider", "nominatim"]
        process.environment = [
            "ODOGRAPH_NOMINATIM_URL": stub.url(of: "nominatim"), "ODOGRAPH_NOMINATIM_PER_SECOND": "50",
            "ODOGRAPH_NOMINATIM_PER_DAY": "\(daily)", "ODOGRAPH_GEOCODE_LEASE_S": "2", "PATH": "/usr/bin:/bin",
            "HOME": NSTemporaryDirectory(),
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(
        "Two processes drain at once, one is killed: no call over the rate or the budget, none twice but those in flight",
        .timeLimit(.minutes(2))
    )
    func killOne() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 150))
        await bench.store.close()
        let processes = [try run(bench, stub, daily: 120), try run(bench, stub, daily: 120)]
        while try await stub.calls().count < 40 { await Task.yield() }
        kill(processes[0].processIdentifier, SIGKILL)
        for process in processes { process.waitUntilExit() }
        #expect(processes[1].terminationStatus == 0)
        // The killed one's leases run out after two seconds.
        let store = try SQLiteStorage(path: bench.path, mode: .share)
        let clock = WallClock()
        while let next = try await store.nextGeocodeTime(), next <= clock.now() + 3000 {
            try await clock.sleep(until: next)
            let process = try run(bench, stub, daily: 120)
            process.waitUntilExit()
            if try await stub.calls().count == 120 { break }
        }
        let calls = try await stub.calls()
        let status = try await store.geocodeStatus(now: clock.now())
        #expect(calls.count <= 120)
        #expect(status.providers.first?.callsToday == 120)
        // Counted before the call: at most those of the killed process's workers were counted and not made.
        #expect(calls.count >= 120 - 4)
        // Asked twice: at most the calls of its four workers whose answers it did not live to keep.
        let twice = calls.count - Set(calls.map(\.longitude)).count
        #expect(twice <= 4)
        let times = calls.map(\.seconds).sorted()
        for (first, later) in zip(times, times.dropFirst(51)) { #expect(later - first > 0.9) }
        await store.close()
    }

    @Test("Two processes keep one budget across a change of day", .timeLimit(.minutes(1)))
    func changeOfDay() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 150))
        let stores = try (0..<2).map { _ in try SQLiteStorage(path: bench.path, mode: .share) }
        func drainBoth() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in stores.enumerated() {
                    let resolvers = try (0..<2).map { _ in
                        try bench.resolver(stub, storage: store) {
                            $0.daily = 60
                            $0.resetZone = "America/Los_Angeles"
                        }
                    }
                    let queue = bench.queue(resolvers, owner: "process \(number)", storage: store)
                    group.addTask { try await queue.drain() }
                }
                try await group.waitForAll()
            }
        }
        for expected in [60, 120, 150] {
            try await drainBoth()
            #expect(try await stub.calls().count == expected)
            let status = try await bench.status()
            #expect(status.resolved == Int64(expected))
            if let reset = status.providers.first?.nextReset { bench.clock.advance(to: reset) }
        }
    }
}
