package import Telemetry
import TripStore

/// Google's Geocoding API: the answer's own `status` counts, not that of HTTP.
package struct Google: GeocodeProvider {
    package static let name = "google"
    package static let needsKey = true
    package static let publicURL: String? = "https://maps.googleapis.com/maps/api/geocode"
    package static let terms = ProviderTerms(
        keeping: .notAtAll,
        interval: 20,
        resetZone: "America/Los_Angeles",
        attribution: "Google Maps",
        exclusions: "Its terms forbid keeping addresses; vehicles have a plan of their own (Asset Tracking)."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/json",
            query: [
                "latlng": "\(question.point.latitudeText),\(question.point.longitudeText)",
                "language": question.language, "key": account.key,
            ]
        )
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        let body = JSON(ReplyJudge.decodedBody(of: reply))
        let text = body?["error_message"].text
        switch body?["status"].text {
        case "OK":
            // A plus code is an address for nobody; it may come first.
            let found = (body?["results"].elements ?? [])
                .filter { !$0["types"].elements.contains { $0.text == "plus_code" } }
                .map(Self.address).filter { $0.level != .none }
            return found.isEmpty ? .nothing : .found(found)
        case "ZERO_RESULTS": return .nothing
        case "OVER_DAILY_LIMIT": return .quota(until: nil, text ?? "OVER_DAILY_LIMIT")
        case "OVER_QUERY_LIMIT":
            // The same word stands for the second and for the day; only the message tells.
            let isDaily = ReplyJudge.isDaily(HTTPReply(status: 429, body: Array((text ?? "").utf8)))
            let until = ReplyJudge.retryTime(reply.headers["retry-after"], now: now)
            return isDaily
                ? .quota(until: until, text ?? "OVER_QUERY_LIMIT")
                : .throttled(until: until, text ?? "OVER_QUERY_LIMIT")
        case "REQUEST_DENIED": return .denied(text ?? "REQUEST_DENIED")
        case "INVALID_REQUEST": return .badRequest(text ?? "INVALID_REQUEST")
        case let status?: return .transient(status)
        case nil:
            guard reply.status == 200 else { return ReplyJudge.outcome(ofStatus: reply, now: now) }
            return .transient(body == nil ? "the answer is no JSON" : "no status in the answer")
        }
    }

    private static func address(of result: JSON) -> FoundAddress {
        var found = FoundAddress()
        var towns: [Int: String] = [:]
        for component in result["address_components"].elements {
            let name = component["long_name"].text
            for type in component["types"].elements.compactMap(\.text) {
                switch type {
                case "street_number": found.house = name
                case "route": found.street = name
                case "locality": towns[0] = name
                case "postal_town": towns[1] = name
                case "administrative_area_level_3": towns[2] = name
                case "sublocality", "neighborhood": found.district = found.district ?? name
                case "administrative_area_level_1": found.region = name
                case "country":
                    found.country = name
                    found.countryCode = component["short_name"].text
                case "postal_code": found.postcode = name
                case "premise", "point_of_interest", "natural_feature", "park", "establishment":
                    found.name = found.name ?? name
                default: break
                }
            }
        }
        found.town = towns[0] ?? towns[1] ?? towns[2]
        found.level = found.levelOfParts
        let geometry = result["geometry"]
        if found.level == .house, geometry["location_type"].text == "RANGE_INTERPOLATED" { found.level = .interpolated }
        if let latitude = geometry["location"]["lat"].number, let longitude = geometry["location"]["lng"].number {
            found.point = Coordinate(latitude: latitude, longitude: longitude)
        }
        return found
    }
}
