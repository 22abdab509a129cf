import Arguments
import CivilTime
import Foundation
import Gazetteer
import Geocode
import Reports
import Telemetry
import TripDetection
import TripStore

/// The commands about addresses.
enum GeocodeCommands {
    static let all = [status, run, retry, refresh, correct, explain]

    static let language = Option(
        "language",
        value: "TAG",
        help: "Language of addresses where the source has them: en, de, ru. The store keeps it; before it was named, "
            + "ODOGRAPH_LANGUAGE, else en."
    )
    static let providers = Option(
        "provider",
        value: "NAMES",
        help: "Sources of addresses in order, with commas: offline, nominatim, photon, pelias, yandex, opencage, "
            + "locationiq, google, here, tomtom; default ODOGRAPH_PROVIDERS, else offline."
    )
    static let level = Option(
        "level",
        value: "LEVEL",
        help:
            "How fine an address has to be, before the next source is not asked: house, street or place; default house."
    )
    static let publicNominatim = Option(
        "public-nominatim",
        help: "Allow the public Nominatim, one call a second; ODOGRAPH_GEOCODE_CONTACT must name you."
    )
    static let format = Option("format", value: "FORMAT", help: "table or json; default table.")
    static let provider = Option("provider", value: "NAME", help: "Only addresses of this provider.")
    static let box = Option(
        "box",
        value: "S,W,N,E",
        help: "Only addresses of places between these latitudes and longitudes, in degrees."
    )
    static let before = Option("before", value: "TIME", help: "Only addresses resolved before this.")
    static let end = Option("end", value: "END", help: "begin or end; which end of the trip.")

    enum Format: String, CaseIterable {
        case table, json
    }

    enum Level: String, CaseIterable {
        case house, street, place
    }

    enum End: String, CaseIterable {
        case begin, end
    }

    static let status = Command<Action>(
        "geocode status",
        summary: "show how many places have an address, and what the others wait for",
        options: [format, .zone],
        examples: [
            Example("odograph geocode status", "For people."),
            Example("odograph geocode status --format json | jq .waiting", "For monitoring."),
        ]
    ) { context in
        let zone = try context.zone()
        let format: Format = try context.choice(format) ?? .table
        let store = try await context.openStore()
        let status = try await store.geocodeStatus(now: context.now)
        await store.close()
        try context.write(format == .json ? status.json(zone: zone).text + "\n" : status.sheet(zone: zone))
        return .success
    }

    static let run = Command<Action>(
        "geocode run",
        summary: "look for the addresses that are due, then end",
        discussion: [
            "Asks the offline index alone unless told otherwise: no network, no key, no limit. odograph import does the "
                + "same at its end. Another --language than before asks again for all addresses, and is kept.",
            "A provider's key and address come from the environment: ODOGRAPH_YANDEX_KEY, ODOGRAPH_NOMINATIM_URL.",
        ],
        options: [providers, language, level, publicNominatim],
        examples: [
            Example("odograph geocode run", "Everything that waits."),
            Example("odograph geocode run --language ru", "Addresses in Russian where the source has them."),
        ]
    ) { context in
        let store = try await context.openStore(.share)
        try await context.resolveAddresses(in: store)
        await store.close()
        return .success
    }

    static let retry = Command<Action>(
        "geocode retry",
        summary: "try again what was given up, and providers that were switched off",
        examples: [Example("odograph geocode retry && odograph geocode run", "After a key was put right.")]
    ) { context in
        let store = try await context.openStore(.share)
        try await store.resetProviders()
        let count = try await store.retryGeocodeTasks(now: context.now)
        await store.close()
        Terminal.say("\(Measure.count(Int64(count), "place")) to be tried again.")
        return .success
    }

    static let refresh = Command<Action>(
        "geocode refresh",
        summary: "ask again for addresses that are there",
        discussion: ["The old address is shown until the new one is there. Addresses corrected by hand stay."],
        options: [provider, before, box, .zone],
        examples: [
            Example("odograph geocode refresh --provider offline", "After a better index was imported."),
            Example("odograph geocode refresh --before -365d", "What is older than a year."),
        ]
    ) { context in
        var selection = AddressSelection()
        selection.provider = try context.provider()
        selection.before = try context.time(before, in: try context.zone())?.begin
        selection.box = try context.box()
        let store = try await context.openStore(.share)
        let count = try await store.refreshAddresses(selection, now: context.now)
        await store.close()
        let places = Measure.count(Int64(count), "place")
        Terminal.say(count == 0 ? "No address is such." : "\(places) to be asked for again by odograph geocode run.")
        return .success
    }

    static let correct = Command<Action>(
        "geocode correct",
        summary: "set the address at an end of a trip by hand, for all trips at that place",
        discussion: ["It survives refresh. An empty LINE takes it off."],
        operands: [
            Operand("TRIP", help: "The trip's id."), Operand("END", help: "begin or end."),
            Operand("LINE", help: "The address as it is to be shown."),
        ],
        examples: [
            Example("odograph geocode correct 0k3v9 end 'Depot gate 3, Harbour Road 1'", "The yard has no number.")
        ]
    ) { context in
        guard let end = End(rawValue: context.operands[1]) else {
            throw CommandFailure(.usage, "END is begin or end; found \(context.operands[1])")
        }
        let store = try await context.openStore(.share)
        let places = try await store.stopPlaces(of: try context.tripID())
        guard let place = end == .begin ? places.begin : places.end else {
            throw CommandFailure(.noInput, "there is no trip \(context.operands[0])")
        }
        let line = context.operands[2]
        try await store.correctAddress(ofPlace: place.id, line: line.isEmpty ? nil : line, now: context.now)
        await store.close()
        return .success
    }

    static let explain = Command<Action>(
        "geocode explain",
        summary: "show what each step of the resolver says about a trip's ends, or about a point",
        discussion: ["No provider is called. The step that is shown has a star."],
        operands: [
            Operand("TRIP", help: "The trip's id; or the latitude of a point."),
            Operand("LON", .optional, help: "The longitude of a point."),
        ],
        options: [providers, language, level, publicNominatim, .zone],
        examples: [
            Example("odograph geocode explain 0k3v9", "Places, visits, sources and distances."),
            Example("odograph geocode explain -33.8568 151.2153", "A point in degrees."),
        ]
    ) { context in
        let store = try await context.openStore()
        var ends: [(name: String, point: Coordinate, place: StopPlaceRecord?)] = []
        if let point = try context.point() {
            ends = [("Point", point, nil)]
        } else {
            let id = try context.tripID()
            guard let trip = try await store.trip(id) else {
                throw CommandFailure(.noInput, "there is no trip \(context.operands[0])")
            }
            let places = try await store.stopPlaces(of: id)
            ends = [("Begin", trip.trip.beginPoint, places.begin), ("End", trip.trip.endPoint, places.end)]
        }
        for end in ends { try await context.explain(end.name, end.point, end.place, in: store) }
        await store.close()
        return .success
    }
}

extension Context {
    /// The trip that the first operand names.
    fileprivate func tripID() throws -> TripID {
        guard let id = TripID(operands[0]) else {
            throw CommandFailure(.noInput, "\(operands[0]) is no id of a trip; odograph trips shows them")
        }
        return id
    }

    /// The point that two operands name; nil for one operand.
    fileprivate func point() throws -> Coordinate? {
        guard operands.count == 2 else { return nil }
        guard let latitude = Double(operands[0]), let longitude = Double(operands[1]),
            let point = Coordinate(latitude: latitude, longitude: longitude)
        else { throw CommandFailure(.usage, "a point is latitude and longitude in degrees: 60.2055 24.6559") }
        return point
    }

    /// The source that `--provider` names.
    fileprivate func provider() throws -> String? {
        guard let name = invocation[GeocodeCommands.provider]?.lowercased() else { return nil }
        guard ProviderCatalog.names.contains(name) else {
            let hint = closest(to: name, among: ProviderCatalog.names).map { "; did you mean \($0)?" } ?? ""
            throw CommandFailure(.usage, "--provider is one of \(ProviderCatalog.names.joined(separator: ", "))\(hint)")
        }
        return name
    }

    /// The corners that `--box` names.
    fileprivate func box() throws -> (southWest: Coordinate, northEast: Coordinate)? {
        guard let text = invocation[GeocodeCommands.box] else { return nil }
        let edges = text.split(separator: ",").compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard edges.count == 4, edges[0] <= edges[2],
            let southWest = Coordinate(latitude: edges[0], longitude: edges[1]),
            let northEast = Coordinate(latitude: edges[2], longitude: edges[3])
        else { throw CommandFailure(.usage, "--box is south,west,north,east in degrees: 60.1,24.8,60.3,25.1") }
        return (southWest, northEast)
    }

    /// Writes what each step says about a point.
    fileprivate func explain(
        _ name: String,
        _ point: Coordinate,
        _ place: StopPlaceRecord?,
        in store: any GeocodeStorage
    ) async throws {
        let plan = try plan(language: try await store.addressLanguage())
        let gazetteer = plan.asksOffline ? try openGazetteer() : nil
        let explanation = try await Explanation(
            GeocodeQuestion(point: point, language: plan.language, wanted: plan.wanted),
            place: place,
            resolver: try plan.resolver(storage: store, gazetteer: gazetteer),
            storage: store,
            now: now
        )
        let steps = explanation.steps.map { ("\($0.isShown ? "*" : " ") \($0.name)", Optional($0.said)) }
        let record = try place.map { "\n" + $0.sheet(zone: try zone()) } ?? ""
        try write("\(name) \(Measure.point(point))\n\(Sheet(steps).text)\(record)\n")
        if let state = place?.address { sayAttributions(of: [state]) }
    }

    /// The sources of addresses as flags and environment name them, in the language of the flag, else of the store.
    private func plan(language: String?) throws -> GeocodePlan {
        let level: GeocodeCommands.Level = try choice(GeocodeCommands.level) ?? .house
        let levels: [GeocodeCommands.Level: AddressLevel] = [.house: .house, .street: .street, .place: .place]
        return try GeocodePlan(
            providers: invocation[GeocodeCommands.providers],
            language: invocation[GeocodeCommands.language] ?? language,
            wanted: levels[level] ?? .house,
            allowsPublicNominatim: invocation.has(GeocodeCommands.publicNominatim),
            environment: environment
        )
    }

    /// Drains the queue with what can be asked without a network, and says on a terminal how it went.
    func resolveAddresses(in store: any GeocodeStorage) async throws {
        let language = try await store.addressLanguage()
        let plan = try plan(language: language)
        if plan.language != language { try await store.setAddressLanguage(plan.language) }
        for exclusion in plan.exclusions where terminal.errorWidth != nil {
            Terminal.say("\(exclusion.provider): \(exclusion.text)")
        }
        let gazetteer = plan.asksOffline ? try openGazetteer() : nil
        let queue = try plan.queue(storage: store, gazetteer: gazetteer)
        let width = terminal.errorWidth
        let start = ContinuousClock.now
        let progress = try await queue.drain { progress in
            guard let width, progress.waiting > 0 else { return }
            let line =
                "addresses: \(progress.settled) found, \(progress.waiting) to go\(progress.estimate(since: start))"
            Terminal.show(line, width: width)
        }
        if let width { Terminal.show("", width: width) }
        if progress.settled + progress.provisional + progress.postponed > 0 {
            Terminal.say(progress.text)
        }
    }
}

extension GeocodeQueue.Progress {
    /// How long the rest will take at the pace so far; empty while nothing can be said.
    fileprivate func estimate(since start: ContinuousClock.Instant) -> String {
        let done = settled + postponed
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard done >= 10, seconds > 1 else { return "" }
        let left = Double(waiting) * seconds / Double(done)
        return ", about \(Measure.duration(milliseconds: Int64(left) * 1000)) left"
    }

    /// A sentence for people.
    fileprivate var text: String {
        var parts = ["\(Measure.count(Int64(resolved))) found"]
        if provisional > 0 { parts.append("\(Measure.count(Int64(provisional))) provisional") }
        if nothing > 0 { parts.append("\(Measure.count(Int64(nothing))) where nothing is") }
        if postponed > 0 { parts.append("\(Measure.count(Int64(postponed))) postponed") }
        if dead > 0 { parts.append("\(Measure.count(Int64(dead))) given up") }
        return "Addresses: \(parts.joined(separator: ", "))."
    }
}
