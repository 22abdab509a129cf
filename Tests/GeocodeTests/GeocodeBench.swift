import Foundation
import Geocode
import Synchronization
import Telemetry
import TestSupport
import TripDetection

@testable import TripStore

/// A clock that jumps: whoever sleeps is woken at once, and it is that late then.
final class TestClock: GeocodeClock {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp = Timestamp(seconds: 1_770_000_000)) { time = Mutex(start) }

    func now() -> Timestamp { time.withLock { $0 } }

    func advance(milliseconds: Int64) { time.withLock { $0 = $0 + milliseconds } }

    func advance(to instant: Timestamp) { time.withLock { $0 = max($0, instant) } }

    func sleep(until instant: Timestamp) async throws {
        try Task.checkCancellation()
        advance(to: instant)
        await Task.yield()
    }
}

/// A store file with places that wait for addresses, and a queue over a stub provider.
final class GeocodeBench: Sendable {
    let path: String
    let store: SQLiteStorage
    let clock = TestClock()

    init() throws {
        path = NSTemporaryDirectory() + "odograph-geocode-\(UUID().uuidString).sqlite"
        store = try SQLiteStorage(path: path, mode: .create)
    }

    deinit {
        for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Makes a place with one final trip of device 1 that ends there, and its task.
    @discardableResult
    func addPlaces(_ points: [Coordinate]) async throws -> [Int64] {
        let now = clock.now()
        return try await store.write { (connection) throws(StoreError) in
            var places: [Int64] = []
            try connection.execute("INSERT OR IGNORE INTO device (number, id, tag) VALUES (1, 'd', 1)")
            var count = try connection.integer("SELECT count(*) FROM trip") ?? 0
            for point in points {
                try connection.execute(
                    """
                    INSERT INTO place (cell, first_latitude_e7, first_longitude_e7, latitude_e7, longitude_e7, weight,
                        visits, state)
                    VALUES (\(GeoCell.number(of: point)), \(point.latitudeE7), \(point.longitudeE7), \(point.latitudeE7),
                        \(point.longitudeE7), 1, 1, 0)
                    """
                )
                let place = connection.lastInsertedRow
                places.append(place)
                count += 1
                try connection.execute(
                    """
                    INSERT INTO geocode_task (place, cell, priority, created_ms, next_ms)
                    VALUES (\(place), \(GeoCell.number(of: point)), 1, \(now.milliseconds), \(now.milliseconds));
                    INSERT INTO trip (device, id_ms, id_count, begin_ms, end_ms, begin_latitude_e7, begin_longitude_e7,
                        end_latitude_e7, end_longitude_e7, begin_reason, end_reason, distance_mm, distance_source,
                        moving_ms, highest_speed_cmps, position_count, largest_hole_ms, flags, is_final, revision,
                        change, first_change, is_removed, end_place)
                    VALUES (1, \(count), 0, \(count), \(count + 1), 0, 0, \(point.latitudeE7), \(point.longitudeE7), 0, 0,
                        0, 0, 0, 0, 2, 0, 0, 1, 1, \(count), \(count), 0, \(place))
                    """
                )
            }
            try connection.setLastChange(count)
            return places
        }
    }

    /// A resolver over a provider of the stub.
    func resolver(
        _ stub: StubProvider,
        _ names: [String] = ["nominatim"],
        clock: (any GeocodeClock)? = nil,
        timeout: Int = 5000,
        storage: (any GeocodeStorage)? = nil,
        terms change: (inout ProviderTerms) -> Void = { _ in }
    ) throws -> Resolver {
        let sources = try names.map { name in
            let configured = try ProviderCatalog.provider(
                named: name,
                environment: [
                    "ODOGRAPH_\(name.uppercased())_URL": stub.url(of: name),
                    "ODOGRAPH_\(name.uppercased())_KEY": "secret",
                ]
            )
            var terms = configured.terms
            terms.interval = 1
            terms.daily = nil
            change(&terms)
            var http = HTTPConfiguration(userAgent: "Odograph/1 (test@example.org)")
            http.timeout = timeout
            http.proxy = ""
            return ProviderSource(
                provider: configured.provider,
                terms: terms,
                transport: try CurlTransport(configuration: http)
            )
        }
        return Resolver(
            offline: nil,
            sources: sources,
            storage: storage ?? store,
            clock: clock ?? self.clock,
            jitter: Jitter { 0.5 }
        )
    }

    func queue(
        _ resolvers: [Resolver],
        owner: String = "test",
        language: String = "en",
        storage: (any GeocodeStorage)? = nil,
        clock: (any GeocodeClock)? = nil
    ) -> GeocodeQueue {
        var configuration = GeocodeQueue.Configuration(owner: owner)
        configuration.language = language
        return GeocodeQueue(
            storage: storage ?? store,
            resolvers: resolvers,
            configuration: configuration,
            clock: clock ?? self.clock
        )
    }

    /// The states of all places, by number of the place.
    func states() async throws -> [AddressState] {
        try await store.read { (connection) throws(StoreError) in
            var states: [AddressState] = []
            let last = try connection.integer("SELECT max(id) FROM place") ?? 0
            for id in stride(from: Int64(1), through: last, by: 1) {
                if let place = try connection.place(id) { states.append(place.address) }
            }
            return states
        }
    }

    func status() async throws -> GeocodeStatus { try await store.geocodeStatus(now: clock.now()) }
}

/// Points on a line to the east, far enough apart to be places of their own.
func line(of count: Int, from start: Coordinate = helsinki, spacing: Double = 400) -> [Coordinate] {
    (0..<count).map { start.moved(north: 0, east: Double($0) * spacing) }
}

let helsinki = Coordinate(latitudeE7: 601_699_000, longitudeE7: 249_384_000)

extension GeocodeBench {
    func execute(_ sql: String) async throws {
        try await store.write { (connection) throws(StoreError) in try connection.execute(sql) }
    }

    /// Resolves one task.
    func drainOne(_ resolver: Resolver) async throws {
        let now = clock.now()
        let tasks = try await store.leaseGeocodeTasks(
            limit: 1,
            onePerCell: true,
            owner: "one",
            now: now,
            until: now + 60_000
        )
        for task in tasks {
            let end = try await resolver.resolve(GeocodeQuestion(point: task.point))
            let result: GeocodeSettlement.Result =
                switch end {
                case .resolved(let address): .resolved(address)
                case .nothing: .nothing(expiry: now + 30 * 86_400_000)
                case .again(let time, let reason, let counts, let best):
                    .again(time, reason: reason, countsAttempt: counts, provisional: best)
                case .dead(let reason, let best): .dead(reason: reason, provisional: best)
                }
            try await store.settleGeocodeTasks(
                [GeocodeSettlement(task: task, result: result, sources: ["nominatim"])],
                owner: "one",
                now: now
            )
        }
    }
}

/// Numbers of 0 up to 1 that repeat.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func unit() -> Double {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return Double((z ^ z >> 31) >> 11) / Double(1 << 53)
    }
}
