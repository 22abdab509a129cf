import Geocode
import Telemetry
import TestSupport
import Testing
import TripDetection
import TripStore

/// Stop places and the user's places, pure and in the store.
@Suite("Places") struct PlaceTests {
    @Test("E19: the smaller of two concentric places names, old trips follow a change, the address is kept beside")
    func concentric() async throws {
        let bench = try GeocodeBench()
        try await bench.addPlaces([helsinki.moved(north: 45, east: 0), helsinki.moved(north: -55, east: 0)])
        let home = UserPlace(name: "Home", shape: .circle(centre: helsinki, radius: 50))
        let estate = UserPlace(name: "Estate", shape: .circle(centre: helsinki, radius: 500))
        #expect(try await bench.store.setUserPlaces([estate, home]) == 2)
        var trips = try await bench.store.trips(HistoryQuery()).all()
        #expect(trips.map(\.endPlace.name) == ["Home", "Estate"])
        let before = try await bench.store.lastChange()
        let larger = UserPlace(name: "Home", shape: .circle(centre: helsinki, radius: 60))
        #expect(try await bench.store.setUserPlaces([larger]) == 1)
        trips = try await bench.store.trips(HistoryQuery()).all()
        #expect(trips.map(\.endPlace.name) == ["Home", "Home"])
        #expect(trips.allSatisfy { $0.revision == 1 && $0.endAddress == .pending })
        #expect(trips.map { $0.change > before } == [false, true])
        #expect(try await bench.store.removeUserPlace(named: "Home") == 2)
        trips = try await bench.store.trips(HistoryQuery()).all()
        #expect(trips.map(\.endPlace.name) == ["Estate", "Estate"])
        #expect(try await bench.store.removeUserPlace(named: "Home") == nil)
    }

    @Test(
        "A polygon's hole is not in it, wherever on Earth it lies",
        arguments: [
            helsinki, Coordinate(latitudeE7: -170_000_000, longitudeE7: 1_799_999_000),
            Coordinate(latitudeE7: 0, longitudeE7: 0), Coordinate(latitudeE7: 700_000_000, longitudeE7: -1_800_000_000),
        ]
    )
    func polygon(centre: Coordinate) throws {
        func square(_ half: Double) -> [Coordinate] {
            [(-half, -half), (-half, half), (half, half), (half, -half)].map { centre.moved(north: $0.0, east: $0.1) }
        }
        let place = UserPlace(name: "Yard", shape: .polygon([square(100), square(20)]))
        #expect(place.contains(centre.moved(north: 50, east: -60)))
        #expect(!place.contains(centre.moved(north: 5, east: 5)))
        #expect(!place.contains(centre.moved(north: 101, east: 0)))
        #expect(!place.contains(centre.moved(north: 0, east: -101)))
        #expect(abs(place.area - (40_000 - 1_600)) < 200)
    }

    @Test("A place and its shape are stored exactly")
    func stored() async throws {
        let bench = try GeocodeBench()
        let ring = line(of: 3) + [helsinki.moved(north: 300, east: 0)]
        let places = [
            UserPlace(name: "A; B, \"C\"", shape: .circle(centre: helsinki, radius: 12.345)),
            UserPlace(name: "Ring", shape: .polygon([ring, line(of: 3, spacing: 3)])),
        ]
        try await bench.store.setUserPlaces(places)
        #expect(try await bench.store.userPlaces() == places)
    }

    @Test("An endpoint joins the nearest centre within 25 m; a begin the place of the last end within 60 m")
    func joining() {
        let centres = [(key: 1, centre: helsinki), (key: 2, centre: helsinki.moved(north: 0, east: 40))]
        #expect(StopPlace.joined(by: helsinki.moved(north: 0, east: 18), among: centres) == 1)
        #expect(StopPlace.joined(by: helsinki.moved(north: 0, east: 22), among: centres) == 2)
        #expect(StopPlace.joined(by: helsinki.moved(north: 30, east: 0), among: centres) == nil)
        #expect(StopPlace.joined(by: helsinki.moved(north: 55, east: 0), among: centres, previous: 1) == 1)
        #expect(StopPlace.joined(by: helsinki.moved(north: 0, east: 22), among: centres, previous: 1) == 1)
        #expect(StopPlace.joined(by: helsinki.moved(north: 65, east: 0), among: centres, previous: 1) == nil)
    }

    @Test("A centre comes nearer to the truth with each visit and stays within 12 m of its first point")
    func centre() {
        var numbers = SeededNumbers(seed: 7)
        var place = StopPlace(first: helsinki.moved(north: 10, east: 0))
        for _ in 0..<200 {
            let north = (numbers.unit() + numbers.unit() + numbers.unit() - 1.5) * 16
            let east = (numbers.unit() + numbers.unit() + numbers.unit() - 1.5) * 16
            place.visit(helsinki.moved(north: north, east: east))
            #expect(place.first.distance(to: place.centre) <= StopPlace.reach + 0.1)
        }
        #expect(place.visitCount == 201)
        #expect(place.centre.distance(to: helsinki) < 2)
        var dragged = StopPlace(first: helsinki)
        for _ in 0..<500 { dragged.visit(dragged.centre.moved(north: 25, east: 0)) }
        #expect(dragged.first.distance(to: dragged.centre) <= StopPlace.reach + 0.1)
    }

    @Test("Explain tells each step, and what is shown", .timeLimit(.minutes(1)))
    func explanation() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces([helsinki])
        let resolver = try bench.resolver(stub, ["photon"])
        try await bench.queue([resolver]).drain()
        let calls = try await stub.calls().count
        let question = GeocodeQuestion(point: helsinki.moved(north: 3, east: 0))
        var steps = try await Explanation(question, resolver: resolver, storage: bench.store, now: bench.clock.now())
            .steps
        #expect(steps.map(\.name) == ["user's place", "stop place", "cache of photon", "offline", "photon"])
        #expect(steps.filter(\.isShown).map(\.name) == ["stop place"])
        #expect(steps[2].said.contains("proven to be the nearest"))
        try await bench.store.setUserPlaces([UserPlace(name: "Depot", shape: .circle(centre: helsinki, radius: 30))])
        steps = try await Explanation(question, resolver: resolver, storage: bench.store, now: bench.clock.now()).steps
        #expect(steps.filter(\.isShown).map(\.said) == ["Depot"])
        #expect(try await stub.calls().count == calls)
    }

    @Test(
        "The line follows the country",
        arguments: [
            ("FI", "Test 5, Town, Land"), ("GB", "5 Test, Town, Land"), ("FR", "5 Test, Town, Land"),
            ("ES", "Test, 5, Town, Land"), ("HU", "Test 5., Town, Land"), ("RU", "Land, Town, Test, 5"),
            ("KZ", "Land, Town, Test, 5"), ("ZZ", "Test 5, Town, Land"),
        ]
    )
    func addressLine(country: String, expected: String) {
        var found = FoundAddress(level: .house)
        (found.house, found.street, found.town, found.country) = ("5", "Test", "Town", "Land")
        (found.region, found.countryCode) = ("Region", country)
        #expect(AddressLine.line(of: found) == expected)
        found.town = nil
        #expect(AddressLine.line(of: found).contains("Region"))
    }
}
