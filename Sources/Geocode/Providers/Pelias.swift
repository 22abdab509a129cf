package import Telemetry
package import TripStore

/// Pelias: the nearest addresses within a circle, else streets and settlements.
package struct Pelias: GeocodeProvider {
    package static let name = "pelias"
    package static let needsKey = false
    package static let publicURL: String? = nil
    package static let terms = ProviderTerms(
        keeping: .forever,
        interval: 20,
        attribution: "© OpenStreetMap contributors, OpenAddresses, Who's On First",
        exclusions: "Hosted services have plans of their own."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package var houseSearch: (limit: Int, radius: Double?) { (10, 150) }

    package func steps(for wanted: AddressLevel) -> [GeocodeStep] {
        wanted <= .interpolated ? [.houses, .anything] : [.anything]
    }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        var request = HTTPRequest(
            base: account.baseURL,
            path: "/v1/reverse",
            query: [
                "point.lat": question.point.latitudeText, "point.lon": question.point.longitudeText,
                "size": step == .houses ? "10" : "5", "layers": step == .houses ? "address" : nil,
                "boundary.circle.radius": step == .houses ? "0.15" : "1", "lang": question.language,
                "api_key": account.key,
            ]
        )
        request.headers["Accept-Language"] = question.language
        return request
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            guard json["features"].isArray else { return .transient("no features in the answer") }
            let found = json["features"].elements.map(Self.address)
            return found.isEmpty ? .nothing : .found(found)
        }
    }

    private static func address(of feature: JSON) -> FoundAddress {
        let properties = feature["properties"]
        let layer = properties["layer"].text
        var found = FoundAddress()
        found.house = properties["housenumber"].text
        found.street = properties["street"].text
        if layer == "street", found.street == nil { found.street = properties["name"].text }
        if layer == "venue" { found.name = properties["name"].text }
        found.district = properties.firstText("neighbourhood", "borough")
        found.town = properties.firstText("locality", "localadmin")
        found.region = properties.firstText("region", "macroregion", "county")
        found.country = properties["country"].text
        found.countryCode = countryCode(properties)
        found.postcode = properties["postalcode"].text
        found.point = GeocodeJSON.point(of: feature["geometry"]["coordinates"])
        found.level = found.levelOfParts
        return found
    }

    private static func countryCode(_ properties: JSON) -> String? {
        if let code = properties["country_code"].text, code.utf8.count == 2 { return code.uppercased() }
        return properties["country_a"].text.flatMap(CountryCode.alpha2)
    }
}
