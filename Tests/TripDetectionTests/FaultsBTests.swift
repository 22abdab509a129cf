import Telemetry
import TestSupport
import Testing
import TripDetection

/// Time, order, duplicates and days: lines of FAULTS group B.
@Suite("Faults B: time, order, duplicates")
struct FaultsBTests {
    @Test("B1: a batch that comes five minutes late fills the hole of the trip")
    func delayedBatch() throws {
        let tape = Tape.base
        var early = tape
        let drive = tape.positions.filter { $0.speed ?? 0 > 1 }
        let late = Set(drive[7...13].map(\.fixTime))
        early.positions.removeAll { late.contains($0.fixTime) }
        let (before, after) = (try #require(early.derived().trips.first), try #require(tape.derived().trips.first))
        #expect(before.positionCount == 14 && after.positionCount == 21)
        #expect(before.largestHole == 240_000 && after.largestHole == 30_000)
        #expect(tape.derived().trips.count == 1)
        #expect(isNear(after.metres, 10_008))
    }

    @Test("B2: the distance is summed in the order of the fixes")
    func eventOrder() throws {
        var tape = Tape()
        for minute in [0, 2, 1, 3] {
            tape.row(Tape.time("08:00") + Int64(minute) * 60_000, 52 + 0.009 * Double(minute), 13)
        }
        let trip = try #require(tape.derived().trips.first)
        #expect(isNear(trip.metres, 3002))
    }

    @Test("B3: uploaded history gives its trip and leaves the latest place alone")
    func uploadedHistory() throws {
        var tape = Tape()
        tape.row(Tape.time("12:00"), 52.54, 13)
        tape.drive("10:00", 52, 13, 120)
        let derivation = tape.derived()
        #expect(derivation.trips.count == 1)
        let (trip, stop) = (try #require(derivation.trips.first), try #require(derivation.stops.last))
        #expect(isNear(trip.metres, 60_045))
        #expect(trip.begin == Tape.time("10:00") && trip.end == Tape.time("11:00"))
        #expect(stop.arrival == Tape.time("11:00") && stop.departure == Tape.time("12:00"))
    }

    @Test("B4: positions sent twice, the second time shuffled, change nothing")
    func sentTwice() {
        var tape = Tape.base
        let once = tape.derived()
        var random = SeededGenerator(seed: 4)
        tape.positions += tape.positions.shuffled(using: &random)
        #expect(tape.derived() == once)
    }

    @Test("B6: what arrives 3, 1, 2 is told 1, 2, 3")
    func toldInOrder() {
        let parts = [Tape.base.positions[25...], Tape.base.positions[..<10], Tape.base.positions[10..<25]]
        var tape = Tape()
        tape.positions = parts.flatMap { $0 }
        #expect(tape.derived() == Tape.base.derived())
        #expect(tape.derived().tiles)
    }

    @Test("B9: dates of 2007 in a file are kept")
    func oldDates() throws {
        var tape = Tape.base
        let back: Int64 = 7168 * 86_400_000
        for index in tape.positions.indices { tape.positions[index].fixTime = tape.positions[index].fixTime + -back }
        let trip = try #require(tape.derived().trips.first)
        #expect(trip.begin == Tape.time("08:06:00") + -back)
        #expect(!trip.flags.contains(.timeCorrected))
        for index in tape.positions.indices { tape.positions[index].fields.insert(.timeCorrected) }
        #expect(try #require(tape.derived().trips.first).flags.contains(.timeCorrected))
    }

    @Test("B10: one fix sent ten times is one position and no motion")
    func sentAgain() {
        var tape = Tape()
        for minute in 0..<10 {
            var position = Position(
                fixTime: Tape.time("08:00"),
                coordinate: Tape.coordinate(52, 13),
                receivedTime: Tape.time("08:00") + Int64(minute) * 60_000
            )
            position.speed = 4.3 * 0.514444
            tape.positions.append(position)
        }
        let derivation = tape.derived()
        #expect(derivation.trips.isEmpty)
        #expect(derivation.stops.map(\.positionCount) == [1])
    }

    @Test("B11: of two places in one instant one is chosen by rule", arguments: Setting.all)
    func samesInstant(setting: Setting) throws {
        let place = Tape.base.positions.first { $0.fixTime == Tape.time("08:10:00") }
        let beside = try #require(place?.coordinate.moved(north: 8, east: 0))
        for (accuracy, isBesideChosen) in [(nil, false), (5.0, true)] as [(Double?, Bool)] {
            var tape = Tape.base
            tape.row(
                Tape.time("08:10:00"),
                beside.latitude,
                beside.longitude,
                kmh: 60,
                ignition: true,
                accuracy: accuracy
            )
            tape = tape.moved(to: setting)
            let derivation = tape.derived()
            let trip = try #require(derivation.trips.first)
            #expect(derivation.trips.count == 1)
            #expect(trip.highestSpeed == 1667)
            #expect(derivation.setAside.map(\.reason) == [.sameTime])
            let asideIsBeside = derivation.setAside[0].key.coordinate == setting.moved(beside)
            #expect(asideIsBeside != isBesideChosen)
            tape.positions.reverse()
            #expect(tape.derived() == derivation)
        }
    }

    @Test("B13: one bad row at the beginning does not cost the good ones", arguments: Setting.all)
    func badRowFirst(setting: Setting) {
        var tape = Tape()
        tape.row(Tape.time("07:59:30"), 60, 30)
        tape.drive("08:00", 52, 13, 49)
        tape = tape.moved(to: setting)
        for count in 4...51 {
            var prefix = tape
            prefix.positions = Array(tape.positions.prefix(count))
            let derivation = prefix.derived()
            #expect(derivation.setAside.map(\.reason) == [.outlier])
            #expect(derivation.trips.first.map { Int($0.positionCount) } == count - 1)
        }
    }

    @Test("B15: received times have no influence")
    func receivedTimes() {
        var tape = Tape.base
        let derivation = tape.derived()
        for index in tape.positions.indices { tape.positions[index].receivedTime = Tape.time("20:00") }
        #expect(tape.derived() == derivation)
    }

    @Test("B17: a drive over midnight is one trip, and its metres belong to two days", arguments: [Int64(30), 70])
    func overMidnight(every: Int64) throws {
        var tape = Tape()
        let steps = 1800 / Int(every)
        tape.drive("23:50", 52, 13, steps, latitudeStep: 0.00015 * Double(every), every: every)
        let derivation = tape.derived()
        let trip = try #require(derivation.trips.first)
        #expect(derivation.intervals.count == 1)
        let perSecond = 30_024.0 / 1800
        #expect(isNear(trip.metres, perSecond * Double(steps) * Double(every)))
        let shares = trip.distanceShares(
            at: [Tape.time("24:00")],
            along: tape.track,
            settings: DetectionSettings()
        )
        #expect(isNear(Double(shares[0]) / 1000, perSecond * 600))
        #expect(shares.reduce(0, +) == trip.distance)
    }

    @Test("B17: the parts of a trip always add up to the trip")
    func sharesAddUp() {
        for seed in UInt64(1)...20 {
            let tape = Tape.dirty(seed: seed)
            let derivation = tape.derived()
            let aside = Set(derivation.setAside.map(\.key))
            let used = tape.track.filter { !aside.contains($0.key) }
            for trip in derivation.trips {
                let middle = trip.begin + (trip.end - trip.begin) / 2
                let own = used.filter { $0.fixTime >= trip.begin && $0.fixTime <= trip.end }
                #expect(own.count == Int(trip.positionCount), "seed \(seed)")
                let shares = trip.distanceShares(
                    at: [trip.begin + -5000, middle, trip.end + 5000],
                    along: own,
                    settings: DetectionSettings()
                )
                #expect(shares.count == 4 && shares[0] == 0 && shares[3] == 0, "seed \(seed)")
                #expect(shares.reduce(0, +) == trip.distance && shares.allSatisfy { $0 >= 0 }, "seed \(seed)")
            }
        }
    }
}
