package import Telemetry
import TripStore

/// LocationIQ: Nominatim's shape with statuses of its own; "nothing here" is a 404.
package struct LocationIQ: GeocodeProvider {
    package static let name = "locationiq"
    package static let needsKey = true
    package static let publicURL: String? = "https://eu1.locationiq.com/v1"
    package static let terms = ProviderTerms(
        keeping: .forever,
        interval: 500,
        daily: 5_000,
        attribution: "Search by LocationIQ.com, © OpenStreetMap contributors",
        exclusions: "The free plan wants a link to LocationIQ.com."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/reverse",
            query: [
                "key": account.key, "lat": question.point.latitudeText, "lon": question.point.longitudeText,
                "format": "json", "normalizecity": "1", "addressdetails": "1", "accept-language": question.language,
            ]
        )
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        let message = JSON(reply.body)?["error"].text ?? ""
        switch reply.status {
        case 404 where message.lowercased().contains("unable to geocode"): return .nothing
        case 429 where message.lowercased().contains("day"):
            return .quota(until: ReplyJudge.retryTime(reply.headers["retry-after"], now: now), message)
        case 429 where message.lowercased().contains("minute"):
            let until = ReplyJudge.retryTime(reply.headers["retry-after"], now: now)
            return .throttled(until: until ?? now + 60_000, message)
        case 429 where message.lowercased().contains("second"):
            let until = ReplyJudge.retryTime(reply.headers["retry-after"], now: now)
            return .throttled(until: until ?? now + 2_000, message)
        default: break
        }
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            if let error = json["error"].text {
                return error.lowercased().contains("unable to geocode") ? .nothing : .transient(error)
            }
            guard json["address"].isObject else { return .transient("no address in the answer") }
            let found = Self.address(of: json)
            return found.level == .none ? .nothing : .found([found])
        }
    }

    private static func address(of json: JSON) -> FoundAddress {
        let address = json["address"]
        var found = FoundAddress()
        found.house = address["house_number"].text
        found.street = address.firstText("road", "pedestrian", "footway", "square", "place")
        if found.street == nil { found.name = address["name"].text }
        found.district = address.firstText("suburb", "neighbourhood", "city_district")
        found.town = address.firstText("city", "town", "village", "municipality", "hamlet")
        found.region = address.firstText("state", "state_district", "county")
        found.country = address["country"].text
        found.countryCode = address["country_code"].text?.uppercased()
        found.postcode = address["postcode"].text
        found.level = found.levelOfParts
        if let latitude = json["lat"].number, let longitude = json["lon"].number {
            found.point = Coordinate(latitude: latitude, longitude: longitude)
        }
        return found
    }
}
