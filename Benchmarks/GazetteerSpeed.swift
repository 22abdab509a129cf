import Foundation
import Gazetteer
import Telemetry

/// Figures of the offline gazetteer: towns of the world, and extracts of OpenStreetMap.
enum GazetteerSpeed {
    /// Time of opening an index and of the first lookup, in a process that has done nothing else.
    static func measureFirst(_ path: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let file = try IndexFile(path: path)
        let source: any AnswerSource = file.kind == .towns ? try TownIndex(path: path) : try ExtractIndex(path: path)
        let opened = clock.now
        let place: Coordinate
        if let extract = source as? ExtractIndex {
            place = Coordinate(
                latitudeE7: (extract.southWest.latitudeE7 + extract.northEast.latitudeE7) / 2,
                longitudeE7: (extract.southWest.longitudeE7 + extract.northEast.longitudeE7) / 2
            )
        } else {
            place = Coordinate(latitudeE7: 602_252_000, longitudeE7: 246_922_000)
        }
        let answer = try source.answer(at: place, language: "en", level: .house)
        let answered = clock.now
        print("open \(text(opened - start)), first lookup \(text(answered - opened)): \(answer?.line ?? "nothing")")
    }

    /// Lookups near the towns of the world, evenly spread over them.
    static func measureTowns(_ path: String) throws {
        let index = try TownIndex(path: path)
        var random = SystemRandom(seed: 1)
        // Places where people are: around the towns that random points of the land find.
        var places: [Coordinate] = []
        while places.count < 2_000 {
            let latitude = asin(random.unit() * 2 - 1) * 180 / .pi
            guard let point = Coordinate(latitude: latitude, longitude: random.unit() * 360 - 180),
                let answer = try index.answer(at: point, language: "en", level: .place)
            else { continue }
            places.append(answer.point)
        }
        let points = places.map { random.scattered($0, metres: 8_000) }
        try measure("towns", index, points)
    }

    /// Imports an extract, says what it takes, and looks up points around its addresses.
    static func measureExtract(_ path: String, towns: TownIndex?, folder: URL) throws {
        let clock = ContinuousClock()
        var configuration = ExtractImport.Configuration()
        configuration.towns = towns
        let output = folder.appending(path: ExtractImport.indexName(forExtract: path)).path
        let start = clock.now
        let summary = try ExtractImport(configuration).run(extract: path, output: output)
        let took = clock.now - start
        let index = try ExtractIndex(path: output)
        let sizes = index.sizes
        let counts = summary.counts
        print(
            """
            \(index.file.info["name"] ?? ""): imported in \(text(took)), peak \(peakMegabytes()) MB; index \(summary.size) bytes
              \(counts.addressNodes) nodes, \(counts.addressWays) ways, \(counts.addressRelations) relations with an \
            address; \(counts.outlines) outlines, \(counts.streetSegments) segments, \(counts.areas) areas \
            (\(counts.brokenAreas) broken), \(counts.settlements) settlements, \(counts.interpolationLines) interpolations
              address points \(sizes.addresses) bytes = \
            \(String(format: "%.1f", Double(sizes.addresses) / Double(max(index.addressCount, 1)))) an address, \
            outlines \(sizes.outlines), streets \(sizes.lines)
            """
        )
        var random = SystemRandom(seed: 2)
        let all = try index.addressPoints()
        guard !all.isEmpty else { return }
        let points = (0..<20_000).map { _ in
            random.scattered(all[Int(random.next() % UInt64(all.count))].place, metres: 8)
        }
        try measure("  8 m", index, points)
        let far = (0..<20_000).map { _ in
            random.scattered(all[Int(random.next() % UInt64(all.count))].place, metres: 60)
        }
        try measure("  60 m", index, far)
        for metres in [5.0, 8, 15] { try measureJitter(index, all, metres: metres, &random) }
    }

    /// How often street and house are right for points with an error, beside what the nearest address point gives.
    private static func measureJitter(
        _ index: ExtractIndex,
        _ all: [ExtractIndex.AddressPoint],
        metres: Double,
        _ random: inout SystemRandom
    ) throws {
        let count = 4_000
        var (street, house, nearestStreet, nearestHouse) = (0, 0, 0, 0)
        for _ in 0..<count {
            let truth = all[Int(random.next() % UInt64(all.count))]
            let point = random.scattered(truth.place, metres: metres)
            let answer = try index.answer(at: point, language: "", level: .house)
            if answer?.street ?? "" == truth.street {
                street += 1
                if answer?.house == truth.house { house += 1 }
            }
            let nearest = all.min { $0.place.distance(to: point) < $1.place.distance(to: point) } ?? truth
            if nearest.street == truth.street {
                nearestStreet += 1
                if nearest.house == truth.house { nearestHouse += 1 }
            }
        }
        func percent(_ part: Int) -> String { String(format: "%.1f %%", 100 * Double(part) / Double(count)) }
        print(
            "  sigma \(Int(metres)) m: street \(percent(street)), house \(percent(house)); nearest address point: "
                + "street \(percent(nearestStreet)), house \(percent(nearestHouse))"
        )
    }

    private static func measure(_ name: String, _ source: some AnswerSource, _ points: [Coordinate]) throws {
        let clock = ContinuousClock()
        var found = 0
        for point in points where try source.answer(at: point, language: "en", level: .house) != nil { found += 1 }
        let start = clock.now
        for point in points { _ = try source.answer(at: point, language: "en", level: .house) }
        let rate = Double(points.count) / seconds(clock.now - start)
        var times: [Double] = []
        for point in points {
            let before = clock.now
            _ = try source.answer(at: point, language: "en", level: .house)
            times.append(seconds(clock.now - before) * 1e6)
        }
        times.sort()
        let line = String(
            format: "%.0f lookups/s, p50 %.2f us, p99 %.2f us",
            rate,
            times[times.count / 2],
            times[times.count * 99 / 100]
        )
        print("\(name): \(line), \(found) of \(points.count) answered")
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }

    private static func text(_ duration: Duration) -> String { String(format: "%.2f ms", seconds(duration) * 1e3) }

    /// The most memory that the process has held, from the kernel's own count.
    private static func peakMegabytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Int($0) }.map { $0 / 1024 }
            ?? 0
    }
}

/// A seeded source of chance, the same on every run.
private struct SystemRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// A place moved by a normal error of so many metres along each axis.
    mutating func scattered(_ place: Coordinate, metres: Double) -> Coordinate {
        let radius = (-2 * log(max(unit(), 1e-300))).squareRoot() * metres / 111_195
        let angle = 2 * .pi * unit()
        let latitude = min(max(place.latitude + radius * cos(angle), -90), 90)
        let longitude = place.longitude + radius * sin(angle) / max(cos(latitude * .pi / 180), 1e-6)
        return Coordinate(latitude: latitude, longitude: min(max(longitude, -180), 180)) ?? place
    }
}
