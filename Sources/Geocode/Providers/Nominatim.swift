package import Telemetry
import TripStore

/// Nominatim's reverse search in its stable schema, GeocodeJSON: one answer, the nearest object.
package struct Nominatim: GeocodeProvider {
    package static let name = "nominatim"
    package static let needsKey = false
    /// The public service is for people, not for daemons: it must be asked for by an explicit flag.
    package static let publicURL: String? = nil
    package static let publicHost = "nominatim.openstreetmap.org"
    /// An own server's limit is what it can bear.
    package static let terms = ProviderTerms(
        keeping: .forever,
        interval: 20,
        attribution: "© OpenStreetMap contributors",
        exclusions: "The public server allows one call a second and no systematic or background use."
    )
    /// The public service's.
    package static let publicTerms = ProviderTerms(
        keeping: .forever,
        interval: 1_000,
        attribution: "© OpenStreetMap contributors",
        exclusions: terms.exclusions
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        let zoom =
            switch question.wanted {
            case .house, .interpolated: "18"
            case .street: "17"
            case .place: "13"
            case .region: "5"
            case .country, .none: "3"
            }
        var request = HTTPRequest(
            base: account.baseURL,
            path: "/reverse",
            query: [
                "format": "geocodejson", "lat": question.point.latitudeText, "lon": question.point.longitudeText,
                "zoom": zoom, "addressdetails": "1", "layer": "address", "accept-language": question.language,
                "email": account.options["email"],
            ]
        )
        request.headers["Accept-Language"] = question.language
        return request
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): verdict.outcome
        case .success(let json): Self.outcome(of: json)
        }
    }

    private static func outcome(of json: JSON) -> GeocodeOutcome {
        let error = json["error"]
        if error.isPresent {
            // A text when nothing is there, an object when the question is wrong.
            if let text = error.firstText("message") { return .badRequest(text) }
            return error.text?.lowercased().contains("unable to geocode") == true
                ? .nothing : .transient(error.text ?? "an error without a text")
        }
        // Its documentation shows an object, the server sends an array.
        let features = json["features"]
        let feature = features.isObject ? features : features[0]
        guard feature.isPresent else { return features.isPresent ? .nothing : .transient("no features in the answer") }
        let geocoding = feature["properties"]["geocoding"]
        guard geocoding.isObject else { return .transient("no address in the answer") }
        var found = GeocodeJSON.address(of: geocoding)
        found.point = GeocodeJSON.point(of: feature["geometry"]["coordinates"])
        return found.level == .none ? .nothing : .found([found])
    }
}

/// The members that GeocodeJSON and its relatives share.
enum GeocodeJSON {
    static func address(of json: JSON) -> FoundAddress {
        var found = FoundAddress()
        found.house = json["housenumber"].text
        found.street = json["street"].text
        let type = json["type"].text
        // A street's own name is its `name`; of a house it is what people call the building.
        if found.street == nil, type == "street" { found.street = json["name"].text }
        found.district = json.firstText("district", "locality")
        found.town = json["city"].text
        found.region = json["state"].text ?? json["county"].text
        found.country = json["country"].text
        found.countryCode = json.firstText("country_code", "countrycode")?.uppercased()
        found.postcode = json["postcode"].text
        let name = json["name"].text
        switch type {
        case "city": found.town = found.town ?? name
        case "district", "locality": found.district = found.district ?? name
        case "state", "county": found.region = found.region ?? name
        case "country": found.country = found.country ?? name
        case "street": break
        default: if found.street == nil { found.name = name }
        }
        found.level = found.levelOfParts
        return found
    }

    /// A GeoJSON position: longitude first.
    static func point(of json: JSON) -> Coordinate? {
        guard let longitude = json[0].number, let latitude = json[1].number else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
