package import Telemetry
package import TripStore

/// Yandex Geocoder HTTP API: the nearest houses, else whatever is there; longitude comes first.
package struct Yandex: GeocodeProvider {
    package static let name = "yandex"
    package static let needsKey = true
    package static let publicURL: String? = "https://geocode-maps.yandex.ru/v1"
    package static let terms = ProviderTerms(
        keeping: .days(30),
        interval: 20,
        daily: 1_000,
        resetZone: "Europe/Moscow",
        attribution: "© Yandex",
        exclusions: "The free plan excludes vehicle monitoring and closed systems; keeping needs the extended licence."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package var houseSearch: (limit: Int, radius: Double?) { (10, nil) }

    package func steps(for wanted: AddressLevel) -> [GeocodeStep] {
        wanted <= .interpolated ? [.houses, .anything] : [.anything]
    }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        // The base URL names the path too: /v1, or the older /1.x/.
        HTTPRequest(
            base: account.baseURL,
            path: account.baseURL.hasSuffix("/1.x/") ? "/" : "",
            query: [
                "apikey": account.key,
                "geocode": "\(question.point.longitudeText),\(question.point.latitudeText)",
                "lang": Self.locale(question.language),
                "kind": step == .houses ? "house" : nil, "results": step == .houses ? "10" : "5", "format": "json",
            ]
        )
    }

    /// The locales that it knows; others get English names.
    private static func locale(_ tag: String) -> String {
        switch tag.prefix(2).lowercased() {
        case "ru": "ru_RU"
        case "uk": "uk_UA"
        case "be": "be_BY"
        case "tr": "tr_TR"
        default: "en_US"
        }
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        // Its documentation gives 429 for the day's limit as well as for the second's; a day's says so in words.
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            if let error = json["error"].text {
                return .transient(error)
            }
            let collection = json["response"]["GeoObjectCollection"]
            guard collection.isObject else { return .transient("no collection in the answer") }
            let found = collection["featureMember"].elements.map { Self.address(of: $0["GeoObject"]) }
                .filter { $0.level != .none }
            return found.isEmpty ? .nothing : .found(found)
        }
    }

    private static func address(of object: JSON) -> FoundAddress {
        let meta = object["metaDataProperty"]["GeocoderMetaData"]
        var found = FoundAddress()
        for component in meta["Address"]["Components"].elements {
            let name = component["name"].text
            switch component["kind"].text {
            case "country": found.country = name
            // Twice where there is a federal district: the last one is the region.
            case "province": found.region = name
            case "locality": found.town = name
            case "district": found.district = name
            case "street": found.street = name
            case "house": found.house = name
            case "hydro", "vegetation", "route", "station", "metro", "railway", "airport", "other": found.name = name
            default: break
            }
        }
        found.countryCode = meta["Address"]["country_code"].text
        found.postcode = meta["Address"]["postal_code"].text
        if found.levelOfParts == .none, let name = object["name"].text { found.name = name }
        found.level = found.levelOfParts
        if found.level == .house, meta["precision"].text == "range" { found.level = .interpolated }
        let numbers = (object["Point"]["pos"].text ?? "").split(separator: " ").compactMap { Double($0) }
        if numbers.count == 2 { found.point = Coordinate(latitude: numbers[1], longitude: numbers[0]) }
        return found
    }
}
