import Telemetry
import TestSupport
import Testing
import TripDetection

/// Trips that others split, merged, invented, missed or never finished: lines of FAULTS group A.
@Suite("Faults A: split, merged, phantom, missing, unfinished", .serialized)
struct FaultsATests {
    @Test("A1: four trips, each beginning where and when the one before ended", arguments: Setting.all)
    func fourTrips(setting: Setting) {
        var tape = Tape()
        for leg in 0..<4 {
            let (hour, latitude) = (8 + 2 * leg, 52 + 0.09 * Double(leg))
            tape.park("\(hour):00", latitude, 13, 5)
            tape.drive("\(hour):06:00", latitude, 13, 20)
            tape.park("\(hour):17:00", latitude + 0.09, 13, 102)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 4)
        #expect(derivation.tiles)
        #expect(derivation.trips.allSatisfy { isNear($0.metres, 10_008) })
    }

    @Test(
        "A2: a drive that nothing follows is open, then final an hour after its last position",
        arguments: Setting.all
    )
    func noStopFollows(setting: Setting) throws {
        var tape = Tape()
        tape.drive("08:06", 52, 13, 20)
        tape = tape.moved(to: setting)
        let open = tape.derived(asOf: Tape.time("09:15:59") + setting.later)
        #expect(open.intervals.count == 1)
        #expect(try #require(open.trips.first).isFinal == false)
        let final = tape.derived(asOf: Tape.time("09:16:00") + setting.later)
        let trip = try #require(final.trips.first)
        #expect(final.intervals.count == 1)
        #expect(trip.isFinal)
        #expect(trip.end == Tape.time("08:16:00") + setting.later)
        #expect(trip.beginReason == .firstData && trip.endReason == .lastData)
        #expect(trip.flags.contains(.signalLost))
    }

    @Test("A5: holes of 90 s every 3 minutes leave one journey whole", arguments: Setting.all, [Int64(10), 30])
    func holes(setting: Setting, every: Int64) throws {
        var tape = Tape()
        tape.drive("08:00", 52, 13, 2400 / Int(every), latitudeStep: 0.00015 * Double(every), every: every)
        let start = Tape.time("08:00")
        tape.positions.removeAll { ($0.fixTime - start) % 270_000 > 180_000 }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 1)
        #expect(derivation.intervals.count == 1)
    }

    @Test("A6: a stop of 240 s does not split the journey, one of 360 s does", arguments: Setting.all)
    func shortStop(setting: Setting) {
        func tape(standing minutes: Int) -> Tape {
            var tape = Tape()
            tape.drive("08:00", 52, 13, 20)
            tape.park("08:10:30", 52.09, 13, minutes - 1)
            tape.drive("08:\(10 + minutes):00", 52.09, 13, 20)
            return tape.moved(to: setting)
        }
        #expect(tape(standing: 4).derived().trips.count == 1)
        #expect(tape(standing: 5).derived().trips.count == 2)
        #expect(tape(standing: 6).derived().trips.count == 2)
        var settings = DetectionSettings()
        settings.stopTime = 240_000
        #expect(tape(standing: 4).derived(settings: settings).trips.count == 2)
        settings.stopTime = 361_000
        #expect(tape(standing: 6).derived(settings: settings).trips.count == 1)
    }

    @Test("A8: a device that reports while parked makes one stop of eight hours", arguments: Setting.all)
    func reportsWhileParked(setting: Setting) throws {
        var tape = Tape.base
        tape.park("08:27:49", 52.09, 13, 8 * 3600 / 49, every: 49)
        let last = try #require(tape.positions.last?.fixTime)
        let drive = last + 30_000
        for step in 0...20 {
            tape.row(drive + Int64(step) * 30_000, 52.09 - 0.0045 * Double(step), 13, kmh: 60, ignition: true)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 2)
        let stop = try #require(derivation.stops.dropFirst().first)
        #expect(stop.arrival == Tape.time("08:16:00") + setting.later)
        #expect((stop.departure - (Tape.time("16:27") + setting.later)).magnitude <= 120_000)
    }

    @Test("A9: fast points far apart are one trip, none left over", arguments: Setting.all)
    func farApart(setting: Setting) throws {
        var tape = Tape()
        var latitude = 52.0
        for index in 0..<34 {
            tape.row(Tape.time("08:00") + Int64(index) * 54_000, latitude, 13)
            latitude += (index % 2 == 0 ? 581 : 1958) / 111_195.08
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.intervals.count == 1)
        #expect(try #require(derivation.trips.first).positionCount == 34)
        #expect(derivation.setAside.isEmpty)
    }

    @Test("A10: a parked vehicle drifts for eight hours and drives nowhere", arguments: Setting.all, UInt64(1)...6)
    func parkedDrift(setting: Setting, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tape = Tape()
        for minute in 0...480 {
            let (north, east) = (random.gaussian() * 8, random.gaussian() * 8)
            let kmh = random.chance(0.15) ? 1 + 13 * random.unit() : 0
            let place = Tape.coordinate(52, 13).moved(north: north, east: east)
            let time = Tape.time("08:00") + Int64(minute) * 60_000
            tape.row(time, place.latitude, place.longitude, kmh: kmh, ignition: false)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.isEmpty)
        #expect(derivation.intervals.count == 1)
        #expect(derivation.stops.count == 1)
    }

    @Test("A11: a receiver that falls back on cell towers goes nowhere", arguments: Setting.all)
    func cellTowers(setting: Setting) {
        var tape = Tape()
        for index in 0...72 {
            let isCell = index % 2 == 1
            let time = Tape.time("08:00") + Int64(index) * 300_000
            tape.row(time, isCell ? 52.018 : 52, 13, kmh: 0, accuracy: isCell ? 1500 : 15)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.isEmpty)
        #expect(derivation.intervals.count == 1)
        #expect(derivation.setAside.count == 36)
        #expect(derivation.setAside.allSatisfy { $0.reason == .inaccurate })
    }

    @Test("A13: two hours of standing without a word are a stop, not part of the trip", arguments: Setting.all)
    func standingInSilence(setting: Setting) throws {
        var tape = Tape()
        tape.drive("20:27", 52, 13, 48)
        tape.drive("22:56", 52.216, 13, 20)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 2)
        let (trip, stop) = (try #require(derivation.trips.first), try #require(derivation.stops.first))
        #expect(trip.end == Tape.time("20:51") + setting.later)
        #expect(trip.endReason == .stop)
        #expect(trip.flags.contains(.signalLost))
        #expect(stop.arrival == Tape.time("20:51") + setting.later)
        #expect(stop.departure == Tape.time("22:56") + setting.later)
        #expect(stop.flags.contains(.unknownActivity))
        #expect(derivation.gaps.isEmpty)
    }

    @Test("A14: a signal lost at night makes two trips, no trip of nine hours", arguments: Setting.all)
    func signalLostOvernight(setting: Setting) throws {
        var tape = Tape()
        tape.park("08:00", 52, 13, 5)
        tape.drive("08:06", 52, 13, 12)
        tape.drive("17:12", 52.05454, 13, 20)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 2)
        #expect(derivation.tiles)
        #expect(isNear(derivation.trips[0].metres, 6005))
        #expect(isNear(derivation.trips[1].metres, 10_008))
        #expect(derivation.trips[0].flags.contains(.signalLost))
        let stop = try #require(derivation.stops.last)
        #expect(stop.arrival == Tape.time("08:12") + setting.later)
        #expect(stop.departure == Tape.time("17:12") + setting.later)
        #expect(stop.flags.contains(.unknownActivity))
    }

    @Test(
        "A17: out and back are two trips though the vehicle ends where it began",
        arguments: Setting.all,
        [Int64(10), 30]
    )
    func outAndBack(setting: Setting, every: Int64) {
        var tape = Tape()
        let degrees = 1200 / 111_195.08
        let steps = 240 / Int(every)
        tape.park("08:00", 52, 13, 10)
        for step in 1...steps {
            tape.row(Tape.time("08:10") + Int64(step) * every * 1000, 52 + degrees * Double(step) / Double(steps), 13)
        }
        tape.park("08:15", 52 + degrees, 13, 33)
        for step in 1...steps {
            tape.row(
                Tape.time("08:48") + Int64(step) * every * 1000,
                52 + degrees * Double(steps - step) / Double(steps),
                13
            )
        }
        tape.park("08:53", 52, 13, 10)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 2)
        #expect(derivation.trips.allSatisfy { isNear($0.metres, 1200, within: 0.05) })
    }

    @Test(
        "A18: a round trip has its length, parked before and after or not",
        arguments: Setting.all,
        [Int64(5), 10, 30]
    )
    func roundTrip(setting: Setting, every: Int64) throws {
        let corners = [(52.0, 13.0), (52.0045, 13.0), (52.0045, 13.0073), (52.0, 13.0073), (52.0, 13.0)]
        for isParked in [false, true] {
            var tape = Tape()
            if isParked { tape.park("08:00", 52, 13, 9) }
            let steps = 240 / Int(every)
            for step in 0...steps {
                let along = Double(step) / Double(steps) * 4
                let side = min(3, Int(along))
                let (from, to, share) = (corners[side], corners[side + 1], along - Double(side))
                tape.row(
                    Tape.time("08:10") + Int64(step) * every * 1000,
                    from.0 + (to.0 - from.0) * share,
                    from.1 + (to.1 - from.1) * share,
                    kmh: 30
                )
            }
            if isParked { tape.park("08:15", 52, 13, 10) }
            let derivation = tape.moved(to: setting).derived()
            #expect(derivation.trips.count == 1)
            #expect(isNear(try #require(derivation.trips.first).metres, 2000, within: 0.01))
        }
    }

    @Test("A20: two points three hours apart are covered by exactly one interval", arguments: Setting.all)
    func oneGap(setting: Setting) throws {
        var tape = Tape()
        tape.row(Tape.time("08:00"), 52, 13)
        tape.row(Tape.time("11:10"), 52.5396, 13)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.intervals.count == 1)
        let gap = try #require(derivation.gaps.first)
        #expect(gap.begin == Tape.time("08:00") + setting.later && gap.end == Tape.time("11:10") + setting.later)
        #expect(gap.reason == .silence)
    }

    @Test("A25: the trip is the aggregate of its positions, with late ones and without")
    func aggregate() throws {
        var tape = Tape()
        tape.park("08:00", 52, 13, 5)
        tape.drive("08:06", 52, 13, 20)
        tape.park("08:18", 52.099, 13, 10)
        tape.row(Tape.time("08:16:30"), 52.0945, 13, kmh: 60, ignition: true)
        tape.row(Tape.time("08:17:00"), 52.099, 13, kmh: 0, ignition: true)
        let whole = try #require(tape.derived().trips.first)
        #expect(isNear(whole.metres, 11_008))
        #expect(whole.end >= Tape.time("08:17:00") && whole.end <= Tape.time("08:18:00"))
        tape.positions.removeAll { $0.fixTime == Tape.time("08:10:30") }
        let without = try #require(tape.derived().trips.first)
        #expect(isNear(without.metres, 11_008))
        #expect(without.positionCount == whole.positionCount - 1)
    }

    @Test("A26: standing with the engine on is a stop that idles", arguments: [true, false])
    func idling(ignition: Bool) throws {
        var tape = Tape()
        tape.drive("08:06", 52, 13, 10)
        for index in 0..<13 {
            tape.row(Tape.time("08:11:30") + Int64(index) * 60_000, 52.045, 13, kmh: 0, ignition: ignition)
        }
        tape.drive("08:24", 52.045, 13, 10)
        let derivation = tape.derived()
        #expect(derivation.trips.count == 2)
        let stop = try #require(derivation.stops.first)
        #expect(stop.departure - stop.arrival == 780_000)
        #expect(stop.idle == (ignition ? 720_000 : 0))
    }

    @Test("A27: a traffic jam is one trip", arguments: Setting.all, [Int64(5), 10])
    func trafficJam(setting: Setting, every: Int64) {
        var tape = Tape()
        var metres = 0.0
        for second in stride(from: Int64(0), through: 2400, by: Int(every)) {
            let kmh = second % 70 < 50 ? 0.0 : 8.0
            tape.row(Tape.time("08:00") + second * 1000, 52 + metres / 111_195.08, 13, kmh: kmh, ignition: true)
            metres += kmh / 3.6 * Double(every)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 1)
        #expect(derivation.stops.allSatisfy { $0.flags.contains(.edge) })
    }

    @Test("A30: an odometer that stands still does not make the trip 0 km")
    func stuckOdometer() throws {
        var tape = Tape.base
        for index in tape.positions.indices { tape.positions[index].odometer = 9650 }
        let trip = try #require(tape.derived().trips.first)
        #expect(trip.end >= trip.begin)
        #expect(trip.flags.contains(.odometerStuck))
        #expect(trip.distanceSource == .positions)
        #expect(trip.odometerDistance == 0)
        #expect(isNear(trip.metres, 10_008))
    }
}
