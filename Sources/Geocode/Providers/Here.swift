package import Telemetry
package import TripStore

/// HERE Geocoding and Search v7: the nearest addresses, else whatever is there.
package struct Here: GeocodeProvider {
    package static let name = "here"
    package static let needsKey = true
    package static let publicURL: String? = "https://revgeocode.search.hereapi.com/v1"
    package static let terms = ProviderTerms(
        keeping: .days(30),
        interval: 200,
        daily: 1_000,
        attribution: "© HERE",
        exclusions: "The Limited and Base plans exclude asset management and telematics."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package var houseSearch: (limit: Int, radius: Double?) { (10, nil) }

    package func steps(for wanted: AddressLevel) -> [GeocodeStep] {
        wanted <= .interpolated ? [.houses, .anything] : [.anything]
    }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/revgeocode",
            query: [
                "at": "\(question.point.latitudeText),\(question.point.longitudeText)", "lang": question.language,
                "limit": step == .houses ? "10" : "5", "types": step == .houses ? "address" : nil,
                "apiKey": account.key,
            ]
        )
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            guard json["items"].isArray else {
                return .transient(json.firstText("title", "error_description") ?? "no items in the answer")
            }
            let found = json["items"].elements.map(Self.address).filter { $0.level != .none }
            return found.isEmpty ? .nothing : .found(found)
        }
    }

    private static func address(of item: JSON) -> FoundAddress {
        let address = item["address"]
        let type = item["resultType"].text
        var found = FoundAddress()
        found.house = address["houseNumber"].text
        found.street = address["street"].text
        if type == "place" { found.name = item["title"].text }
        found.district = address["district"].text
        found.town = address["city"].text
        found.region = address.firstText("state", "county")
        found.country = address["countryName"].text
        found.countryCode = address["countryCode"].text.flatMap(CountryCode.alpha2)
        found.postcode = address["postalCode"].text
        found.level = found.levelOfParts
        if found.level == .house, item["houseNumberType"].text == "interpolated" { found.level = .interpolated }
        if let latitude = item["position"]["lat"].number, let longitude = item["position"]["lng"].number {
            found.point = Coordinate(latitude: latitude, longitude: longitude)
        }
        return found
    }
}
