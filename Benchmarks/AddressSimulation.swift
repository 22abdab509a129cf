import Foundation
import Geocode
import Synchronization
import Telemetry
import TripStore

/// A city, its vehicles and a provider: how many calls the resolver needs, and how often it names another house.
///
/// A city of 10 by 10 km has streets every 100 m with houses on both sides every 20 m, 20 depots with yards of 60 by
/// 60 m on grounds of their own, and 5 000 customers of unequal weight. 1 000 vehicles drive five trips on each of five days: 50 000 endpoints,
/// each a new fix with noise of 8 m an axis. The provider is asked through its own adapter in its own shape.
struct AddressSimulation {
    /// Which steps of the resolver are used.
    struct Steps {
        var name: String
        var stopPlaces: Bool
        var cache: Bool
    }

    struct Figures {
        var endpoints = 0
        var calls = 0
        /// Named at once otherwise than the house where the vehicle stood.
        var wrongAtOnce = 0
        /// The same after all refreshes.
        var wrongAtLast = 0
        /// Other than what the provider says for the very point that was asked for.
        var cacheErrors = 0
    }

    static let variants = [
        Steps(name: "neither", stopPlaces: false, cache: false),
        Steps(name: "coverage cache", stopPlaces: false, cache: true),
        Steps(name: "stop places", stopPlaces: true, cache: false),
        Steps(name: "both", stopPlaces: true, cache: true),
    ]

    /// The aims: calls per 1000 endpoints, share of wrong houses.
    static let aims = (calls: 80.0, wrong: 0.12)

    let city: SimulatedCity
    let endpoints: [(fix: Coordinate, house: Int)]

    init(seed: UInt64, houseSpacing: Double = 20, noise: Double = 8) {
        var random = SplitMix(state: seed)
        city = SimulatedCity(spacing: houseSpacing, depotCount: 20, random: &random)
        endpoints = AddressSimulation.endpoints(in: city, noise: noise, random: &random)
    }

    /// Runs one variant over a new store.
    func run(_ steps: Steps, store: any GeocodeStorage) async throws -> Figures {
        let provider = Photon(account: ProviderAccount(baseURL: "http://city.invalid"))
        var terms = Photon.terms
        terms.interval = 0
        if !steps.cache { terms.keeping = .notAtAll }
        let transport = CityTransport(city: city)
        let resolver = Resolver(
            offline: nil,
            sources: [ProviderSource(provider: provider, terms: terms, transport: transport)],
            storage: store,
            clock: StandingClock()
        )
        var figures = Figures()
        var places = PlaceGrid()
        var names: [Int: Int] = [:]
        var joined: [Int] = []
        for endpoint in endpoints {
            let place: Int
            var asked = endpoint.fix
            var isDue = true
            if steps.stopPlaces {
                (place, isDue) = places.join(endpoint.fix)
                asked = places.places[place].centre
            } else {
                place = figures.endpoints
            }
            joined.append(place)
            if isDue {
                let end = try await resolver.resolve(GeocodeQuestion(point: asked))
                guard case .resolved(let address) = end, let house = address.house.flatMap(Int.init) else {
                    throw CocoaError(.featureUnsupported, userInfo: ["end": "\(end)"])
                }
                names[place] = house
                places.markAsked(place, at: asked)
                if house != city.nearest(to: asked, count: 1)[0].number { figures.cacheErrors += 1 }
            }
            figures.endpoints += 1
            if names[place] != endpoint.house { figures.wrongAtOnce += 1 }
        }
        for (place, endpoint) in zip(joined, endpoints) where names[place] != endpoint.house {
            figures.wrongAtLast += 1
        }
        figures.calls = transport.calls.withLock { $0 }
        return figures
    }

    private static func endpoints(
        in city: SimulatedCity,
        noise: Double,
        random: inout SplitMix
    ) -> [(fix: Coordinate, house: Int)] {
        let depots = city.depots
        let customers = (0..<5000).map { _ in city.houses[random.below(city.houses.count)] }
        var weights: [Double] = []
        var sum = 0.0
        for rank in 1...customers.count {
            sum += pow(Double(rank), -0.8)
            weights.append(sum)
        }
        var endpoints: [(fix: Coordinate, house: Int)] = []
        for _ in 0..<5 {
            for vehicle in 0..<1000 {
                let depot = depots[vehicle % depots.count]
                // Its own bay in the yard.
                var bay = SplitMix(state: UInt64(vehicle) &* 0x9e37_79b9 &+ 7)
                let (x, y) = (depot.x + bay.unit() * 60 - 30, depot.y + bay.unit() * 60 - 30)
                let home = (x: x, y: y, house: depot.number)
                var stops = [home]
                for _ in 0..<4 {
                    let draw = random.unit() * sum
                    let index = weights.partitioningIndex { $0 >= draw }
                    let customer = customers[min(index, customers.count - 1)]
                    stops.append((x: customer.x, y: customer.y, house: customer.number))
                }
                stops.append(home)
                for (from, to) in zip(stops, stops.dropFirst()) {
                    for stop in [from, to] {
                        let fix = city.coordinate(
                            x: stop.x + random.normal() * noise,
                            y: stop.y + random.normal() * noise
                        )
                        endpoints.append((fix: fix, house: stop.house))
                    }
                }
            }
        }
        return endpoints
    }

    static func measure(seed: UInt64, only name: String?) async throws -> Bool {
        let simulation = AddressSimulation(seed: seed)
        print("\(simulation.city.houses.count) houses, \(simulation.endpoints.count) endpoints, seed \(seed)")
        print("steps            calls/1000  wrong at once %  wrong at last %  cache errors  seconds")
        var isWithinAims = true
        for steps in variants where name == nil || steps.name == name {
            let path = NSTemporaryDirectory() + "odograph-addresses-\(UUID().uuidString).sqlite"
            defer {
                for suffix in ["", "-wal", "-shm", ".lock"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            let store = try SQLiteStorage(path: path, mode: .create)
            let start = ContinuousClock.now
            let figures = try await simulation.run(steps, store: store)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            await store.close()
            let count = Double(figures.endpoints)
            let calls = Double(figures.calls) / count * 1000
            let (atOnce, atLast) = (Double(figures.wrongAtOnce) / count, Double(figures.wrongAtLast) / count)
            print(
                steps.name.padding(toLength: 16, withPad: " ", startingAt: 0)
                    + String(
                        format: "%11.1f %16.1f %16.1f %13d %8.1f",
                        calls,
                        atOnce * 100,
                        atLast * 100,
                        figures.cacheErrors,
                        seconds
                    )
            )
            if steps.cache, steps.stopPlaces {
                isWithinAims = calls <= aims.calls && atLast <= aims.wrong && figures.cacheErrors == 0
            }
        }
        print(isWithinAims ? "within the aims" : "NOT within the aims")
        return isWithinAims
    }
}

/// Stop places in memory, as the store keeps them in rows.
private struct PlaceGrid {
    private(set) var places: [StopPlace] = []
    private var asked: [Coordinate?] = []
    private var cells: [Int64: [Int]] = [:]

    /// Joins an endpoint.
    ///
    /// - Returns: the place, and whether its address is to be asked for.
    mutating func join(_ point: Coordinate) -> (place: Int, isDue: Bool) {
        let near = GeoCell.ranges(around: point, radius: StopPlace.joinRadius).flatMap { range in
            range.flatMap { cells[$0] ?? [] }
        }
        guard let place = StopPlace.joined(by: point, among: near.map { (key: $0, centre: places[$0].centre) }) else {
            places.append(StopPlace(first: point))
            asked.append(nil)
            cells[GeoCell.number(of: point), default: []].append(places.count - 1)
            return (places.count - 1, true)
        }
        let old = GeoCell.number(of: places[place].centre)
        places[place].visit(point)
        let new = GeoCell.number(of: places[place].centre)
        if old != new {
            cells[old]?.removeAll { $0 == place }
            cells[new, default: []].append(place)
        }
        let moved = asked[place].map { $0.distance(to: places[place].centre) } ?? .infinity
        return (place, moved >= StopPlace.refreshDistance)
    }

    mutating func markAsked(_ place: Int, at point: Coordinate) {
        if asked.indices.contains(place) { asked[place] = point }
    }
}

/// A clock that stands: the simulation lasts no time.
private struct StandingClock: GeocodeClock {
    func now() -> Timestamp { Timestamp(seconds: 1_700_000_000) }
    func sleep(until instant: Timestamp) async throws {}
}

/// Answers like Photon, with the nearest houses of a city.
private final class CityTransport: HTTPTransport {
    let calls = Mutex(0)
    private let city: SimulatedCity

    init(city: SimulatedCity) { self.city = city }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPReply {
        calls.withLock { $0 += 1 }
        var values: [String: Double] = [:]
        for item in URLComponents(string: request.url)?.queryItems ?? [] {
            values[item.name] = item.value.flatMap(Double.init)
        }
        guard let point = Coordinate(latitude: values["lat"] ?? 0, longitude: values["lon"] ?? 0) else {
            return HTTPReply(status: 400, body: [])
        }
        let features = city.nearest(to: point, count: Int(values["limit"] ?? 1)).map { house in
            let place = city.coordinate(x: house.x, y: house.y)
            return """
                {"type":"Feature","geometry":{"type":"Point","coordinates":[\(place.longitude),\(place.latitude)]},\
                "properties":{"type":"house","housenumber":"\(house.number)","street":"Street","city":"City"}}
                """
        }
        let body = "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
        return HTTPReply(status: 200, body: Array(body.utf8))
    }
}
