import Foundation
import Geocode
import Telemetry
import TestSupport
import Testing
import TripStore

/// All nine adapters over real HTTP against a stub that speaks their shapes.
@Suite("Providers") struct ProviderTests {
    static let names = ProviderCatalog.providers.map { $0.name }

    @Test("A house comes in parts, with its point and a line", .timeLimit(.minutes(1)), arguments: names)
    func house(name: String) async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        let end = try await bench.resolver(stub, [name]).resolve(GeocodeQuestion(point: helsinki))
        guard case .resolved(let address) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(address.level == .house && address.provider == name && address.language == "en")
        #expect(address.street == "Test Street" && address.town == "Helsinki" && address.region == "Uusimaa")
        #expect(address.country == "Finland" && address.countryCode == "FI" && address.postcode == "00100")
        #expect(address.line == "Test Street \(try #require(address.house)), Helsinki, Finland")
        #expect(try #require(address.distance) < 15)
    }

    @Test("Less than a house is found as what it is", .timeLimit(.minutes(1)), arguments: names)
    func coarser(name: String) async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        let resolver = try bench.resolver(stub, [name]) { $0.keeping = .notAtAll }
        for (behaviour, level) in [
            (StubProvider.Behaviour.street, AddressLevel.street), (.place, .place), (.country, .country),
        ] {
            try await stub.tell(then: behaviour)
            guard case .resolved(let address) = try await resolver.resolve(GeocodeQuestion(point: helsinki)) else {
                Issue.record("\(name) found no \(level)")
                continue
            }
            #expect(address.level == level, "\(name)")
        }
    }

    @Test("Nothing there is an answer, and it is kept", .timeLimit(.minutes(1)), arguments: names)
    func nothing(name: String) async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await stub.tell(then: .nothing)
        let resolver = try bench.resolver(stub, [name])
        #expect(try await resolver.resolve(GeocodeQuestion(point: helsinki)) == .nothing)
        let calls = try await stub.calls().count
        #expect(try await resolver.resolve(GeocodeQuestion(point: helsinki)) == .nothing)
        // Google's answers may not be kept.
        #expect(try await stub.calls().count == (name == "google" ? 2 * calls : calls))
    }

    /// What is to be done about a reply.
    enum Consequence: Equatable {
        /// The item is tried again and has lost an attempt.
        case retry
        /// The provider waits for so many seconds, the item lost nothing.
        case pause(Int64)
        case untilTomorrow
        case off
        case dropped
        case found
    }

    static let misbehaviours: [(StubProvider.Behaviour, Consequence)] = [
        (.hang(seconds: 2), .retry), (.drip, .retry), (.reset, .retry), (.broken, .retry), (.huge, .retry),
        (.wrongCharset, .retry), (.latin1, .found), (.status(500), .retry), (.status(502), .retry),
        (.status(503), .retry), (.status(503, retryAfter: "7"), .pause(7)), (.status(404), .retry),
        (.status(400), .dropped), (.status(401), .off), (.html(403), .off), (.html(429), .pause(67)),
        (.html(200), .retry), (.status(402), .untilTomorrow), (.status(429, retryAfter: "30"), .pause(30)),
        (.status(429, retryAfter: "0"), .pause(1)), (.status(429, retryAfter: "-5"), .pause(1)),
        (.status(429, retryAfter: "soon"), .pause(67)), (.status(429), .pause(67)),
        (.status(429, retryAfter: "99999999999999"), .pause(7 * 86_400)),
        (.status(429, retryAfter: "Mon, 02 Feb 2026 02:41:00 GMT"), .pause(60)),
        (.status(429, retryAfter: "Monday, 02-Feb-26 02:41:00 GMT"), .pause(60)),
        (.status(429, retryAfter: "Mon, 02 Feb 2026 02:00:00 GMT"), .pause(1)),
        (.status(429, body: #"{"message":"daily quota exceeded"}"#), .untilTomorrow),
    ]

    @Test("Every misbehaviour has its consequence", .timeLimit(.minutes(3)), arguments: names)
    func misbehaviour(name: String) async throws {
        let stub = try StubProvider()
        for (behaviour, expected) in Self.misbehaviours {
            let bench = try GeocodeBench()
            bench.clock.advance(to: Timestamp(seconds: 1_770_000_000))
            try await stub.tell(then: behaviour)
            let resolver = try bench.resolver(stub, [name], timeout: 400) { $0.resetZone = "UTC" }
            let question = GeocodeQuestion(point: helsinki, language: "de")
            let end = try await resolver.resolve(question)
            #expect(consequence(of: end, now: Timestamp(seconds: 1_770_000_000)) == expected, "\(name) \(behaviour)")
            if expected != .found {
                let cached = try await bench.store.cachedAnswers(
                    near: helsinki,
                    key: GeocodeCacheKey(provider: name, language: "de"),
                    now: bench.clock.now()
                )
                #expect(cached.disks.isEmpty && cached.singles.isEmpty, "\(name) \(behaviour)")
            }
        }
    }

    private func consequence(of end: Resolver.End, now: Timestamp) -> Consequence? {
        let midnight = Timestamp(seconds: 1_770_076_800)
        switch end {
        case .again(_, _, countsAttempt: true, _): return .retry
        case .again(midnight, _, _, _): return .untilTomorrow
        case .again(let time, _, _, _): return .pause((time - now) / 1000)
        case .dead(let reason, _): return reason.contains("400") ? .dropped : .off
        case .resolved: return .found
        case .nothing: return nil
        }
    }

    static let bodies: [(String, String, Consequence)] = [
        ("google", #"{"status":"OVER_QUERY_LIMIT","results":[]}"#, .pause(67)),
        (
            "google", #"{"status":"OVER_QUERY_LIMIT","error_message":"You have exceeded your daily request quota"}"#,
            .untilTomorrow
        ),
        ("google", #"{"status":"OVER_DAILY_LIMIT"}"#, .untilTomorrow),
        ("google", #"{"status":"REQUEST_DENIED","error_message":"The provided API key is invalid."}"#, .off),
        ("google", #"{"status":"UNKNOWN_ERROR"}"#, .retry),
        (
            "opencage", #"{"status":{"code":402,"message":"quota exceeded"},"rate":{"reset":1770000090},"results":[]}"#,
            .pause(90)
        ),
        ("opencage", #"{"status":{"code":429,"message":"too many requests"},"results":[]}"#, .pause(67)),
        ("opencage", #"{"status":{"code":401,"message":"invalid API key"},"results":[]}"#, .off),
        ("nominatim", #"{"error":"Bandwidth limit exceeded"}"#, .retry),
        ("nominatim", #"{}"#, .retry),
        ("photon", #"{"message":"no"}"#, .retry),
        ("yandex", #"{"statusCode":500,"error":"Internal"}"#, .retry),
        ("here", #"{"title":"Service unavailable"}"#, .retry),
        ("tomtom", #"{"errorText":"nope"}"#, .retry),
        ("locationiq", #"{"error":"Something"}"#, .retry),
    ]

    @Test(
        "E21: an error inside of status 200 is what it says, and no answer",
        .timeLimit(.minutes(1)),
        arguments: bodies
    )
    func errorInside(name: String, body: String, expected: Consequence) async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await stub.tell(then: .body(body))
        let resolver = try bench.resolver(stub, [name]) { $0.resetZone = "UTC" }
        let end = try await resolver.resolve(GeocodeQuestion(point: helsinki))
        #expect(consequence(of: end, now: Timestamp(seconds: 1_770_000_000)) == expected)
        let cached = try await bench.store.cachedAnswers(
            near: helsinki,
            key: GeocodeCacheKey(provider: name, language: "en"),
            now: bench.clock.now()
        )
        #expect(cached.disks.isEmpty && cached.singles.isEmpty)
    }

    static let statuses: [(String, Int, String, Consequence)] = [
        ("tomtom", 403, "<h1>Developer Over Qps</h1>", .pause(2)), ("tomtom", 403, "<h1>Developer Inactive</h1>", .off),
        ("locationiq", 429, #"{"error":"Rate Limited Second"}"#, .pause(2)),
        ("locationiq", 429, #"{"error":"Rate Limited Minute"}"#, .pause(60)),
        ("locationiq", 429, #"{"error":"Rate Limited Day"}"#, .untilTomorrow),
        ("opencage", 402, #"{"rate":{"limit":2500,"remaining":0,"reset":1770000600}}"#, .pause(600)),
        ("yandex", 403, #"{"statusCode":403,"error":"Forbidden","message":"Invalid key"}"#, .off),
    ]

    @Test("Statuses that only one provider means so", .timeLimit(.minutes(1)), arguments: statuses)
    func status(name: String, status: Int, body: String, expected: Consequence) async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await stub.tell(then: .status(status, body: body))
        let resolver = try bench.resolver(stub, [name]) { $0.resetZone = "UTC" }
        let end = try await resolver.resolve(GeocodeQuestion(point: helsinki))
        #expect(consequence(of: end, now: Timestamp(seconds: 1_770_000_000)) == expected)
    }

    @Test("Nominatim's features may be one object")
    func featureObject() throws {
        let body = """
            {"type":"FeatureCollection","features":{"type":"Feature","geometry":{"coordinates":[24.9,60.1]},"properties":\
            {"geocoding":{"type":"street","name":"Kaivokatu","city":"Helsinki","country":"Suomi","country_code":"fi"}}}}
            """
        let nominatim = Nominatim(account: ProviderAccount(baseURL: "http://localhost"))
        let reply = HTTPReply(status: 200, body: Array(body.utf8))
        let outcome = nominatim.outcome(of: reply, step: .anything, now: Timestamp(seconds: 0))
        guard case .found(let found) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(found.first?.street == "Kaivokatu" && found.first?.level == .street)
    }

    @Test("Zero coordinates and invalid ones are never sent", .timeLimit(.minutes(1)))
    func zero() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        let resolver = try bench.resolver(stub)
        let zero = Coordinate(latitudeE7: 0, longitudeE7: 0)
        #expect(try await resolver.resolve(GeocodeQuestion(point: zero)) == .nothing)
        #expect(try await stub.calls().isEmpty)
    }

    @Test("The public Nominatim needs the flag and a contact, and keeps to one call a second")
    func publicNominatim() throws {
        for url in [
            "https://nominatim.openstreetmap.org", "http://NOMINATIM.openstreetmap.org:80/",
            "https://nominatim.openstreetmap.org./",
        ] {
            let environment = ["ODOGRAPH_NOMINATIM_URL": url, "ODOGRAPH_NOMINATIM_PER_SECOND": "50"]
            #expect(throws: ProviderError.self) { try GeocodePlan(providers: "nominatim", environment: environment) }
            #expect(throws: ProviderError.self) {
                try GeocodePlan(providers: "nominatim", allowsPublicNominatim: true, environment: environment)
            }
            let plan = try GeocodePlan(
                providers: "nominatim",
                allowsPublicNominatim: true,
                environment: environment.merging(["ODOGRAPH_GEOCODE_CONTACT": "ops@example.org"]) { $1 }
            )
            #expect(plan.providers.first?.terms.interval == 1000)
            #expect(plan.providers.first?.highestConcurrency == 1)
        }
    }

    @Test("A provider without its key or server says which variable is missing", arguments: names)
    func missing(name: String) {
        let error = #expect(throws: ProviderError.self) { try GeocodePlan(providers: name, environment: [:]) }
        #expect(error?.message.contains("ODOGRAPH_\(name.uppercased())_") == true)
    }

    @Test("A key never shows in an error, nor does the point", .timeLimit(.minutes(1)))
    func secrets() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces([helsinki])
        for behaviour in [StubProvider.Behaviour.reset, .html(403), .status(500), .broken] {
            try await stub.tell(then: behaviour)
            try await bench.queue([try bench.resolver(stub, ["yandex"])]).drain()
            let status = "\(try await bench.status())"
            #expect(!status.contains("secret") && !status.contains("60.1") && !status.contains("http://"))
            try await bench.store.resetProviders()
            try await bench.store.retryGeocodeTasks(now: bench.clock.now())
        }
    }
}
