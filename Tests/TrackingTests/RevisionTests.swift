import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

@Suite("Revisions") struct RevisionTests {
    private let device = StoreFixture.device

    private func trips(_ fixture: StoreFixture, removed: Bool = false) async throws -> [TripRecord] {
        var query = HistoryQuery()
        query.includesRemoved = removed
        return try await fixture.storage.trips(query).all()
    }

    @Test("A3: a drive that goes on after a restart is one trip, with the id that it had")
    func restart() async throws {
        let fixture = try StoreFixture()
        let positions = Tape.base.track
        let cut = Tape.time("08:11:00")
        var recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: positions.filter { $0.fixTime < cut })])
        try await recorder.update(asOf: cut)
        let open = try #require(try await trips(fixture).first)
        #expect(!open.trip.isFinal)
        recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: positions.filter { $0.fixTime >= cut })]
        )
        try await recorder.update(asOf: StoreFixture.now)
        let all = try await trips(fixture)
        #expect(all.map(\.id) == [open.id])
        #expect(!all.contains { !$0.trip.isFinal })
        #expect(all[0].revision == open.revision + 1)
        #expect(all[0].change > open.change)
        #expect(try await fixture.history() == Drawn(positions))
    }

    @Test("A25: a trip's row is the aggregate of its positions, also when late ones come")
    func lateRows() async throws {
        var tape = Tape()
        tape.park("08:00:00", 52, 13, 5)
        tape.drive("08:06:00", 52, 13, 20)
        tape.park("08:18:00", 52.099, 13, 10)
        let late = [("08:16:30", 52.0945), ("08:17:00", 52.099)].map { clock, latitude in
            Position(fixTime: Tape.time(clock), coordinate: Tape.coordinate(latitude, 13))
        }
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: tape.positions)])
        try await recorder.settle(asOf: StoreFixture.now)
        let before = try await trips(fixture)
        _ = try await recorder.record([PositionBatch(device: device, positions: late)])
        try await recorder.settle(asOf: StoreFixture.now)
        #expect(try await fixture.history() == Drawn(tape.positions + late))
        let after = try #require(try await trips(fixture).first)
        #expect(after.id == before.first?.id)
        #expect(after.revision == 2)
        #expect(after.trip.distance / 1000 == 11_008)
        let path = try #require(try await fixture.storage.path(of: after.id))
        #expect(path.count == Int(after.trip.positionCount))
        #expect(path.first?.fixTime == after.trip.begin)
        #expect(path.last?.fixTime == after.trip.end)
    }

    @Test("Late data that join two trips leave one removal, which change queries show")
    func join() async throws {
        // A silence of two hours on the way parts the drive, until the rows of it arrive.
        let whole = (0..<200).map { index in
            Position(
                fixTime: Tape.day + Int64(index) * 60_000,
                coordinate: Tape.coordinate(52 + 0.005 * Double(index), 13)
            )
        }
        let hole = 50..<170
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let early = whole.enumerated().filter { !hole.contains($0.offset) }.map(\.element)
        _ = try await recorder.record([PositionBatch(device: device, positions: early)])
        try await recorder.update(asOf: StoreFixture.now)
        let parts = try await trips(fixture)
        #expect(parts.count == 2)
        let change = try await fixture.storage.lastChange()
        _ = try await recorder.record([PositionBatch(device: device, positions: Array(whole[hole]))])
        try await recorder.update(asOf: StoreFixture.now)
        let joined = try await trips(fixture)
        #expect(joined.map(\.id) == [parts[0].id])
        #expect(joined[0].revision == 2)
        var query = HistoryQuery()
        query.afterChange = change
        query.includesRemoved = true
        let news = try await fixture.storage.trips(query).all()
        #expect(Set(news.map(\.id)) == Set(parts.map(\.id)))
        #expect(news.filter(\.isRemoved).map(\.id) == [parts[1].id])
        #expect(zip(news, news.dropFirst()).allSatisfy { $0.change < $1.change })
        #expect(try await fixture.storage.trip(parts[1].id)?.isRemoved == true)
        query.includesRemoved = false
        #expect(try await fixture.storage.trips(query).all().map(\.id) == [parts[0].id])
        // Nothing more changes.
        let last = try await fixture.storage.lastChange()
        try await recorder.settle(asOf: StoreFixture.now)
        try await fixture.storage.markForDerivation(nil)
        try await recorder.update(asOf: StoreFixture.now)
        #expect(try await fixture.storage.lastChange() == last)
    }

    @Test("An open trip becomes final when nothing more comes, also after a restart")
    func becomesFinal() async throws {
        let fixture = try StoreFixture()
        let driving = Tape.base.track.filter { $0.fixTime < Tape.time("08:11:00") }
        let recorder = try await fixture.recorder()
        _ = try await recorder.record([PositionBatch(device: device, positions: driving)])
        let last = try #require(driving.last?.fixTime)
        try await recorder.update(asOf: last + 60_000)
        #expect(try await trips(fixture).map(\.trip.isFinal) == [false])
        let next = try await fixture.recorder()
        try await next.update(asOf: last + 3_599_999)
        #expect(try await trips(fixture).map(\.trip.isFinal) == [false])
        try await next.update(asOf: last + 3_600_000)
        #expect(try await trips(fixture).map(\.trip.isFinal) == [true])
        #expect(try await fixture.history() == Drawn(driving))
    }

    @Test("Late data a year old read and change only their span", arguments: [true, false])
    func oldLateData(folded: Bool) async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let day: Int64 = 86_400_000
        let year = (0..<365).flatMap { number in Tape.base.track.map { $0.moved(by: -Int64(number) * day) } }
        _ = try await recorder.record([PositionBatch(device: device, positions: year)])
        try await recorder.settle(asOf: StoreFixture.now)
        let before = try await trips(fixture)
        let change = try await fixture.storage.lastChange()
        let late = Position(
            fixTime: Tape.time("08:10:15") + -200 * day,
            coordinate: Tape.coordinate(52.0452, 13.0005)
        )
        _ = try await recorder.record([PositionBatch(device: device, positions: [late])])
        let summary =
            folded
            ? try await recorder.settle(asOf: StoreFixture.now) : try await recorder.update(asOf: StoreFixture.now)
        #expect(summary.revisedTrips == 1 && summary.newTrips == 0 && summary.removedTrips == 0)
        #expect(try await fixture.storage.lastChange() == change + 1)
        let after = try await trips(fixture)
        #expect(after.map(\.id) == before.map(\.id))
        #expect(try await fixture.history() == Drawn(year + [late]))
    }

    @Test("Stop places: trips that begin and end where others did share the place and its one task")
    func places() async throws {
        let fixture = try StoreFixture()
        let recorder = try await fixture.recorder()
        let day: Int64 = 86_400_000
        let positions = (0..<10).flatMap { number in
            Tape.base.track.map { position in
                var moved = position.moved(by: -Int64(number) * day)
                moved.coordinate.latitudeE7 += Int32(number % 3) * 300
                return moved
            }
        }
        _ = try await recorder.record([PositionBatch(device: device, positions: positions)])
        try await recorder.settle(asOf: StoreFixture.now)
        let all = try await trips(fixture)
        #expect(all.count >= 10)
        let status = try await fixture.storage.geocodeStatus(now: StoreFixture.now)
        #expect(status.pending == 2)
        let tasks = try await fixture.storage.leaseGeocodeTasks(
            limit: 10,
            onePerCell: true,
            owner: "test",
            now: StoreFixture.now,
            until: StoreFixture.now + 1000
        )
        #expect(tasks.count == 2)
        let change = try await fixture.storage.lastChange()
        let address = Address(
            level: .house,
            line: "Hof 1",
            language: "en",
            provider: "test",
            resolvedTime: StoreFixture.now
        )
        let settlement = GeocodeSettlement(
            task: try #require(tasks.first),
            result: .resolved(address),
            sources: ["test"]
        )
        _ = try await fixture.storage.settleGeocodeTasks([settlement], owner: "test", now: StoreFixture.now)
        var query = HistoryQuery()
        query.afterChange = change
        let changed = try await fixture.storage.trips(query).all()
        #expect(changed.count == all.count)
        #expect(changed.allSatisfy { $0.revision == 1 })
        #expect(
            changed.allSatisfy {
                $0.beginAddress.address?.line == "Hof 1" || $0.endAddress.address?.line == "Hof 1"
            }
        )
        #expect(try await fixture.storage.check() == [])
    }
}
