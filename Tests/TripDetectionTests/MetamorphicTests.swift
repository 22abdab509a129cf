import Telemetry
import TestSupport
import Testing
import TripDetection

/// What must stay when the input is changed in a way that the world would not notice.
@Suite("Changed inputs that must not matter")
struct MetamorphicTests {
    private static let seeds = UInt64(1)...UInt64(Repetitions.count(30, long: 2000))
    private let detector = TripDetector(settings: DetectionSettings())

    /// Without zeros, whose plausibility depends on where on Earth the vehicle is.
    private func tape(_ seed: UInt64) -> Tape {
        var tape = Tape.dirty(seed: seed)
        tape.positions.removeAll { $0.coordinate.isZero }
        return tape
    }

    private func derive(_ tape: Tape) -> Derivation { detector.derive(tape.track, asOf: .latest) }

    @Test("Headings, received times, attributes, altitudes and satellites change nothing")
    func ignoredFields() {
        for seed in MetamorphicTests.seeds {
            var tape = tape(seed)
            let expected = derive(tape)
            for index in tape.positions.indices {
                tape.positions[index].heading = Double(index % 360)
                tape.positions[index].receivedTime = Tape.day + Int64(index)
                tape.positions[index].attributes = UInt64(index)
                tape.positions[index].altitude = 100
                tape.positions[index].satelliteCount = 7
            }
            let changed = derive(tape)
            #expect(changed.intervals == expected.intervals, "seed \(seed)")
            #expect(changed.setAside == expected.setAside, "seed \(seed)")
        }
    }

    @Test("A week later everything is the same, a week later")
    func weekLater() {
        let setting = Setting.weekLater
        for seed in MetamorphicTests.seeds {
            let (here, there) = (derive(tape(seed)), derive(tape(seed).moved(to: setting)))
            #expect(here.intervals.map(\.figures) == there.intervals.map(\.figures), "seed \(seed)")
            #expect(here.intervals.map { $0.begin + setting.later } == there.intervals.map(\.begin), "seed \(seed)")
            #expect(here.intervals.map { $0.end + setting.later } == there.intervals.map(\.end), "seed \(seed)")
            #expect(here.setAside.map(\.reason) == there.setAside.map(\.reason), "seed \(seed)")
        }
    }

    /// Kinds, times, counts and flags stay; rounded means may differ by 1e-7 degrees and lengths by a thousandth.
    @Test(
        "Elsewhere on Earth at the same distance from the equator, all times and kinds stay",
        arguments: Setting.all.dropFirst()
    )
    func elsewhere(setting: Setting) {
        for seed in MetamorphicTests.seeds {
            // Two places of one instant may be chosen otherwise: the last tie-break is by coordinates.
            var tape = tape(seed)
            var seen: Set<Timestamp> = []
            tape.positions.removeAll { !seen.insert($0.fixTime).inserted }
            let (here, there) = (derive(tape), derive(tape.moved(to: setting)))
            #expect(here.intervals.map { $0.begin + setting.later } == there.intervals.map(\.begin), "seed \(seed)")
            #expect(here.intervals.map(\.figures.kind) == there.intervals.map(\.figures.kind), "seed \(seed)")
            #expect(here.setAside.map(\.reason) == there.setAside.map(\.reason), "seed \(seed)")
            for (one, other) in zip(here.trips, there.trips) {
                #expect(one.positionCount == other.positionCount && one.flags == other.flags, "seed \(seed)")
                #expect((one.positionDistance - other.positionDistance).magnitude <= 1000, "seed \(seed)")
            }
        }
    }

    @Test("Every second position gives the same trips, with boundaries as much coarser")
    func everySecond() {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            var tape = Tape()
            var (time, latitude) = (Tape.day, 52.0)
            for _ in 0..<5 {
                let (legs, rest) = (Int.random(in: 60...200, using: &random), Int.random(in: 60...300, using: &random))
                for _ in 0..<legs {
                    time = time + 10_000
                    latitude += 0.001
                    tape.row(time, latitude, 13)
                }
                for _ in 0..<rest {
                    time = time + 10_000
                    tape.row(time, latitude + random.gaussian() * 3e-5, 13)
                }
            }
            var half = tape
            half.positions = tape.positions.indices.filter { $0 % 2 == 0 }.map { tape.positions[$0] }
            let (full, thinned) = (tape.derived(), half.derived())
            #expect(full.trips.count == 5 && thinned.trips.count == 5, "seed \(seed)")
            for (one, other) in zip(full.trips, thinned.trips) {
                #expect((one.begin - other.begin).magnitude <= 20_000, "seed \(seed)")
                #expect((one.end - other.end).magnitude <= 20_000, "seed \(seed)")
                #expect(isNear(Double(one.distance), Double(other.distance), within: 0.03), "seed \(seed)")
            }
        }
    }
}

extension Interval {
    /// An interval without its times and points.
    struct Figures: Equatable {
        var kind: String
        var numbers: [Int64]
    }

    var figures: Figures {
        switch self {
        case .trip(let trip):
            Figures(
                kind: "trip \(trip.beginReason) \(trip.endReason) \(trip.flags.rawValue)",
                numbers: [
                    trip.positionDistance, trip.odometerDistance ?? -1, trip.moving, trip.idle ?? -1,
                    Int64(trip.highestSpeed), Int64(trip.positionCount), trip.largestHole,
                ]
            )
        case .stop(let stop):
            Figures(kind: "stop \(stop.flags.rawValue)", numbers: [stop.idle ?? -1, Int64(stop.positionCount)])
        case .gap(let gap):
            Figures(kind: "gap \(gap.reason)", numbers: [])
        }
    }
}
