import Telemetry
import TestSupport
import Testing
import TripDetection

@Suite("Trips depend only on the positions")
struct PropertyTests {
    private let detector = TripDetector(settings: DetectionSettings())
    private static let seeds = UInt64(1)...UInt64(Repetitions.count(40, long: 3000))

    @Test("Intervals tile the time from the first used position to the last")
    func tiling() {
        for seed in PropertyTests.seeds {
            let track = Tape.dirty(seed: seed).track
            let derivation = detector.derive(track, asOf: .latest)
            #expect(derivation.tiles, "seed \(seed)")
            let aside = Set(derivation.setAside.map(\.key))
            #expect(aside.count == derivation.setAside.count, "seed \(seed)")
            let used = track.filter { !aside.contains($0.key) }
            #expect(derivation.intervals.first?.begin == used.first?.fixTime, "seed \(seed)")
            #expect(derivation.intervals.last?.end == used.last?.fixTime, "seed \(seed)")
            for trip in derivation.trips {
                #expect(trip.end - trip.begin >= 60_000 && trip.positionDistance >= 200_000, "seed \(seed)")
                #expect(trip.moving <= trip.end - trip.begin && trip.idle ?? 0 <= trip.end - trip.begin, "seed \(seed)")
            }
        }
    }

    @Test("A derivation that resumes gives what a derivation of everything gives")
    func resuming() {
        for seed in PropertyTests.seeds {
            let track = Tape.dirty(seed: seed, pieces: 12).track
            let whole = detector.derive(track, asOf: .latest)
            for resumption in whole.resumptions {
                let tail = track.filter { $0.fixTime >= resumption.from }
                let resumed = detector.derive(tail, asOf: .latest, resuming: resumption)
                let from = resumption.intervalBegin
                #expect(resumed.intervals == whole.intervals.filter { $0.begin >= from }, "seed \(seed)")
                #expect(
                    resumed.setAside == whole.setAside.filter { $0.key.fixTime >= resumption.from },
                    "seed \(seed)"
                )
                #expect(resumed.resumptions == whole.resumptions.filter { $0.from > resumption.from }, "seed \(seed)")
                #expect(Resumption(bytes: resumption.bytes) == resumption, "seed \(seed)")
            }
        }
    }

    @Test("A vehicle that circles the pole resumes as any other, stopped at the antimeridian too", arguments: [1, -1])
    func circling(direction: Int) {
        var tape = Tape()
        var time = Tape.day
        for turn in 0..<6 {
            for step in 0..<360 {
                time = time + 60_000
                let east = (180 + direction * step) % 360
                tape.row(time, 89.5, Double(east > 180 ? east - 360 : east))
            }
            for _ in 0..<15 {
                time = time + 60_000
                tape.row(time, 89.5, turn % 2 == 0 ? 180 : -180)
            }
        }
        let whole = detector.derive(tape.track, asOf: .latest)
        #expect(whole.trips.count == 6 && whole.resumptions.count >= 5)
        for resumption in whole.resumptions {
            let tail = tape.track.filter { $0.fixTime >= resumption.from }
            let read = Resumption(bytes: resumption.bytes)
            let resumed = detector.derive(tail, asOf: .latest, resuming: read)
            #expect(resumed.intervals == whole.intervals.filter { $0.begin >= resumption.intervalBegin })
            #expect(resumed.resumptions == whole.resumptions.filter { $0.from > resumption.from })
        }
    }

    @Test("The made-up vehicles have what the properties are about")
    func properties() {
        var counts = (trips: 0, stops: 0, gaps: 0, resumptions: 0)
        var reasons: Set<SetAside.Reason> = []
        for seed in PropertyTests.seeds {
            let derivation = detector.derive(Tape.dirty(seed: seed, pieces: 12).track, asOf: .latest)
            counts.trips += derivation.trips.count
            counts.stops += derivation.stops.count
            counts.gaps += derivation.gaps.count
            counts.resumptions += derivation.resumptions.count
            reasons.formUnion(derivation.setAside.map(\.reason))
        }
        #expect(counts.trips > 80 && counts.stops > 100 && counts.gaps > 20 && counts.resumptions > 100)
        #expect(reasons == Set(SetAside.Reason.allCases))
    }

    @Test("A resumption depends on nothing that comes after it")
    func resumptionsAreSettled() {
        for seed in PropertyTests.seeds {
            let track = Tape.dirty(seed: seed, pieces: 12).track
            let whole = detector.derive(track, asOf: .latest)
            for resumption in whole.resumptions {
                let prefix = detector.derive(track.filter { $0.fixTime < resumption.from }, asOf: .earliest)
                #expect(prefix.resumptions == whole.resumptions.filter { $0.from <= resumption.from }, "seed \(seed)")
                let before = whole.intervals.filter { $0.begin < resumption.intervalBegin }
                #expect(Array(prefix.intervals.prefix(before.count)) == before, "seed \(seed)")
                #expect(before.allSatisfy { $0.isFinal }, "seed \(seed)")
            }
        }
    }

    @Test("What is final while the vehicle reports does not change when later positions come")
    func finalStays() {
        for seed in PropertyTests.seeds {
            let track = Tape.dirty(seed: seed).track
            var random = SeededGenerator(seed: seed)
            let whole = detector.derive(track, asOf: .latest)
            for _ in 0..<10 {
                let last = track[Int.random(in: 0..<track.count, using: &random)].fixTime
                // As-of long ago: nothing is final for being quiet, which later positions may revise.
                let derivation = detector.derive(track.filter { $0.fixTime <= last }, asOf: .earliest)
                let final = derivation.intervals.filter(\.isFinal)
                #expect(Array(whole.intervals.prefix(final.count)) == final, "seed \(seed)")
            }
        }
    }

    @Test("Any order of arrival, in any batches, with restarts between, gives the same")
    func order() {
        let orders = Repetitions.count(120, long: 4000)
        for seed in UInt64(1)...UInt64(orders) {
            let tape = Tape.dirty(seed: seed % 97, pieces: 6)
            let expected = detector.derive(tape.track, asOf: .latest)
            var random = SeededGenerator(seed: seed)
            var model = FoldingModel(detector: detector)
            for batch in Arrival.batches(of: tape.positions, &random) {
                model.fold(batch, asOf: .latest)
                if random.chance(0.1) { model.restart() }
            }
            #expect(model.intervals == expected.intervals, "seed \(seed)")
            #expect(model.setAside == expected.setAside, "seed \(seed)")
            #expect(model.resumptions == expected.resumptions, "seed \(seed)")
        }
    }

    @Test("Live positions cost their tail, not the history")
    func costOfTheTail() {
        var tape = Tape()
        for day in 0..<5 {
            for trip in 0..<4 {
                let hour = day * 24 + 6 + trip * 3
                tape.drive("\(hour):00", 52, 13, 20, latitudeStep: trip % 2 == 0 ? 0.0045 : 0)
                tape.park("\(hour):11", trip % 2 == 0 ? 52.09 : 52, 13, 160)
            }
        }
        var model = FoldingModel(detector: detector)
        for position in tape.track { model.fold([position], asOf: .latest) }
        #expect(model.intervals == detector.derive(tape.track, asOf: .latest).intervals)
        #expect(model.read < 120 * tape.positions.count)
    }
}

/// Orders in which positions may arrive.
enum Arrival {
    static func batches(of positions: [Position], _ random: inout SeededGenerator) -> [[Position]] {
        var order = positions
        switch random.next(upperBound: UInt64(6)) {
        case 0: order.shuffle(using: &random)
        case 1: order.reverse()
        case 2: order = Array(order[(order.count / 2)...] + order[..<(order.count / 2)])
        case 3: order.sort { $0.key < $1.key }
        case 4:
            // Late by up to 200 rows.
            let keys = order.indices.map { Double($0) + 200 * random.unit() }
            order = order.indices.sorted { keys[$0] < keys[$1] }.map { order[$0] }
        default: order += order.shuffled(using: &random).prefix(50)
        }
        let largest = [1, 5, 50, 500].randomElement(using: &random) ?? 50
        var batches: [[Position]] = []
        var rest = order[...]
        // One by one only at the end, so that long tracks do not take for ever.
        if largest == 1 {
            batches.append(Array(rest.prefix(max(0, rest.count - 60))))
            rest = rest.dropFirst(max(0, rest.count - 60))
        }
        while !rest.isEmpty {
            let count = Int.random(in: 1...largest, using: &random)
            batches.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return batches
    }
}
