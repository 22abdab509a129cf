import Geocode
import Telemetry
import TestSupport
import Testing
import TripStore

@Suite("Faults E: addresses") struct FaultsETests {
    @Test("E1: an hour of 429 leaves 200 trips pending, and all are filled afterwards", .timeLimit(.minutes(1)))
    func throttledHour() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 200))
        let end = bench.clock.now() + 3_600_000
        try await stub.tell(then: .status(429, retryAfter: "600"))
        let queue = bench.queue([try bench.resolver(stub)])
        while bench.clock.now() < end {
            try await queue.drain()
            let states = try await bench.states()
            #expect(states.allSatisfy { $0 == .pending })
            bench.clock.advance(milliseconds: 600_000)
        }
        #expect(try await stub.calls().count <= 7)
        try await stub.tell(then: .ok)
        bench.clock.advance(milliseconds: 600_000)
        try await queue.drain()
        #expect(try await bench.status().resolved == 200)
    }

    @Test("E2: sixty trips of ten vehicles take at most 120 calls", .timeLimit(.minutes(1)))
    func callsOfAMorning() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 120))
        try await bench.queue([try bench.resolver(stub) { $0.daily = 2000 }]).drain()
        #expect(try await stub.calls().count <= 120)
        #expect(try await bench.status().resolved == 120)
    }

    @Test("E4: a hundred ends within 15 m of one depot take one to three calls", .timeLimit(.minutes(1)))
    func depot() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        var numbers = SeededNumbers(seed: 4)
        // Every end as a place of its own: the cache alone has to do it.
        try await bench.addPlaces(
            (0..<100).map { _ in helsinki.moved(north: numbers.unit() * 20 - 10, east: numbers.unit() * 20 - 10) }
        )
        try await bench.queue([try bench.resolver(stub, ["photon"])]).drain()
        #expect((1...3).contains(try await stub.calls().count))
        #expect(try await bench.status().resolved == 100)
    }

    @Test("E6: an answer of a country's level names no other point", .timeLimit(.minutes(1)))
    func countryLevel() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await stub.tell([.country, .ok], then: .status(500))
        try await bench.addPlaces([helsinki])
        try await bench.queue([try bench.resolver(stub)]).drain()
        try await bench.addPlaces([helsinki.moved(north: 100_000, east: 0)])
        try await bench.queue([try bench.resolver(stub)]).drain()
        #expect(try await stub.calls().count == 2)
        let levels = try await bench.states().map { $0.address?.level }
        #expect(levels == [.country, .house])
    }

    @Test("E8: a provider that hangs is backed off, and each item counts its own tries", .timeLimit(.minutes(1)))
    func hanging() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 50))
        try await stub.tell(then: .hang(seconds: 3))
        let queue = bench.queue([try bench.resolver(stub, timeout: 100)])
        let progress = try await queue.drain()
        // The breaker opens after five failures in a row; who was not asked lost no attempt.
        #expect(try await stub.calls().count == 5)
        #expect(progress.postponed == 50)
        var status = try await bench.status()
        #expect(status.waiting == 50 && status.pending == 50)
        #expect(status.providers.first?.pausedUntil != nil)
        // Two days later every task has ended in the dead letters or still waits; calls stayed few.
        for _ in 0..<80 {
            bench.clock.advance(milliseconds: 900_000)
            try await queue.drain()
        }
        status = try await bench.status()
        #expect(status.waiting + status.deadReasons.values.reduce(0, +) == 50)
        #expect(try await stub.calls().count <= 5 + 90)
        try await stub.tell(then: .ok)
        try await bench.store.retryGeocodeTasks(now: bench.clock.now())
        try await bench.store.resetProviders()
        try await queue.drain()
        #expect(try await bench.status().resolved == 50)
    }

    @Test("E9: a 403 switches the provider off until retry, and the fallback is used", .timeLimit(.minutes(1)))
    func banned() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 20))
        try await stub.tell([.html(403)], then: .ok)
        let queue = bench.queue([try bench.resolver(stub, ["nominatim", "photon"])])
        try await queue.drain()
        var calls = try await stub.calls()
        #expect(calls.filter { $0.provider == "nominatim" }.count == 1)
        #expect(calls.allSatisfy { $0.agent == "Odograph/1 (test@example.org)" })
        var status = try await bench.status()
        #expect(status.resolved == 20)
        let account = try #require(status.providers.first { $0.name == "nominatim" })
        #expect(account.isDenied && account.reason == "HTTP 403")
        // Alone it is not called either, until a person says so.
        try await bench.addPlaces(line(of: 3, from: helsinki.moved(north: 5000, east: 0)))
        let alone = bench.queue([try bench.resolver(stub)])
        try await alone.drain()
        #expect(try await stub.calls().filter { $0.provider == "nominatim" }.count == 1)
        status = try await bench.status()
        #expect(status.failed == 3 && status.deadReasons.values.reduce(0, +) == 3)
        try await bench.store.resetProviders()
        #expect(try await bench.store.retryGeocodeTasks(now: bench.clock.now()) == 3)
        try await alone.drain()
        calls = try await stub.calls()
        #expect(calls.filter { $0.provider == "nominatim" }.count == 4)
        #expect(try await bench.status().resolved == 23)
    }

    @Test("E12: a refresh of 1000 places makes exactly 1000 tasks with visible outcomes", .timeLimit(.minutes(1)))
    func refreshAll() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 1000))
        let queue = bench.queue([try bench.resolver(stub)])
        try await queue.drain()
        #expect(try await bench.store.refreshAddresses(AddressSelection(), now: bench.clock.now()) == 1000)
        #expect(try await bench.store.refreshAddresses(AddressSelection(), now: bench.clock.now()) == 1000)
        let status = try await bench.status()
        #expect(status.waiting == 1000 && status.resolved == 1000)
        let progress = try await queue.drain()
        #expect(progress.resolved == 1000)
        #expect(try await stub.calls().count == 2000)
    }

    @Test("E13: tasks that were lost are derived again, and no others", .timeLimit(.minutes(1)))
    func lostTasks() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 2000))
        try await bench.execute("DELETE FROM geocode_task WHERE place % 4 = 0")
        let queue = bench.queue([try bench.resolver(stub)])
        try await queue.reconcile()
        #expect(try await bench.status().waiting == 2000)
        try await queue.reconcile()
        #expect(try await bench.status().waiting == 2000)
        // What no trip needs any more does not wait for ever.
        try await bench.execute("DELETE FROM trip WHERE end_place % 2 = 0")
        try await queue.reconcile()
        #expect(try await bench.status().waiting == 1000)
    }

    @Test("E16: two languages give two answers, with header and parameter agreeing", .timeLimit(.minutes(1)))
    func languages() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        let resolver = try bench.resolver(stub)
        let german = try await resolver.resolve(GeocodeQuestion(point: helsinki, language: "de"))
        let english = try await resolver.resolve(GeocodeQuestion(point: helsinki, language: "en"))
        let again = try await resolver.resolve(GeocodeQuestion(point: helsinki, language: "de"))
        guard case .resolved(let one) = german, case .resolved(let two) = english else {
            Issue.record("not resolved")
            return
        }
        #expect(one.country == "Finnland" && one.language == "de")
        #expect(two.country == "Finland" && two.language == "en")
        #expect(again == german)
        let calls = try await stub.calls()
        #expect(calls.count == 2)
        #expect(calls.allSatisfy { $0.language == $0.header })
    }

    @Test("E16: a change of the language asks again for what is there", .timeLimit(.minutes(1)))
    func changeOfLanguage() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 5))
        try await bench.queue([try bench.resolver(stub)]).drain()
        try await bench.queue([try bench.resolver(stub)], language: "de").drain()
        #expect(try await bench.states().allSatisfy { $0.address?.country == "Finnland" })
    }

    @Test("E18: where there is no road the name counts, then less; nothing is a state", .timeLimit(.minutes(1)))
    func noRoad() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 5))
        // The newest task of the same time comes by its row: ask one after the other.
        for behaviour in [StubProvider.Behaviour.name, .street, .place, .country, .nothing] {
            try await stub.tell(then: behaviour)
            try await bench.drainOne(try bench.resolver(stub))
        }
        let states = try await bench.states()
        let lines = states.compactMap { $0.address?.line }.sorted()
        #expect(
            lines == [
                "Central Park, Helsinki, Finland", "Finland", "Helsinki, Uusimaa, Finland",
                "Test Street, Helsinki, Finland",
            ]
        )
        #expect(states.filter { $0 == .nothing }.count == 1)
        // It is not asked again for a long time.
        bench.clock.advance(milliseconds: 20 * 86_400_000)
        let before = try await stub.calls().count
        try await bench.queue([try bench.resolver(stub)]).drain()
        #expect(try await stub.calls().count == before)
        bench.clock.advance(milliseconds: 20 * 86_400_000)
        try await stub.tell(then: .ok)
        try await bench.queue([try bench.resolver(stub)]).drain()
        #expect(try await stub.calls().count == before + 1)
    }

    @Test("E22: twenty ends of one place are one flight", .timeLimit(.minutes(1)))
    func singleFlight() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        // Twenty places within two metres, as many workers could have made them at once.
        try await bench.addPlaces((0..<20).map { helsinki.moved(north: 0, east: Double($0) / 10) })
        let resolvers = try (0..<8).map { _ in try bench.resolver(stub) }
        let progress = try await bench.queue(resolvers).drain()
        #expect(try await stub.calls().count == 1)
        #expect(progress.resolved == 20 && progress.dead == 0)
    }

    @Test("E23: a 503 is no answer: pending, then filled", .timeLimit(.minutes(1)))
    func transient() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces([helsinki])
        try await stub.tell([.status(503)], then: .ok)
        let queue = bench.queue([try bench.resolver(stub)])
        try await queue.drain()
        #expect(try await bench.states() == [.pending])
        bench.clock.advance(milliseconds: 60_000)
        try await queue.drain()
        #expect(try await bench.states().first?.name == "resolved")
    }
}
