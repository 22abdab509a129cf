import Geocode
import Telemetry
import Testing
import TripStore

/// The cache in a real store against brute force.
@Suite("Coverage cache") struct CoverageTests {
    /// A town of houses at random places, and the provider's own answer.
    struct Town {
        var houses: [Coordinate] = []

        init(seed: UInt64, around centre: Coordinate, count: Int = 400, size: Double = 600) {
            var numbers = SeededNumbers(seed: seed)
            houses = (0..<count).map { _ in
                centre.moved(north: (numbers.unit() - 0.5) * size, east: (numbers.unit() - 0.5) * size)
            }
        }

        func nearest(to point: Coordinate, limit: Int, radius: Double) -> [Coordinate] {
            let near = houses.map { (distance: $0.distance(to: point), house: $0) }.filter { $0.distance <= radius }
            return near.sorted { $0.distance < $1.distance }.prefix(limit).map(\.house)
        }
    }

    static let centres = [
        helsinki, Coordinate(latitudeE7: -339_000_000, longitudeE7: 1_511_000_000),
        Coordinate(latitudeE7: 10_000, longitudeE7: -10_000),
        Coordinate(latitudeE7: -170_000_000, longitudeE7: 1_799_999_000),
        Coordinate(latitudeE7: 780_000_000, longitudeE7: -1_799_999_500),
    ]

    @Test(
        "Never an answer that differs from asking",
        arguments: Array(centres.enumerated()).map { ($0.offset, $0.element) }
    )
    func neverDiffers(seed: Int, centre: Coordinate) async throws {
        let bench = try GeocodeBench()
        let key = GeocodeCacheKey(provider: "photon", language: "en")
        let town = Town(seed: UInt64(seed), around: centre)
        var numbers = SeededNumbers(seed: UInt64(seed) + 100)
        let now = bench.clock.now()
        var hits = 0
        for _ in 0..<600 {
            let point = centre.moved(north: (numbers.unit() - 0.5) * 900, east: (numbers.unit() - 0.5) * 900)
            let answer = town.nearest(to: point, limit: 10, radius: 150)
            let cached = try await bench.store.cachedAnswers(near: point, key: key, now: now)
            switch Coverage.verdict(on: point, from: cached) {
            case .house(let house, let distance):
                hits += 1
                #expect(house.point == answer.first)
                #expect(distance <= Coverage.houseReach)
            case .noHouse:
                hits += 1
                #expect(answer.first.map { $0.distance(to: point) > Coverage.houseReach } ?? true)
            case .single: Issue.record("nothing of the kind was kept")
            case nil:
                let radius = try #require(Coverage.radius(of: answer, around: point, limit: 10, searched: 150))
                try await bench.store.cacheAnswer(
                    .houses(answer.map { address($0) }, around: point, radius: radius, expiry: now + 1000),
                    key: key,
                    now: now
                )
            }
        }
        #expect(hits > 200)
        // What expired proves nothing, nor does another language or provider.
        for (other, time) in [(key, now + 1000), (GeocodeCacheKey(provider: "photon", language: "de"), now)] {
            let cached = try await bench.store.cachedAnswers(near: centre, key: other, now: time)
            #expect(cached.disks.isEmpty && cached.houses.isEmpty)
        }
        #expect(try await bench.store.compactGeocodeCache(now: now + 1000) > 0)
    }

    @Test("A house that is gone when it is asked for again is forgotten")
    func gone() async throws {
        let bench = try GeocodeBench()
        let key = GeocodeCacheKey(provider: "photon", language: "en")
        let now = bench.clock.now()
        let (old, new) = (helsinki.moved(north: 5, east: 0), helsinki.moved(north: 30, east: 0))
        for houses in [[old, new], [new]] {
            try await bench.store.cacheAnswer(
                .houses(houses.map { address($0) }, around: helsinki, radius: 150, expiry: nil),
                key: key,
                now: now
            )
        }
        let cached = try await bench.store.cachedAnswers(near: helsinki, key: key, now: now)
        #expect(cached.houses.map(\.point) == [new] && cached.disks.count == 1)
    }

    @Test("An order that is not by distance is not trusted; a short list reaches as far as was searched")
    func radius() {
        let houses = [10.0, 30, 20].map { helsinki.moved(north: $0, east: 0) }
        #expect(Coverage.radius(of: houses, around: helsinki, limit: 3, searched: 150) == nil)
        #expect(Coverage.radius(of: Array(houses.prefix(2)), around: helsinki, limit: 3, searched: 120) == 120)
        #expect(Coverage.radius(of: [], around: helsinki, limit: 10, searched: nil) == 0)
        let far = Coverage.radius(of: Array(houses.prefix(2)), around: helsinki, limit: 2, searched: 500)
        #expect(abs((far ?? 0) - 30) < 0.1)
        #expect(Coverage.radius(of: [], around: helsinki, limit: 10, searched: 5000) == Coverage.highestRadius)
    }

    private func address(_ point: Coordinate) -> Address {
        var address = Address(
            level: .house,
            line: "\(point.latitudeE7) \(point.longitudeE7)",
            language: "en",
            provider: "photon",
            resolvedTime: Timestamp(seconds: 0)
        )
        address.point = point
        return address
    }
}
