import Telemetry

extension Tape {
    /// Some hours of a made-up vehicle with all the dirt of the field, in time order but for what is dirty about it.
    ///
    /// Drives, red lights, jams, parking and silence; noise and drift; no fix, bad accuracy, zeros, jumps to other
    /// places, two places in one instant, repeats, odometers that are reset, fields that come and go.
    package static func dirty(seed: UInt64, pieces: Int = 8) -> Tape {
        var random = SeededGenerator(seed: seed)
        var writer = DirtyWriter(random: &random)
        for _ in 0..<pieces { writer.addPiece(&random) }
        writer.soil(&random)
        return writer.tape
    }
}

private struct DirtyWriter {
    var tape = Tape()
    var time = Tape.day
    var north = 0.0
    var east = 0.0
    var odometer: Double
    let origin: Coordinate
    let noise: Double
    let interval: Int64
    let sendsSpeed: Bool
    let sendsIgnition: Bool
    let sendsOdometer: Bool

    init(random: inout SeededGenerator) {
        let latitudes = [0.0, 52, -33.8, 69.9, -0.0001]
        let longitudes = [0.0, 13, 179.99, -179.995, -70]
        origin = Tape.coordinate(
            latitudes.randomElement(using: &random) ?? 0,
            longitudes.randomElement(using: &random) ?? 0
        )
        noise = [0, 3, 8, 20].randomElement(using: &random) ?? 0
        interval = [1000, 5000, 30_000, 60_000, 120_000].randomElement(using: &random) ?? 30_000
        sendsSpeed = random.chance(0.6)
        sendsIgnition = random.chance(0.6)
        sendsOdometer = random.chance(0.4)
        odometer = random.unit() * 200_000
    }

    mutating func row(_ random: inout SeededGenerator, speed: Double, ignition: Bool) {
        let place = origin.moved(north: north + random.gaussian() * noise, east: east + random.gaussian() * noise)
        var position = Position(fixTime: time, coordinate: place)
        if sendsSpeed, random.chance(0.98) { position.speed = speed }
        if sendsIgnition, random.chance(0.98) { position.ignition = ignition }
        if sendsOdometer, random.chance(0.95) { position.odometer = odometer }
        if random.chance(0.3) { position.accuracy = 3 + 20 * random.unit() }
        tape.positions.append(position)
    }

    mutating func addPiece(_ random: inout SeededGenerator) {
        switch random.next(upperBound: UInt64(10)) {
        case 0...3: move(&random, seconds: 60 + Int64(random.unit() * 1200), speed: 5 + 25 * random.unit())
        case 4...6: stand(&random, seconds: 60 + Int64(random.unit() * 6000))
        case 7: move(&random, seconds: 120 + Int64(random.unit() * 900), speed: 0.3 + 1.5 * random.unit())
        case 8: stand(&random, seconds: 20 + Int64(random.unit() * 300))
        default: fallSilent(&random)
        }
    }

    private mutating func move(_ random: inout SeededGenerator, seconds: Int64, speed: Double) {
        let heading = random.unit() * 2 * Double.pi
        let step = speed * Double(interval) / 1000
        for _ in 0..<max(1, min(200, seconds * 1000 / interval)) {
            time = time + interval
            north += step * (heading < Double.pi ? 1 : -0.7)
            east += step * (heading / Double.pi - 1) * 0.5
            odometer += step
            row(&random, speed: speed, ignition: true)
        }
    }

    private mutating func stand(_ random: inout SeededGenerator, seconds: Int64) {
        let pause = random.chance(0.5) ? interval : max(interval, 60_000)
        let ignition = random.chance(0.3)
        for _ in 0..<max(1, min(200, seconds * 1000 / pause)) {
            time = time + pause
            row(&random, speed: random.chance(0.1) ? 2 * random.unit() : 0, ignition: ignition)
        }
    }

    private mutating func fallSilent(_ random: inout SeededGenerator) {
        time = time + Int64(random.unit() * 4 * 3_600_000)
        if random.chance(0.5) {
            north += random.gaussian() * 3000
            east += random.gaussian() * 3000
        } else {
            north += random.gaussian() * 40
        }
        row(&random, speed: 0, ignition: false)
    }

    /// Adds what no careful device would send.
    mutating func soil(_ random: inout SeededGenerator) {
        for row in tape.positions where random.chance(0.06) {
            var bad = row
            bad.fixTime = bad.fixTime + Int64(random.unit() * Double(interval))
            switch random.next(upperBound: UInt64(8)) {
            case 0: bad.fields.insert(.invalidFix)
            case 1: bad.accuracy = 100 + 2000 * random.unit()
            case 2: bad.coordinate = Tape.coordinate(0, 0)
            case 3...4: bad.coordinate = bad.coordinate.moved(north: random.gaussian() * 20_000, east: 3000)
            case 5:
                bad = row
                bad.coordinate = bad.coordinate.moved(north: random.gaussian() * 20, east: 5)
            case 6:
                bad = row
                bad.odometer = random.unit() * 1000
            default: bad = row
            }
            tape.positions.append(bad)
        }
        guard random.chance(0.2), let end = tape.positions.last else { return }
        // A burst at a wrong place, too long to be dropped as outliers.
        for index in 0..<5 {
            var bad = end
            bad.fixTime = bad.fixTime + Int64(index) * 1000
            bad.coordinate = origin.moved(north: 80_000 + 10 * Double(index), east: 0)
            tape.positions.append(bad)
        }
    }
}
