import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Gazetteer

@Suite("Houses and streets of an extract")
struct ExtractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func index(_ composer: ExtractComposer, towns: Bool = false) throws -> ExtractIndex {
        let path = folder.path("town.osm.pbf")
        try Data(composer.file()).write(to: URL(filePath: path))
        var configuration = ExtractImport.Configuration()
        if towns { configuration.towns = try TownIndex(path: TownsFile.path) }
        let output = folder.path("town.gazetteer")
        _ = try ExtractImport(configuration).run(extract: path, output: output)
        return try ExtractIndex(path: output)
    }

    private func answer(
        _ index: ExtractIndex,
        _ latitude: Double,
        _ longitude: Double,
        language: String = "en",
        level: AnswerLevel = .house
    ) throws -> GazetteerAnswer? {
        let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return try index.answer(at: point, language: language, level: level)
    }

    private static func house(_ number: String, _ street: String?) -> [String: String] {
        var tags = ["addr:housenumber": number]
        if let street { tags["addr:street"] = street }
        return tags
    }

    @Test("An address point in a building with another address wins within 3 m, and inside by half of its distance")
    func pointInBuilding() throws {
        var composer = ExtractComposer()
        var tags = Self.house("10", "Long Street")
        tags["building"] = "yes"
        composer.square(50, 10, half: 0.0004, tags)
        _ = composer.node(50.0003, 10.0003, Self.house("12", "Long Street"))
        let index = try index(composer)
        #expect(try answer(index, 50.0003, 10.0003)?.house == "12")
        #expect(try answer(index, 50.00025, 10.0003)?.house == "12")
        #expect(try answer(index, 50, 10)?.house == "10")
        #expect(try answer(index, 49.9998, 9.9998)?.house == "10")
        #expect(try answer(index, 50, 10)?.distance == 0)
    }

    @Test("A house far from the road gives way to the street, one at the nearest street does not")
    func houseAgainstStreet() throws {
        var composer = ExtractComposer()
        let road = [composer.node(50, 9.99), composer.node(50, 10.01)]
        composer.way(road, ["highway": "residential", "name": "High Road"])
        _ = composer.node(50.0005, 10, Self.house("1", "Back Lane"))
        _ = composer.node(50.0005, 10.005, Self.house("5", "High Road"))
        let index = try index(composer)
        // 55.6 m from both houses, on the road.
        #expect(try answer(index, 50, 10)?.line == "High Road")
        #expect(try answer(index, 50, 10)?.level == .street)
        #expect(try answer(index, 50, 10.005)?.line == "High Road 5")
        // 100 m from the road, and from the houses.
        #expect(try answer(index, 49.9991, 10)?.level == .street)
        #expect(try answer(index, 49.998, 10) == nil)
        #expect(try answer(index, 50.0005, 10, level: .street)?.house == nil)
    }

    @Test("Numbers between the ends of an interpolation line keep their parity")
    func interpolation() throws {
        var composer = ExtractComposer()
        let ends = [
            composer.node(50, 10, Self.house("11", "Row")), composer.node(50, 10.002, Self.house("31", "Row")),
        ]
        composer.way(ends, ["addr:interpolation": "odd"])
        let index = try index(composer)
        let middle = try #require(try answer(index, 50.0001, 10.001))
        #expect(middle.level == .interpolated)
        #expect(middle.house == "21")
        #expect(middle.street == "Row")
        #expect(try answer(index, 50.0001, 10.00117)?.house == "23")
        #expect(try answer(index, 50, 10)?.level == .house)
    }

    @Test("A street comes from the relation, from the place, or else from the nearest named road")
    func streets() throws {
        var composer = ExtractComposer()
        let road = composer.way(
            [composer.node(50, 9.99), composer.node(50, 10.01)],
            ["highway": "residential", "name": "Ring", "name:ru": "Кольцо"]
        )
        let related = composer.node(50.0001, 10, Self.house("1", nil))
        _ = composer.node(50.0001, 10.003, Self.house("3", nil))
        var byPlace = Self.house("7", nil)
        byPlace["addr:place"] = "Lonely Farm"
        _ = composer.node(50.0001, 10.006, byPlace)
        composer.relation(
            [(related, 0, "house"), (road, 1, "street")],
            ["type": "associatedStreet", "name": "Parade"]
        )
        let index = try index(composer)
        #expect(try answer(index, 50.0001, 10)?.line == "Parade 1")
        #expect(try answer(index, 50.0001, 10.003)?.line == "Ring 3")
        #expect(try answer(index, 50.0001, 10.003, language: "ru")?.street == "Кольцо")
        #expect(try answer(index, 50.0001, 10.006)?.line == "Lonely Farm 7")
    }

    @Test("A multipolygon is one house, its courtyard too")
    func multipolygon() throws {
        var composer = ExtractComposer()
        let outer = composer.square(50, 10, half: 0.0005)
        let inner = composer.square(50, 10, half: 0.0003)
        var tags = Self.house("4", "Court")
        tags["type"] = "multipolygon"
        tags["building"] = "yes"
        composer.relation([(outer, 1, "outer"), (inner, 1, "inner")], tags)
        let index = try index(composer)
        #expect(try answer(index, 50, 10)?.house == "4")
        #expect(try answer(index, 50.00045, 10.0004)?.distance == 0)
    }

    @Test("Areas name town, district and country; a ring that the border cuts falls back to places")
    func areas() throws {
        var composer = ExtractComposer()
        composer.square(50, 10, half: 0.05, ["boundary": "administrative", "admin_level": "8", "name": "Bigtown"])
        composer.square(
            50,
            10,
            half: 0.5,
            ["boundary": "administrative", "admin_level": "2", "name": "Land", "ISO3166-1": "DE", "name:ru": "Страна"]
        )
        let open = composer.way([composer.node(49.9, 9.9), composer.node(50.1, 9.9), composer.node(50.1, 10.1)])
        composer.relation(
            [(open, 1, "outer")],
            ["type": "boundary", "boundary": "administrative", "admin_level": "4", "name": "Cut Region"]
        )
        _ = composer.node(50.2, 10.2, ["place": "village", "name": "Smallham"])
        _ = composer.node(50, 10, Self.house("1", "Street"))
        _ = composer.node(50.2001, 10.2001, Self.house("2", "Lane"))
        let index = try index(composer)
        let inTown = try #require(try answer(index, 50, 10, language: "ru"))
        #expect(inTown.town == "Bigtown" && inTown.country == "Страна" && inTown.countryCode == "DE")
        #expect(inTown.region == nil)
        #expect(inTown.line == "Street 1, Bigtown")
        #expect(try answer(index, 50.2001, 10.2001)?.town == "Smallham")
        let near = try #require(try answer(index, 50.21, 10.2))
        #expect(near.level == .place && near.town == "Smallham")
        #expect(near.line == "1.1 km N of Smallham, Land")
        #expect(try answer(index, 50.02, 10.02)?.town == "Bigtown")
        #expect(try answer(index, 50.4, 10.4)?.line == "Land")
        #expect(try answer(index, 51, 11) == nil)
    }

    @Test("Houses are found across the antimeridian and around a pole")
    func edges() throws {
        var composer = ExtractComposer()
        _ = composer.node(-16.8, 179.9999, Self.house("1", "East"))
        _ = composer.node(-16.8, -179.9997, Self.house("2", "West"))
        _ = composer.node(89.99995, 90, Self.house("3", "Pole"))
        _ = composer.node(-90, 0, Self.house("4", "South"))
        let index = try index(composer)
        let across = try #require(try answer(index, -16.8, -179.99995))
        #expect(across.house == "1")
        #expect(abs(across.distance - 16.0) < 0.1)
        // Over the pole: 5.6 m on the one side, 11.1 m on the other.
        let over = try #require(try answer(index, 89.9999, -90))
        #expect(over.house == "3")
        #expect(abs(over.distance - 16.7) < 0.1)
        #expect(try answer(index, -89.9999, 123)?.house == "4")
    }

    @Test("The ring search equals brute force at the antimeridian and the poles too")
    func edgesByBruteForce() throws {
        var composer = ExtractComposer()
        var random = SplitMix64(seed: 3)
        let centres = [(-16.8, 180.0), (89.9995, 0.0), (-89.9999, 50.0), (65.0, -180.0), (0.0, 0.0)]
        func spot(_ latitude: Double, _ longitude: Double) -> (Double, Double) {
            let moved = random.scattered(
                Coordinate(latitude: latitude, longitude: longitude) ?? Coordinate(latitudeE7: 0, longitudeE7: 0),
                metres: 60
            )
            return (moved.latitude, moved.longitude)
        }
        for (number, centre) in centres.enumerated() {
            for house in 0..<30 {
                let (latitude, longitude) = spot(centre.0, centre.1)
                _ = composer.node(latitude, longitude, Self.house("\(house)", "Street \(number)"))
            }
        }
        let all = try BruteForce(index(composer))
        for centre in centres {
            for _ in 0..<40 {
                let (latitude, longitude) = spot(centre.0, centre.1)
                let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
                let found = BruteForce.text(try all.index.rule(at: point).choice)
                let wanted = try all.verdict(at: point)
                #expect(wanted == found, "at \(point.latitude), \(point.longitude)")
            }
        }
    }

    @Test("Search finds houses and streets by the beginnings of words, without case and accents")
    func search() throws {
        var composer = ExtractComposer()
        composer.way(
            [composer.node(50, 9.99), composer.node(50, 10.01)],
            ["highway": "residential", "name": "Große Straße", "name:ru": "Большая улица"]
        )
        _ = composer.node(50.0001, 10, Self.house("12a", "Große Straße"))
        _ = composer.node(50.1, 10, ["place": "village", "name": "Grosshausen"])
        let index = try index(composer)
        #expect(try index.search("gros", language: "de").map(\.line).sorted() == ["Grosshausen", "Große Straße"])
        #expect(try index.search("GROSSE STR 12A", language: "de").first?.line == "Große Straße 12a")
        #expect(try index.search("12a, grosse strasse", language: "de").first?.level == .house)
        #expect(try index.search("большая", language: "de").first?.line == "Große Straße")
        #expect(try index.search("kleine", language: "de").isEmpty)
        #expect(try index.search("", language: "de").isEmpty)
    }

    @Test("What is no extract, cut short or of an unknown kind gives a typed error, and the old index stays")
    func hostileExtracts() throws {
        var composer = ExtractComposer()
        _ = composer.node(50, 10, Self.house("1", "Street"))
        composer.square(50, 10, half: 0.0004, ["building": "yes"])
        let whole = composer.file()
        let before = try index(composer)
        let output = folder.path("town.gazetteer")
        func kind(_ bytes: some Sequence<UInt8>) throws -> GazetteerError.Kind? {
            let path = folder.path("bad.osm.pbf")
            try Data(bytes).write(to: URL(filePath: path))
            do throws(GazetteerError) {
                _ = try ExtractImport(ExtractImport.Configuration()).run(extract: path, output: output)
            } catch { return error.kind }
            return nil
        }
        #expect(try kind([]) == .foreign)
        #expect(try kind("<osm></osm>".utf8) == .foreign)
        #expect(try kind(whole.dropLast(3)) == .damaged)
        #expect(try kind(composer.file(requiredFeature: "HistoricalInformation")) == .foreign)
        #expect(throws: GazetteerError.self) {
            try ExtractImport(ExtractImport.Configuration()).run(extract: folder.path("none"), output: output)
        }
        #expect(try ExtractIndex(path: output).addressCount == before.addressCount)
        var random = SplitMix64(seed: 17)
        for _ in 0..<400 {
            var copy = whole
            for _ in 0..<3 { copy[Int(random.next() % UInt64(copy.count))] = UInt8(truncatingIfNeeded: random.next()) }
            _ = try kind(copy)
        }
    }

    @Test("A damaged index gives a typed error or another answer, never a crash", .timeLimit(.minutes(2)))
    func damagedIndex() throws {
        var composer = ExtractComposer()
        let road = [composer.node(50, 9.99), composer.node(50, 10.01)]
        composer.way(road, ["highway": "residential", "name": "Road"])
        var tags = Self.house("10", "Road")
        tags["building"] = "yes"
        composer.square(50.0004, 10, half: 0.0002, tags)
        _ = composer.node(50.0005, 10.0001, Self.house("12", "Road"))
        composer.square(50, 10, half: 0.05, ["boundary": "administrative", "admin_level": "8", "name": "Town"])
        let ends = [composer.node(50, 10, Self.house("1", "Row")), composer.node(50, 10.002, Self.house("9", "Row"))]
        composer.way(ends, ["addr:interpolation": "odd"])
        let whole = try Data(contentsOf: URL(filePath: try index(composer).file.path))
        var random = SplitMix64(seed: 23)
        let path = folder.path("damaged.gazetteer")
        for _ in 0..<1_500 {
            var copy = whole
            for _ in 0..<6 {
                copy[480 + Int(random.next() % UInt64(copy.count - 480))] = UInt8(truncatingIfNeeded: random.next())
            }
            try copy.write(to: URL(filePath: path))
            do throws(GazetteerError) {
                let index = try ExtractIndex(path: path)
                for (latitude, longitude) in [(50.0005, 10.0001), (50.0003, 10.0), (50.0001, 10.001), (50.04, 10.04)] {
                    guard let point = Coordinate(latitude: latitude, longitude: longitude) else { continue }
                    do throws(GazetteerError) {
                        _ = try index.explain(at: point, language: "en")
                    } catch {
                        #expect(error.kind == .damaged)
                    }
                }
                do throws(GazetteerError) { _ = try index.search("road 12", language: "en") } catch {
                    #expect(error.kind == .damaged)
                }
            } catch {
                #expect(error.kind == .damaged)
            }
        }
    }

    @Test("Extracts lie side by side in a folder, and a newer one takes the name of its older self")
    func extractFolder() throws {
        #expect(ExtractImport.indexName(forExtract: "/a/finland-latest.osm.pbf") == "finland.gazetteer")
        #expect(ExtractImport.indexName(forExtract: "finland-260101.osm.pbf") == "finland.gazetteer")
        #expect(ExtractImport.indexName(forExtract: "helsinki-2019.osm.pbf") == "helsinki-2019.gazetteer")
        #expect(ExtractImport.indexName(forExtract: "x.pbf") == "x.gazetteer")
        #expect(try GazetteerFiles.openExtracts(in: folder.path("none")).indexes.isEmpty)
        var composer = ExtractComposer()
        _ = composer.node(60.2052, 24.6522, Self.house("1", "Street"))
        let extract = try index(composer, towns: true)
        try Data("nothing".utf8).write(to: URL(filePath: folder.path("bad.gazetteer")))
        let path = URL(filePath: extract.file.path).deletingLastPathComponent().path
        let (indexes, failures) = try GazetteerFiles.openExtracts(in: path)
        #expect(indexes.count == 1)
        #expect(failures.map(\.kind) == [.foreign])
        let gazetteer = OfflineGazetteer(sources: [try TownIndex(path: TownsFile.path)] + indexes)
        let point = try #require(Coordinate(latitude: 60.2052, longitude: 24.6522))
        let answer = try #require(try gazetteer.answer(at: point))
        #expect(answer.line == "Street 1, Espoo")
        #expect(answer.countryCode == "FI" && answer.timeZone == "Europe/Helsinki" && answer.region == "Uusimaa")
        let away = try #require(Coordinate(latitude: 60.3, longitude: 24.65))
        #expect(try gazetteer.answer(at: away)?.level == .place)
        #expect(gazetteer.attributions.count == 2)
    }
}
