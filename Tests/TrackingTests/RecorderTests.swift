import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

@Suite("Recorder") struct RecorderTests {
    private let device = StoreFixture.device

    @Test("What was recorded is read back, and its history is what the detector draws")
    func recordAndRead() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let tape = Tape.base
        let receipts = try await recorder.record([PositionBatch(device: device, positions: tape.positions)])
        #expect(receipts.map(\.accepted) == [tape.track.count])
        #expect(try await fixture.storage.positions(of: device, in: nil).all() == tape.track)
        try await recorder.update(asOf: StoreFixture.now)
        #expect(try await fixture.history() == Drawn(tape.positions))
        #expect(try await fixture.storage.check() == [])
    }

    @Test("B4: a day sent again, shuffled, changes nothing and is counted as duplicates")
    func sendAgain() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let tape = Tape.base
        _ = try await recorder.record([PositionBatch(device: device, positions: tape.track)])
        try await recorder.settle(asOf: StoreFixture.now)
        let before = try await fixture.storage.trips(HistoryQuery()).all()
        var random = SeededGenerator(seed: 4)
        let again = tape.track.shuffled(using: &random)
        let receipts = try await recorder.record([PositionBatch(device: device, positions: again)])
        #expect(receipts == [Recorder.Receipt(accepted: 0, duplicate: tape.track.count)])
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.storage.trips(HistoryQuery()).all() == before)
        #expect(try await fixture.storage.positions(of: device, in: nil).all() == tape.track)
    }

    @Test("H6: one duplicate within a batch costs one row, not the batch")
    func duplicateWithin() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        var positions = (0..<999).map { index in
            Position(
                fixTime: Tape.day + Int64(index) * 1000,
                coordinate: Tape.coordinate(52, 13 + Double(index) / 10_000)
            )
        }
        positions.insert(positions[500], at: 700)
        let receipts = try await recorder.record([PositionBatch(device: device, positions: positions)])
        #expect(receipts == [Recorder.Receipt(accepted: 999, duplicate: 1)])
        #expect(try await fixture.storage.positions(of: device, in: nil).all().count == 999)
    }

    @Test(
        "A23: however positions come, in groups, late, twice, with restarts and folding between, history is the same",
        arguments: 0..<Repetitions.count(12, long: 400)
    )
    func anyOrder(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let positions = Tape.dirty(seed: UInt64(seed), pieces: 6).positions
        let fixture = try StoreFixture()
        var configuration = Recorder.Configuration()
        configuration.foldCount = [1, 7, 60, 512].randomElement(using: &random) ?? 1
        configuration.journalLimit = 200
        var recorder = try await fixture.recorder(configuration)
        var arrival = positions
        switch seed % 4 {
        case 0: arrival.shuffle(using: &random)
        case 1: arrival.reverse()
        case 2: arrival = Array(positions[(positions.count / 2)...] + positions[..<(positions.count / 2)])
        default: break
        }
        arrival += arrival.prefix(arrival.count / 5)
        var start = 0
        while start < arrival.count {
            let end = min(arrival.count, start + 1 + Int(random.next() % 90))
            _ = try await recorder.record([PositionBatch(device: device, positions: Array(arrival[start..<end]))])
            start = end
            if random.chance(0.2) {
                let held = try await fixture.storage.positions(of: device, in: nil).all()
                #expect(held == Tape.track(of: Array(arrival[..<end])))
            }
            if random.chance(0.4) { try await recorder.update(asOf: StoreFixture.now) }
            if random.chance(0.1) { try await recorder.settle(asOf: StoreFixture.now) }
            if random.chance(0.1) { recorder = try await fixture.recorder(configuration) }
        }
        try await recorder.update(asOf: StoreFixture.now)
        #expect(try await fixture.history() == Drawn(positions))
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.history() == Drawn(positions))
        #expect(try await fixture.storage.positions(of: device, in: nil).all() == Tape.track(of: positions))
        #expect(try await fixture.storage.check() == [])
        // Compacting changes nothing that can be seen.
        try await fixture.storage.compact()
        #expect(try await fixture.history() == Drawn(positions))
        #expect(try await fixture.storage.positions(of: device, in: nil).all() == Tape.track(of: positions))
        #expect(try await fixture.storage.check() == [])
    }

    @Test("G7: ten thousand points of one vehicle in reverse order")
    func reverse() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let positions = (0..<10_000).map { index in
            Position(
                fixTime: Tape.day + Int64(index) * 10,
                coordinate: Tape.coordinate(52, 13 + Double(index) / 1_000_000)
            )
        }
        for position in positions.reversed().chunks(of: 100) {
            _ = try await recorder.record([PositionBatch(device: device, positions: position)])
        }
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.storage.positions(of: device, in: nil).all() == positions)
        #expect(try await fixture.history() == Drawn(positions))
    }

    @Test("Many producers at once: everything is there once")
    func manyProducers() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for producer in 0..<8 {
                group.addTask {
                    let device = try #require(DeviceID("producer \(producer / 2)"))
                    for batch in 0..<20 {
                        let positions = (0..<10).map { index in
                            Position(
                                fixTime: Tape.day + Int64(batch * 10 + index) * 1000,
                                coordinate: Tape.coordinate(52, 13 + Double(producer) / 10)
                            )
                        }
                        _ = try await recorder.record([PositionBatch(device: device, positions: positions)])
                    }
                }
            }
            try await group.waitForAll()
        }
        try await recorder.settle(asOf: StoreFixture.now)
        let totals = try await fixture.storage.totals()
        #expect(totals.positions == 1600)
        #expect(totals.vehicles == 4)
        #expect(try await fixture.storage.check() == [])
    }

    @Test("More than may wait is answered with full, and nothing of it is stored")
    func full() async throws {
        let fixture = try StoreFixture()
        var configuration = Recorder.Configuration()
        configuration.waitingLimit = 100
        let recorder = try await fixture.recorder(configuration)
        let outcomes = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
            for producer in 0..<20 {
                group.addTask {
                    let positions = (0..<50).map { index in
                        Position(
                            fixTime: Tape.day + Int64(producer * 50 + index) * 1000,
                            coordinate: Tape.coordinate(52, 13)
                        )
                    }
                    do {
                        _ = try await recorder.record([PositionBatch(device: StoreFixture.device, positions: positions)]
                        )
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let stored = outcomes.count { $0 }
        #expect(try await fixture.storage.positions(of: device, in: nil).all().count == stored * 50)
        #expect(stored >= 1)
    }
}

extension Sequence {
    /// Cuts a sequence into arrays of at most so many elements.
    func chunks(of count: Int) -> [[Element]] {
        var result: [[Element]] = []
        for element in self {
            if let last = result.indices.last, result[last].count < count {
                result[last].append(element)
            } else {
                result.append([element])
            }
        }
        return result
    }
}
