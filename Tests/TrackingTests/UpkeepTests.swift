import Foundation
import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

@Suite("Upkeep") struct UpkeepTests {
    private let device = StoreFixture.device
    private let day: Int64 = 86_400_000

    /// The base trip on each of some days, the latest first.
    private func days(_ count: Int) -> [Position] {
        (0..<count).flatMap { number in
            Tape.base.positions.map { position in
                var moved = position
                moved.fixTime = position.fixTime + -Int64(number) * day
                return moved
            }
        }
    }

    private func query(_ change: (inout HistoryQuery) -> Void = { _ in }) -> HistoryQuery {
        var query = HistoryQuery()
        change(&query)
        return query
    }

    @Test("G8: retention takes raw rows, keeps trips and latest state, and refuses what is older")
    func retention() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let silent = StoreFixture.named("silent")
        _ = try await recorder.record([
            PositionBatch(device: device, positions: days(120)),
            PositionBatch(device: silent, positions: Tape.base.positions.map { $0.moved(by: -100 * day) }),
        ])
        try await recorder.settle(asOf: StoreFixture.now)
        let before = try await fixture.storage.trips(query()).all()
        let vehicles = try await fixture.storage.vehicles().all()
        let horizon = Tape.day + -60 * day
        let removed = try await recorder.retain(from: horizon, asOf: StoreFixture.now)
        #expect(removed > 0)
        #expect(try await fixture.storage.positions(of: silent, in: nil).all().isEmpty)
        let kept = try await fixture.storage.positions(of: device, in: nil).all()
        let first = try #require(kept.first)
        // At most a day earlier: the boundary lies in the stop before.
        #expect(first.fixTime > horizon + -2 * day && first.fixTime <= horizon)
        #expect(try await fixture.storage.trips(query()).all() == before)
        #expect(try await fixture.storage.vehicles().all().map(\.latest) == vehicles.map(\.latest))
        #expect(try await fixture.storage.check() == [])
        #expect(try await fixture.storage.path(of: try #require(before.first).id) == [])

        // Drawing everything anew, and being compacted, changes nothing that was sealed.
        try await fixture.storage.markForDerivation(nil)
        try await recorder.settle(asOf: StoreFixture.now)
        try await recorder.compact()
        #expect(try await fixture.storage.trips(query()).all() == before)
        #expect(try await fixture.storage.check() == [])

        let late = Tape.base.positions.map { $0.moved(by: -90 * day) }
        let receipts = try await recorder.record([PositionBatch(device: device, positions: late)])
        #expect(receipts.map(\.beforeRetention) == [late.count])
        #expect(receipts.map(\.accepted) == [0])
        #expect(try await fixture.storage.refusalCounts()[.beforeRetention] == Tape.base.track.count)

        // The silent one comes back: its old trips stay, the new one is drawn, and its time has no hole.
        _ = try await recorder.record([PositionBatch(device: silent, positions: Tape.base.positions)])
        try await recorder.settle(asOf: StoreFixture.now)
        let trips = try await fixture.storage.trips(query { $0.device = silent }).all()
        #expect(trips.count == 2)
        let sealed = try #require(before.first { $0.device == silent })
        #expect(trips.first?.id == sealed.id && trips.first?.trip == sealed.trip && trips.first?.revision == 1)
        #expect(try await fixture.storage.check() == [])

        // A recorder that starts now knows the horizon.
        let next = try await fixture.recorder()
        let again = try await next.record([PositionBatch(device: device, positions: late)])
        #expect(again.map(\.beforeRetention) == [late.count])
    }

    @Test("An erased device is gone from the file's bytes after compact, others are as before")
    func eraseDevice() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let secret = StoreFixture.named("SECRET-IMEI-356307042441013")
        let attributes = AttributeSet(["driver": "SECRET-DRIVER"])
        let shared = AttributeSet(["gear": "SHARED-GEAR"])
        func marked(_ reference: UInt64, by offset: Int64) -> [Position] {
            Tape.base.positions.enumerated().map { index, position in
                var changed = position.moved(by: offset)
                changed.attributes = index % 2 == 0 ? reference : shared.reference
                return changed
            }
        }
        let sets = [attributes.reference: attributes, shared.reference: shared]
        let refusal = Refusal(
            reason: .badTime,
            source: "s",
            place: "row 1",
            detail: "d",
            device: secret,
            content: "SECRET-ROW"
        )
        _ = try await recorder.record(
            [
                PositionBatch(device: secret, positions: marked(attributes.reference, by: 0), attributes: sets),
                PositionBatch(device: device, positions: marked(shared.reference, by: 0), attributes: sets),
            ],
            refusals: [refusal]
        )
        try await recorder.settle(asOf: StoreFixture.now)
        _ = try await recorder.record([
            PositionBatch(device: secret, positions: marked(attributes.reference, by: day), attributes: sets)
        ])
        let other = try await fixture.history()
        let summary = try await recorder.erase(.device(secret), asOf: StoreFixture.now)
        #expect(summary.positions == Int64(2 * Tape.base.track.count))
        try await recorder.compact()
        #expect(try await fixture.storage.positions(of: secret, in: nil).all().isEmpty)
        #expect(try await fixture.storage.attributes([shared.reference]).count == 1)
        #expect(try await fixture.history() == other)
        #expect(try await fixture.storage.check() == [])
        for suffix in ["", "-wal"] {
            let data = (try? Data(contentsOf: URL(filePath: fixture.path + suffix))) ?? Data()
            #expect(data.range(of: Data("SECRET".utf8)) == nil)
            if suffix.isEmpty { #expect(data.range(of: Data("SHARED-GEAR".utf8)) != nil) }
        }
        // It may come back, and is a new device then.
        _ = try await recorder.record([PositionBatch(device: secret, positions: Tape.base.positions)])
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.history(of: secret) == Drawn(Tape.base.positions))
    }

    @Test("An erased span takes its trips whole; the rest is what the detector draws from what is left")
    func eraseSpan() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: days(5))])
        try await recorder.settle(asOf: StoreFixture.now)
        let trips = try await fixture.storage.trips(query()).all()
        let victim = trips[2].trip
        let middle = Timestamp(milliseconds: (victim.begin.milliseconds + victim.end.milliseconds) / 2)
        let summary = try await recorder.erase(.span(device, middle...middle), asOf: StoreFixture.now)
        #expect(summary.trips == 1)
        #expect(summary.positions == Int64(victim.positionCount))
        let left = try await fixture.storage.positions(of: device, in: nil).all()
        #expect(!left.contains { $0.fixTime >= victim.begin && $0.fixTime <= victim.end })
        #expect(try await fixture.history() == Drawn(left))
        #expect(try await fixture.storage.trip(trips[2].id) == nil)
        #expect(try await fixture.storage.trip(trips[0].id)?.trip == trips[0].trip)
        #expect(try await fixture.storage.check() == [])
    }

    @Test("A backup taken while recording goes on is a sound store, and can be restored")
    func backup() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: Tape.base.positions)])
        try await recorder.update(asOf: StoreFixture.now)
        let copy = fixture.folder.path("copy.sqlite")
        let (storage, device) = (fixture.storage, device)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for second in 0..<50 {
                    let position = Position(
                        fixTime: StoreFixture.now + Int64(second) * 1000,
                        coordinate: Tape.coordinate(52, 13)
                    )
                    _ = try await recorder.record([PositionBatch(device: device, positions: [position])])
                }
            }
            group.addTask { try await storage.backUp(to: copy) }
            try await group.waitForAll()
        }
        let found = await #expect(throws: StoreError.self) { try await storage.backUp(to: copy) }
        #expect(found?.kind == .exists)
        let backup = try SQLiteStorage(path: copy, mode: .read)
        #expect(try await backup.check() == [])
        #expect(try await backup.trips(HistoryQuery()).all() == storage.trips(HistoryQuery()).all())
        await backup.close()

        let restored = fixture.folder.path("restored.sqlite")
        try await SQLiteStorage.restore(copy, to: restored, replacing: false)
        let refusal = await #expect(throws: StoreError.self) {
            try await SQLiteStorage.restore(copy, to: restored, replacing: false)
        }
        #expect(refusal?.kind == .exists)
        try await SQLiteStorage.restore(copy, to: restored, replacing: true)
        let busy = await #expect(throws: StoreError.self) {
            try await SQLiteStorage.restore(copy, to: storage.path, replacing: true)
        }
        #expect(busy?.kind == .busy)
        let opened = try SQLiteStorage(path: restored, mode: .write)
        let next = try await Recorder(storage: opened) { StoreFixture.now }
        try await next.settle(asOf: StoreFixture.now)
        #expect(try await opened.check() == [])
    }

    @Test("A damaged backup is not restored")
    func damagedBackup() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: days(20))])
        try await recorder.settle(asOf: StoreFixture.now)
        let copy = fixture.folder.path("copy.sqlite")
        try await fixture.storage.backUp(to: copy)
        var bytes = try Data(contentsOf: URL(filePath: copy))
        // A byte within some chunk, found by its header: version, 0, fields.
        let count = bytes.count
        for offset in stride(from: 16_384, to: count, by: 997) { bytes[offset] ^= 0x40 }
        try bytes.write(to: URL(filePath: copy))
        let found = await #expect(throws: StoreError.self) {
            try await SQLiteStorage.restore(copy, to: fixture.folder.path("restored.sqlite"), replacing: false)
        }
        #expect(found?.kind == .corrupt)
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("restored.sqlite")))
    }

    @Test("A setting that changes draws everything anew, as a fresh import would, for its device alone")
    func settings() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let other = StoreFixture.named("other")
        let positions = Tape.dirty(seed: 99).positions
        _ = try await recorder.record([
            PositionBatch(device: device, positions: positions), PositionBatch(device: other, positions: positions),
        ])
        try await recorder.settle(asOf: StoreFixture.now)
        try await fixture.storage.setSetting("stop_time_s", to: 120, device: device)
        try await recorder.update(asOf: StoreFixture.now)
        var changed = DetectionSettings()
        changed.stopTime = 120_000
        #expect(try await fixture.history() == Drawn(positions, settings: changed))
        #expect(try await fixture.history(of: other) == Drawn(positions))
        try await fixture.storage.setSetting("stop_time_s", to: nil, device: device)
        try await recorder.update(asOf: StoreFixture.now)
        #expect(try await fixture.history() == Drawn(positions))
        let change = try await fixture.storage.lastChange()
        try await fixture.storage.markForDerivation(nil)
        try await recorder.update(asOf: StoreFixture.now)
        #expect(try await fixture.storage.lastChange() == change)
    }
}

extension Position {
    func moved(by milliseconds: Int64) -> Position {
        var moved = self
        moved.fixTime = fixTime + milliseconds
        return moved
    }
}
