import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Gazetteer

@Suite("Towns of the world")
struct TownIndexTests {
    let index: TownIndex

    init() throws { index = try TownIndex(path: TownsFile.path) }

    @Test("The nearest town is that of brute force over all towns, everywhere")
    func nearestIsExact() throws {
        let towns = try index.allTowns()
        #expect(towns.count == index.count)
        #expect(towns.count > 230_000)
        var random = SplitMix64(seed: 7)
        var points: [Coordinate] = []
        for _ in 0..<60 {
            let town = towns[Int(random.next() % UInt64(towns.count))].place
            points.append(random.point(near: town, spreadE7: 3_000_000))
        }
        for _ in 0..<20 { points.append(random.pointOnSphere()) }
        // Both sides of the antimeridian, both poles, the corners of the grid.
        for latitude in [-90, -89.99, -45, -17.5, 0, 51.9, 65.9, 89.99, 90] {
            for longitude in [-180, -179.999, -0.0001, 0, 0.5, 179.75, 179.999, 180] {
                points.append(try #require(Coordinate(latitude: latitude, longitude: longitude)))
            }
        }
        for point in points {
            let best = towns.map { $0.place.distance(to: point) }.min() ?? .infinity
            for limit in [50_000.0, 3_000_000] {
                let found = try index.nearest(to: point, within: limit)
                #expect(found?.1 == (best <= limit ? best : nil), "at \(point), limit \(limit)")
            }
        }
    }

    @Test("Every town is found at its own place", arguments: 0..<8)
    func selfLookup(part: Int) throws {
        for town in try index.allTowns().enumerated() where town.offset % 64 == part {
            let found = try #require(try index.nearest(to: town.element.place, within: 0))
            #expect(found.1 == 0)
            #expect(try index.coordinate(found.0) == town.element.place)
        }
    }

    @Test(
        "Answers name town, region, country, zone, distance and direction",
        arguments: [
            (60.2252, 24.6922, "en", "1.5 km SW of Lippajärvi, Espoo, Uusimaa, Finland", "Europe/Helsinki"),
            (60.2052, 24.6542, "ru", "Финляндия, Уусимаа, Эспоо (0,1 км к В)", "Europe/Helsinki"),
            (54.6269, 39.6916, "ru", "Россия, Рязанская область, Рязань (0,8 км к З)", "Europe/Moscow"),
            (48.137, 11.575, "de", "0,1 km SW von München, Bayern, Deutschland", "Europe/Berlin"),
        ]
    )
    func answers(latitude: Double, longitude: Double, language: String, line: String, zone: String) throws {
        let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let answer = try index.answer(at: point, language: language, level: .house)
        #expect(answer?.line == line)
        #expect(answer?.timeZone == zone)
    }

    @Test("Beyond 50 km there is no answer")
    func openSea() throws {
        for (latitude, longitude) in [(0.0, -30.0), (89.0, 10.0), (-60.0, 180.0)] {
            let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
            #expect(try index.answer(at: point, language: "en", level: .house) == nil)
        }
    }

    @Test("The language of a name is stated, and a region of it falls back to the language")
    func languages() throws {
        let point = try #require(Coordinate(latitude: 60.16952, longitude: 24.93545))
        let russian = try #require(try index.answer(at: point, language: "ru-RU", level: .place))
        #expect(russian.town == "Хельсинки")
        #expect(russian.nameLanguage == "ru")
        let english = try #require(try index.answer(at: point, language: "en", level: .place))
        #expect(english.town == "Helsinki")
        #expect(english.nameLanguage == "en")
        let unknown = try #require(try index.answer(at: point, language: "tlh", level: .place))
        #expect(unknown.town == "Helsinki")
        #expect(unknown.nameLanguage == nil)
    }

    @Test("A part of a city names the city too, a village beside it does not")
    func districts() throws {
        let inMoscow = try #require(Coordinate(latitude: 55.7418, longitude: 37.547))
        let district = try #require(try index.answer(at: inMoscow, language: "ru", level: .place))
        #expect(district.district == "Дорогомилово")
        #expect(district.town == "Москва")
        let espoo = try #require(Coordinate(latitude: 60.2052, longitude: 24.6522))
        #expect(try index.answer(at: espoo, language: "en", level: .place)?.district == nil)
    }

    @Test("A coarser level leaves out what is finer")
    func levels() throws {
        let point = try #require(Coordinate(latitude: 54.6269, longitude: 39.6916))
        let region = try #require(try index.answer(at: point, language: "en", level: .region))
        #expect(region.town == nil && region.region == "Ryazan Oblast" && region.line == "Ryazan Oblast, Russia")
        let country = try #require(try index.answer(at: point, language: "ru", level: .country))
        #expect(country.region == nil && country.line == "Россия")
    }

    @Test("The credit of the source is part of the index")
    func attribution() throws {
        #expect(index.attribution.contains("GeoNames"))
        #expect(index.attribution.contains("CC BY 4.0"))
        #expect(index.file.size < 6_000_000)
        try index.file.verify()
    }
}

extension TownIndex {
    func allTowns() throws -> [(reference: TownReference, place: Coordinate)] {
        var result: [(TownReference, Coordinate)] = []
        for cell in 0..<(cells.count / 8) {
            let block = try TownBlock(self, cell: cell)
            for row in 0..<block.count { result.append((TownReference(cell: cell, row: row), block.coordinate(row))) }
        }
        return result
    }

    func coordinate(_ reference: TownReference) throws -> Coordinate {
        try TownBlock(self, cell: reference.cell).coordinate(reference.row)
    }
}
