import Telemetry
import TestSupport
import Testing
import TripDetection

/// Coordinates, odometers and attributes: lines of FAULTS groups C and D.
@Suite("Faults C and D: coordinates, odometer")
struct FaultsCDTests {
    @Test("C1: a row of zeros is set aside", arguments: Setting.all)
    func rowOfZeros(setting: Setting) throws {
        var tape = Tape.base
        tape.row(Tape.time("08:10:15"), 0, 0)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 1)
        #expect(isNear(try #require(derivation.trips.first).metres, 10_008))
        #expect(derivation.setAside.map(\.reason) == [.zeroCoordinates])
    }

    @Test("C1: a drive that truly crosses zero uses all its rows")
    func crossesZero() throws {
        for latitudeStep in [0.0045, -0.0045] {
            var tape = Tape()
            tape.drive("08:00", -10 * latitudeStep, 0, 20, latitudeStep: latitudeStep)
            let derivation = tape.derived()
            #expect(tape.positions.filter(\.coordinate.isZero).count == 1)
            #expect(derivation.setAside.isEmpty)
            #expect(try #require(derivation.trips.first).positionCount == 21)
        }
    }

    @Test("C1: zeros all night are set aside, however long", arguments: Setting.all, [1, 4, 48])
    func zerosAtNight(setting: Setting, hoursLater: Int) {
        var tape = Tape.base
        let night = Tape.time("08:27") + Int64(hoursLater) * 3_600_000
        for minute in 0..<60 { tape.row(night + Int64(minute) * 60_000, 0, 0) }
        let moved = tape.moved(to: setting)
        let derivation = moved.derived()
        #expect(derivation.setAside.filter { $0.reason == .zeroCoordinates }.count == 60)
        #expect(derivation.intervals == Tape.base.moved(to: setting).derived().intervals)
    }

    @Test("C2: rows without a fix are set aside and change nothing")
    func noFix() {
        var tape = Tape.base
        let before = tape.derived()
        for index in 0..<5 {
            var row = Position(fixTime: Tape.time("08:30") + Int64(index) * 60_000, coordinate: Tape.coordinate(0, 0))
            row.fields.insert(.invalidFix)
            tape.positions.append(row)
        }
        let derivation = tape.derived()
        #expect(derivation.intervals == before.intervals)
        #expect(derivation.setAside.map(\.reason) == Array(repeating: .noFix, count: 5))
    }

    @Test("C3: two kilometres across the antimeridian are two kilometres")
    func antimeridian() throws {
        var tape = Tape()
        tape.row(Tape.time("08:00"), -16.8, 179.99)
        tape.row(Tape.time("08:02"), -16.8, -179.99)
        let trip = try #require(tape.derived().trips.first)
        #expect(isNear(trip.metres, 2129))
        #expect(isNear(Double(trip.highestSpeed) * 0.036, 64, within: 0.01))
        #expect(trip.flags.contains(.lowQuality))
    }

    @Test("C4: impossible coordinates are no coordinates")
    func impossible() {
        #expect(Coordinate(latitude: 91, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: 300) == nil)
        #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: -.infinity) == nil)
    }

    @Test("C5: one or two or three rows at last night's parking are outliers", arguments: Setting.all, 1...3)
    func oldPlace(setting: Setting, count: Int) throws {
        var tape = Tape.base
        for index in 0..<count {
            tape.row(Tape.time("08:11:05") + Int64(index) * 8000, 52.06, 13.175, kmh: 60, ignition: true)
        }
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 1)
        #expect(derivation.setAside.map(\.reason) == Array(repeating: .outlier, count: count))
        #expect(isNear(try #require(derivation.trips.first).metres, 10_008))
    }

    @Test("D1: an odometer that is reset on the way is recognised")
    func odometerReset() throws {
        var tape = Tape.base
        let drive = tape.positions.indices.filter { tape.positions[$0].speed ?? 0 > 1 }
        for (row, index) in drive.enumerated() {
            tape.positions[index].odometer = row <= 8 ? 120_000 + 500 * Double(row) : 500 * Double(row - 9)
        }
        let trip = try #require(tape.derived().trips.first)
        #expect(trip.odometerDistance == 9_500_000)
        #expect(trip.flags.contains(.odometerReset))
        #expect(trip.distanceSource == .positions)
        #expect(isNear(trip.metres, 10_008))
    }

    @Test("D1: an odometer that lives is shown, and both distances are kept")
    func odometerLives() throws {
        var tape = Tape.base
        let drive = tape.positions.indices.filter { tape.positions[$0].speed ?? 0 > 1 }
        for (row, index) in drive.enumerated() { tape.positions[index].odometer = 120_000 + 510 * Double(row) }
        let trip = try #require(tape.derived().trips.first)
        #expect(trip.distanceSource == .odometer)
        #expect(trip.distance == 10_200_000)
        #expect(isNear(Double(trip.positionDistance) / 1000, 10_008))
    }

    @Test("D3: a first fix on another continent adds nothing", arguments: Setting.all)
    func firstFixFarAway(setting: Setting) throws {
        var tape = Tape.base
        tape.row(Tape.time("07:59:00"), -10.9, 13)
        let derivation = tape.moved(to: setting).derived()
        #expect(derivation.trips.count == 1)
        #expect(isNear(try #require(derivation.trips.first).metres, 10_008))
        #expect(derivation.setAside.map(\.reason) == [.outlier])
        #expect(derivation.intervals == Tape.base.moved(to: setting).derived().intervals)
    }
}
