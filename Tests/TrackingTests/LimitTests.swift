import Foundation
import Telemetry
import TestSupport
import Testing
import Tracking
import TripStore

@Suite("Limits") struct LimitTests {
    /// A vehicle that drives and stands by turns, with the noise of a receiver, every five seconds.
    private static func noisy(_ count: Int, seed: UInt64) -> [Position] {
        var random = SeededGenerator(seed: seed)
        var (north, east, driftNorth, driftEast) = (0.0, 0.0, 0.0, 0.0)
        return (0..<count).map { index in
            let isMoving = index / 200 % 3 == 0
            let kmh = isMoving ? 50 + 10 * sin(Double(index) / 9) + random.gaussian() : 0
            north += kmh / 3.6 * 5 * 0.7
            east += kmh / 3.6 * 5 * 0.7 * sin(Double(index) / 40)
            driftNorth = 0.9 * driftNorth + 1.5 * random.gaussian()
            driftEast = 0.9 * driftEast + 1.5 * random.gaussian()
            let place = Tape.coordinate(48, 11).moved(north: north + driftNorth, east: east + driftEast)
            var position = Position(
                fixTime: Tape.day + Int64(index) * 5000,
                // Receivers send six decimals.
                coordinate: Coordinate(
                    latitudeE7: place.latitudeE7 / 10 * 10,
                    longitudeE7: place.longitudeE7 / 10 * 10
                ),
                receivedTime: StoreFixture.now
            )
            position.speed = (max(0, kmh) * 10).rounded() / 36
            position.heading = Double(Int(atan2(1, sin(Double(index) / 40)) * 57.3 + 3 * random.gaussian() + 360) % 360)
            position.ignition = isMoving
            return position
        }
    }

    @Test("G4: a finished store takes at most 8 bytes a position, everything included")
    func size() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let (_, summary) = try await recorder.importing(asOf: StoreFixture.now) { feed throws(StoreError) in
            for vehicle in 0..<20 {
                let positions = Self.noisy(4000, seed: UInt64(vehicle))
                try await feed.append(PositionBatch(device: StoreFixture.named("car \(vehicle)"), positions: positions))
            }
        }
        try await recorder.compact()
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path)
        let bytes = try #require(attributes[.size] as? Int)
        #expect(summary.accepted == 80_000)
        // An empty store has some fifty pages: in one of a million positions they are nothing.
        let empty = try StoreFixture()
        try await empty.storage.compact()
        let basis = try #require(try FileManager.default.attributesOfItem(atPath: empty.path)[.size] as? Int)
        #expect(Double(bytes - basis) / 80_000 <= 8)
    }

    @Test("G6: more than the store can take is told to wait, memory is bounded, and all of it is stored in the end")
    func backPressure() async throws {
        let fixture = try StoreFixture()
        var configuration = Recorder.Configuration()
        configuration.waitingLimit = 300
        configuration.journalLimit = 1000
        let recorder = try await fixture.recorder(configuration)
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for producer in 0..<12 {
                group.addTask {
                    let device = StoreFixture.named("producer \(producer)")
                    var refused = 0
                    for batch in Self.noisy(1000, seed: UInt64(producer)).chunks(of: 100) {
                        while true {
                            do throws(StoreError) {
                                _ = try await recorder.record([PositionBatch(device: device, positions: batch)])
                                break
                            } catch {
                                guard error.kind == .full else { throw error }
                                refused += 1
                                await Task.yield()
                            }
                        }
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(refused > 0)
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.storage.totals().positions == 12_000)
        #expect(try await fixture.storage.check() == [])
    }
}
