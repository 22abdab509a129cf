package import Telemetry
import TripStore

/// OpenCage: one answer in parts, of open data that may be kept.
package struct OpenCage: GeocodeProvider {
    package static let name = "opencage"
    package static let needsKey = true
    package static let publicURL: String? = "https://api.opencagedata.com/geocode/v1"
    package static let terms = ProviderTerms(
        keeping: .forever,
        interval: 1_000,
        daily: 2_500,
        attribution: "© OpenStreetMap contributors",
        exclusions: "The trial is for tests."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/json",
            query: [
                "q": "\(question.point.latitudeText),\(question.point.longitudeText)", "key": account.key,
                "language": question.language, "no_annotations": "1", "limit": "1", "no_record": "1",
            ]
        )
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        if reply.status == 402 {
            let reset =
                JSON(reply.body)?["rate"]["reset"].number ?? reply.headers["x-ratelimit-reset"].flatMap(Double.init)
            let until = reset.flatMap { $0 > 0 && $0 < 1e11 ? Timestamp(seconds: Int64($0)) : nil }
            return .quota(until: until.map { min(max($0, now + 1000), now + ReplyJudge.longestPause) }, "HTTP 402")
        }
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            if let code = json["status"]["code"].number, code != 200 {
                // The same codes, in the body of an answer of status 200.
                var inner = reply
                inner.status = Int(code)
                return outcome(of: inner, step: step, now: now)
            }
            guard json["results"].isArray else { return .transient("no results in the answer") }
            let found = json["results"].elements.map(Self.address)
            return found.isEmpty ? .nothing : .found(found)
        }
    }

    private static func address(of result: JSON) -> FoundAddress {
        let components = result["components"]
        var found = FoundAddress()
        found.house = components["house_number"].text
        found.street = components.firstText("road", "pedestrian", "footway", "square")
        found.district = components.firstText("suburb", "city_district", "neighbourhood", "quarter")
        found.town = components.firstText("_normalized_city", "city", "town", "village", "municipality", "hamlet")
        found.region = components.firstText("state", "state_district", "county")
        found.country = components["country"].text
        found.countryCode = components["country_code"].text?.uppercased()
        found.postcode = components["postcode"].text
        if let type = components["_type"].text, found.street == nil { found.name = components[type].text }
        if let water = components["body_of_water"].text, found.town == nil { found.name = water }
        found.level = found.levelOfParts
        if let latitude = result["geometry"]["lat"].number, let longitude = result["geometry"]["lng"].number {
            found.point = Coordinate(latitude: latitude, longitude: longitude)
        }
        return found
    }
}
