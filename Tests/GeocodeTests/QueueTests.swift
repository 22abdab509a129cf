import Foundation
import Geocode
import Synchronization
import Telemetry
import TestSupport
import Testing
import TripStore

/// The queue's promises: leases, budgets, dead letters.
@Suite("Queue") struct QueueTests {
    @Test(
        "E3: the persisted count is the stub's, over retries, cache hits and a restart at midday",
        .timeLimit(.minutes(1))
    )
    func count() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        // Half of the points are within 2 m of the other half.
        try await bench.addPlaces(line(of: 250) + line(of: 250, from: helsinki.moved(north: 2, east: 0)))
        try await stub.tell(Array(repeating: .ok, count: 30) + [.status(500), .status(503), .nothing, .broken])
        let resolver = try bench.resolver(stub) {
            $0.daily = 180
            $0.resetZone = "Europe/Moscow"
        }
        try await bench.queue([resolver]).drain()
        var seen = try await stub.calls().count
        #expect(seen == 180)
        var account = try #require(try await bench.status().providers.first)
        #expect(account.callsToday == 180 && account.dailyLimit == 180)
        await bench.store.close()

        let again = try SQLiteStorage(path: bench.path, mode: .share)
        let queue = bench.queue(
            [
                try bench.resolver(stub, storage: again) {
                    $0.daily = 180
                    $0.resetZone = "Europe/Moscow"
                }
            ],
            storage: again
        )
        try await queue.drain()
        #expect(try await stub.calls().count == 180)
        account = try #require(try await again.geocodeStatus(now: bench.clock.now()).providers.first)
        let reset = try #require(account.nextReset)
        // Midnight in Moscow is 21:00 UTC.
        #expect(reset.milliseconds % 86_400_000 == 21 * 3_600_000)
        bench.clock.advance(to: reset + -60_000)
        try await queue.drain()
        #expect(try await stub.calls().count == 180)
        bench.clock.advance(to: reset)
        try await queue.drain()
        seen = try await stub.calls().count
        let status = try await again.geocodeStatus(now: bench.clock.now())
        #expect(status.providers.first?.callsToday == Int64(seen - 180))
        #expect(status.resolved + status.nothing == 500 && status.waiting == 0)
    }

    @Test("E10: four workers in each of three processes keep to the rate", .timeLimit(.minutes(1)))
    func rate() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 40))
        let clock = WallClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in 0..<3 {
                // A connection of its own for each, as processes have.
                let store = try SQLiteStorage(path: bench.path, mode: .share)
                let resolvers = try (0..<4).map { _ in
                    try bench.resolver(stub, clock: clock, storage: store) { $0.interval = 100 }
                }
                let queue = bench.queue(resolvers, owner: "process \(process)", storage: store, clock: clock)
                group.addTask {
                    while try await store.geocodeStatus(now: clock.now()).resolved < 40 { try await queue.drain() }
                }
            }
            try await group.waitForAll()
        }
        let calls = try await stub.calls()
        #expect(calls.count == 40)
        #expect(Set(calls.map { "\($0.longitude)" }).count == 40)
        // Ten a second; the calls' own ways to the stub differ when the machine is busy.
        let times = calls.map(\.seconds).sorted()
        for (first, eleventh) in zip(times, times.dropFirst(11)) { #expect(eleventh - first > 0.8) }
    }

    @Test(
        "H2: a killed worker's tasks come back, and none is charged twice beyond those in flight",
        .timeLimit(.minutes(1))
    )
    func killed() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 500))
        // A worker takes five tasks, makes a call and is never heard of again.
        let now = bench.clock.now()
        let taken = try await bench.store.leaseGeocodeTasks(
            limit: 5,
            onePerCell: true,
            owner: "killed",
            now: now,
            until: now + 180_000
        )
        #expect(taken.count == 5)
        for call in 0..<5 {
            let time = now + Int64(call)
            let request = CallRequest(provider: "nominatim", interval: 1, daily: nil, day: now..<(now + 86_400_000))
            #expect(try await bench.store.reserveCall(request, now: time) == .granted)
        }
        #expect(try await bench.status().inFlight == 5)
        let queue = bench.queue([try bench.resolver(stub)])
        bench.clock.advance(milliseconds: 20_000)
        try await queue.drain()
        #expect(try await bench.status().resolved == 495)
        bench.clock.advance(milliseconds: 180_000)
        try await queue.drain()
        let status = try await bench.status()
        #expect(status.resolved == 500 && status.inFlight == 0)
        #expect(try await stub.calls().count == 500)
        #expect(status.providers.first?.callsToday == 505)
        // What the dead worker would say now does not count any more.
        let late = GeocodeSettlement(task: taken[0], result: .nothing(expiry: nil), sources: [])
        #expect(try await bench.store.settleGeocodeTasks([late], owner: "killed", now: bench.clock.now()) == 0)
        #expect(try await bench.status().resolved == 500)
    }

    @Test(
        "H10: a task that always fails ends in the dead letters with its reason, the rest flows",
        .timeLimit(.minutes(1))
    )
    func deadLetter() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 21))
        try await stub.tell(Array(repeating: .ok, count: 10) + [.status(400)], then: .ok)
        try await bench.queue([try bench.resolver(stub)]).drain()
        let status = try await bench.status()
        #expect(status.resolved == 20 && status.failed == 1)
        #expect(status.deadReasons == ["nominatim: HTTP 400": 1])
        // Its state says so, and nothing asks for it any more.
        let failed = try await bench.states().filter { $0.name == "failed" }
        #expect(failed == [.failed(reason: "nominatim: HTTP 400", nextTry: nil)])
        bench.clock.advance(milliseconds: 86_400_000)
        try await bench.queue([try bench.resolver(stub)]).drain()
        #expect(try await stub.calls().count == 21)
    }

    @Test("A task whose workers die each time is given up", .timeLimit(.minutes(1)))
    func poison() async throws {
        let bench = try GeocodeBench()
        try await bench.addPlaces([helsinki])
        var leases = 0
        while leases < 50 {
            let now = bench.clock.now()
            let taken = try await bench.store.leaseGeocodeTasks(
                limit: 1,
                onePerCell: true,
                owner: "w",
                now: now,
                until: now + 1000
            )
            if taken.isEmpty { break }
            leases += 1
            bench.clock.advance(milliseconds: 1000)
        }
        #expect(leases == 8)
        #expect(try await bench.states().first?.name == "failed")
    }

    @Test("Back-off doubles up to its limit, spreads, and ends")
    func backOff() {
        let policy = RetryPolicy()
        let now = Timestamp(seconds: 0)
        var pauses: [Int64] = []
        for attempt in 1..<policy.highestAttempts {
            guard let low = policy.nextTry(after: attempt, now: now, jitter: 0),
                let high = policy.nextTry(after: attempt, now: now, jitter: 1)
            else {
                Issue.record("ended after \(attempt)")
                return
            }
            #expect(high - now == 2 * (low - now))
            pauses.append(high - now)
        }
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1920].map { $0 * 1000 })
        #expect(policy.nextTry(after: policy.highestAttempts, now: now, jitter: 0) == nil)
    }

    @Test("A reader's wish comes first, then the newest", .timeLimit(.minutes(1)))
    func priorities() async throws {
        let bench = try GeocodeBench()
        try await bench.addPlaces([helsinki])
        bench.clock.advance(milliseconds: 1000)
        try await bench.addPlaces(line(of: 2, from: helsinki.moved(north: 5000, east: 0)))
        try await bench.execute("UPDATE geocode_task SET priority = 2 WHERE place = 3")
        try await bench.execute("UPDATE geocode_task SET priority = 0 WHERE place = 1")
        let now = bench.clock.now()
        let tasks = try await bench.store.leaseGeocodeTasks(
            limit: 3,
            onePerCell: true,
            owner: "w",
            now: now,
            until: now + 1000
        )
        #expect(tasks.map(\.place) == [1, 2, 3])
    }

    @Test("A finer source that is configured later asks again for what is coarse", .timeLimit(.minutes(1)))
    func backfill() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 3))
        try await stub.tell(then: .place)
        try await bench.queue([try bench.resolver(stub, ["nominatim"])]).drain()
        #expect(try await bench.states().map { $0.address?.level } == [.place, .place, .place])
        try await stub.tell(then: .ok)
        try await bench.queue([try bench.resolver(stub, ["photon"])]).drain()
        #expect(try await bench.states().map { $0.address?.level } == [.house, .house, .house])
        let calls = try await stub.calls().count
        try await bench.queue([try bench.resolver(stub, ["nominatim"])]).drain()
        #expect(try await stub.calls().count == calls)
    }

    @Test("What a provider's terms do not let us keep goes and is asked for again", .timeLimit(.minutes(1)))
    func expiry() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces([helsinki])
        let queue = bench.queue([try bench.resolver(stub, ["yandex"])])
        try await queue.drain()
        #expect(try await bench.states().first?.name == "resolved")
        bench.clock.advance(milliseconds: 30 * 86_400_000)
        try await stub.tell(then: .status(429, retryAfter: "60"))
        try await queue.drain()
        #expect(try await bench.states() == [.pending])
        try await stub.tell(then: .ok)
        bench.clock.advance(milliseconds: 60_000)
        try await queue.drain()
        #expect(try await bench.states().first?.name == "resolved")
    }

    @Test("An address corrected by hand is shown, survives a refresh, and can be taken off", .timeLimit(.minutes(1)))
    func corrected() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        let place = try await bench.addPlaces([helsinki])[0]
        let queue = bench.queue([try bench.resolver(stub)])
        try await queue.drain()
        let before = try await bench.store.lastChange()
        try await bench.store.correctAddress(ofPlace: place, line: "Depot, gate 3", now: bench.clock.now())
        #expect(try await bench.store.lastChange() == before + 1)
        try await bench.store.refreshAddresses(AddressSelection(), now: bench.clock.now())
        try await queue.drain()
        let shown = try #require(try await bench.states().first?.address)
        #expect(shown.line == "Depot, gate 3" && shown.provider == "manual")
        try await bench.store.correctAddress(ofPlace: place, line: nil, now: bench.clock.now())
        try await queue.drain()
        #expect(try await bench.states().first?.address?.street == "Test Street")
    }
}
