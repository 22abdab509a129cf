import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Gazetteer

@Suite("Extracts as they are published", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))
struct ExtractAccuracyTests {
    /// An extract with the addresses that it is known to hold on nodes, ways and relations.
    struct Extract: Sendable, CustomTestStringConvertible {
        var name: String
        var nodes: Int
        var ways: Int
        var relations: Int
        var rounds: Int
        var testDescription: String { name }
    }

    static let extracts = [
        Extract(name: "liechtenstein-2024", nodes: 299, ways: 12_198, relations: 16, rounds: 100),
        Extract(name: "helsinki-2019", nodes: 1_377, ways: 87, relations: 6, rounds: 1000),
        // Two of the 154 relations have no way within the extract.
        Extract(name: "moscow-clip-2020", nodes: 52, ways: 463, relations: 152, rounds: 1000),
        Extract(name: "monaco-2026", nodes: 245, ways: 208, relations: 7, rounds: 1000),
    ]

    @Test(
        "Every address is taken, found at its point, found as brute force finds it, and right under jitter",
        arguments: extracts
    )
    func extract(_ extract: Extract) throws {
        let folder = try TemporaryFolder()
        var configuration = ExtractImport.Configuration()
        configuration.towns = try TownIndex(path: TownsFile.path)
        let path = SharedData.url("osm/\(extract.name).osm.pbf").path
        let output = folder.path(ExtractImport.indexName(forExtract: path))
        let summary = try ExtractImport(configuration).run(extract: path, output: output)
        let index = try ExtractIndex(path: output)
        try index.file.verify()
        #expect(summary.counts.addressNodes == extract.nodes)
        #expect(summary.counts.addressWays == extract.ways)
        #expect(summary.counts.addressRelations == extract.relations)
        #expect(index.addressCount == extract.nodes + extract.ways + extract.relations)
        #expect(Double(index.sizes.addresses) / Double(index.addressCount) <= 12)
        let all = try BruteForce(index)
        try expectSelfLookups(all, extract)
        try expectSameAsBruteForce(all, extract)
        try expectRightUnderJitter(all, extract)
    }

    /// At least 99.5 % of the addresses that share their point with no other.
    private func expectSelfLookups(_ all: BruteForce, _ extract: Extract) throws {
        var places: [Coordinate: Int] = [:]
        for row in all.rows { places[row.place, default: 0] += 1 }
        var (right, asked) = (0, 0)
        for row in all.rows where places[row.place] == 1 {
            asked += 1
            guard case .house(let house) = try all.index.rule(at: row.place).choice else { continue }
            if house.street == row.street, house.number == row.number { right += 1 }
        }
        print("\(extract.name): self-lookup \(right) of \(asked), \(all.rows.count - asked) share their point")
        #expect(Double(right) >= 0.995 * Double(asked))
    }

    private func expectSameAsBruteForce(_ all: BruteForce, _ extract: Extract) throws {
        var random = SplitMix64(seed: 5)
        for round in 0..<min(extract.rounds / 4, 150) {
            let row = all.rows[Int(random.next() % UInt64(all.rows.count))]
            let point = random.scattered(row.place, metres: [5, 20, 60, 200][round % 4])
            let found = BruteForce.text(try all.index.rule(at: point).choice)
            #expect(try all.verdict(at: point) == found, "at \(point.latitude), \(point.longitude)")
        }
    }

    /// The street is right in at most one point less than the nearest address point gives, for errors of 5, 8 and 15 m
    /// along each axis; the allowance grows with the chance of so few rounds.
    private func expectRightUnderJitter(_ all: BruteForce, _ extract: Extract) throws {
        func street(_ number: Int) throws -> Int { try all.index.street(number).name }
        var random = SplitMix64(seed: 9)
        for sigma in [5.0, 8, 15] {
            var (right, byBrute) = (0, 0)
            for _ in 0..<extract.rounds {
                let row = all.rows[Int(random.next() % UInt64(all.rows.count))]
                let point = random.scattered(row.place, metres: sigma)
                let wanted = try street(row.street)
                if let nearest = all.nearestRow(to: point), try street(nearest.street) == wanted { byBrute += 1 }
                switch try all.index.rule(at: point).choice {
                case .house(let house), .interpolated(let house):
                    if try street(house.street) == wanted { right += 1 }
                case .street(let found): if try street(found.street) == wanted { right += 1 }
                case .nothing: break
                }
            }
            print("\(extract.name), \(Int(sigma)) m: street \(right), nearest address \(byBrute) of \(extract.rounds)")
            #expect(Double(right) >= Double(byBrute) - 0.01 * Double(extract.rounds) - 1)
        }
    }
}

extension SplitMix64 {
    /// A place moved by a normal error of so many metres along each axis.
    mutating func scattered(_ place: Coordinate, metres: Double) -> Coordinate {
        let north = gaussian() * metres / 111_195
        let east = gaussian() * metres / 111_195 / max(cos(place.latitude * .pi / 180), 1e-9)
        var longitude = place.longitude + east
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        let moved = Coordinate(
            latitude: min(max(place.latitude + north, -90), 90),
            longitude: min(max(longitude, -180), 180)
        )
        return moved ?? place
    }
}
