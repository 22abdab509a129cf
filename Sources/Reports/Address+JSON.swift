package import CivilTime
import Telemetry
package import TripStore

extension AddressState {
    /// The address in parts, null while there is none.
    package func json(zone: Zone) -> JSON { address?.json(zone: zone) ?? .null }

    /// The address in parts with the user's name for the place and the visits of the stop place; null without both an
    /// address and a name.
    package func json(zone: Zone, place: EndpointPlace) -> JSON {
        let parts = json(zone: zone)
        let beside: [(String, JSON)] = [
            ("place", .string(place.name)), ("visits", place.visitCount.map { .integer($0) } ?? .null),
        ]
        if case .object(let members) = parts { return .object(members + beside) }
        return place.name == nil ? .null : .object([("line", .null)] + beside)
    }

    /// Why it failed and when it is tried again, for the report on a single trip.
    package func failure(zone: Zone) -> JSON {
        guard case .failed(let reason, let nextTry) = self else { return .null }
        return .object([("reason", .string(reason)), ("next_try", .string(nextTry.map { zone.text($0) }))])
    }
}

extension Address {
    /// All parts, those that are not known as null, with the attribution that its provider asks for.
    package func json(zone: Zone) -> JSON {
        .object([
            ("line", .string(line)),
            ("level", .string(level.name)),
            ("house", .string(house)),
            ("street", .string(street)),
            ("district", .string(district)),
            ("town", .string(town)),
            ("region", .string(region)),
            ("country", .string(country)),
            ("country_code", .string(countryCode)),
            ("postcode", .string(postcode)),
            ("time_zone", .string(timeZone)),
            ("language", .string(language)),
            ("provider", .string(provider)),
            ("distance_m", distance.map { .thousandths(Int64(($0 * 1000).rounded())) } ?? .null),
            ("latitude", point.map { .degrees($0.latitudeE7) } ?? .null),
            ("longitude", point.map { .degrees($0.longitudeE7) } ?? .null),
            ("attribution", .string(Attribution.line(for: self))),
        ])
    }
}

/// What the terms of a source of addresses ask to be shown beside them.
package enum Attribution {
    /// The line for an address; nil when its source asks for none.
    package static func line(for address: Address) -> String? {
        switch address.provider {
        // Houses and streets come from OpenStreetMap extracts, all else from the index of towns.
        case "offline" where address.level >= .place: "Place names: GeoNames (geonames.org), CC BY 4.0"
        case "offline": "© OpenStreetMap contributors (openstreetmap.org/copyright), ODbL"
        case "nominatim", "photon", "opencage": "© OpenStreetMap contributors"
        case "locationiq": "Search by LocationIQ.com, © OpenStreetMap contributors"
        case "pelias": "© OpenStreetMap contributors, OpenAddresses, Who's On First"
        case "google": "Google Maps"
        case "here": "© HERE"
        case "tomtom": "© TomTom"
        case "yandex": "© Yandex"
        default: nil
        }
    }
}

/// Collects which attributions a report needs.
package struct Attributions: Sendable {
    private var seen: Set<String> = []

    package init() {}

    package mutating func add(_ state: AddressState) {
        if let line = state.address.flatMap(Attribution.line) { seen.insert(line) }
    }

    /// Each once, in a stable order.
    package var lines: [String] { seen.sorted() }
}
