import Telemetry
import TestSupport
import Testing
import TripDetection

/// Tracks on which a careless detector would take a time that grows with the square of their length.
@Suite("Hostile tracks cost no more than others")
struct HostileTrackTests {
    enum Kind: CaseIterable {
        case zeros, twoDevices, wildNoise, creeping, jumping, sameInstant, pole, circling
    }

    @Test("A hundred thousand positions are derived at once", .timeLimit(.minutes(2)), arguments: Kind.allCases)
    func hundredThousand(kind: Kind) {
        var random = SeededGenerator(seed: 1)
        var tape = Tape()
        let origin = Tape.coordinate(52, 13)
        for index in 0..<100_000 {
            let time = Tape.day + Int64(index) * 1000
            let place: Coordinate =
                switch kind {
                case .zeros: index == 0 ? origin : Tape.coordinate(0, 0)
                case .twoDevices: index % 2 == 0 ? origin : Tape.coordinate(-33, 151)
                case .wildNoise: origin.moved(north: random.gaussian() * 60, east: random.gaussian() * 60)
                case .creeping: origin.moved(north: Double(index) * 0.2, east: random.gaussian() * 5)
                case .jumping: Tape.coordinate(random.unit() * 160 - 80, random.unit() * 360 - 180)
                case .sameInstant: origin.moved(north: Double(index % 100), east: 0)
                case .pole: Tape.coordinate(89.99999 - random.unit() * 1e-4, random.unit() * 360 - 180)
                case .circling: Tape.coordinate(60, Double((index * 7) % 3600) / 10 - 180)
                }
            let instant = kind == .sameInstant ? Tape.day + Int64(index / 100) * 1000 : time
            tape.positions.append(Position(fixTime: instant, coordinate: place))
        }
        let derivation = TripDetector(settings: DetectionSettings()).derive(tape.track, asOf: .latest)
        #expect(derivation.tiles)
        #expect(!derivation.intervals.isEmpty)
        #expect(derivation.setAside.count < tape.positions.count)
    }
}
