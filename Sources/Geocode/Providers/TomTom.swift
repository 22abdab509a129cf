import Foundation
package import Telemetry
import TripStore

/// TomTom's reverse geocoding: one answer; a 403 may only mean "too fast".
package struct TomTom: GeocodeProvider {
    package static let name = "tomtom"
    package static let needsKey = true
    package static let publicURL: String? = "https://api.tomtom.com/search/2"
    package static let terms = ProviderTerms(
        keeping: .days(30),
        interval: 200,
        daily: 2_500,
        attribution: "© TomTom",
        exclusions: "How long answers may be kept depends on the contract."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/reverseGeocode/\(question.point.latitudeText),\(question.point.longitudeText).json",
            query: ["key": account.key, "radius": "200", "language": question.language]
        )
    }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        if reply.status == 403 {
            let text = String(decoding: reply.body.prefix(4096), as: UTF8.self).lowercased()
            let until = ReplyJudge.retryTime(reply.headers["retry-after"], now: now)
            if text.contains("over qps") { return .throttled(until: until ?? now + 2_000, "over QPS") }
            if text.contains("over rate") || text.contains("over quota") { return .quota(until: until, "over quota") }
        }
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            guard json["addresses"].isArray else {
                return .transient(json["errorText"].text ?? "no addresses in the answer")
            }
            let found = json["addresses"].elements.map(Self.address).filter { $0.level != .none }
            return found.isEmpty ? .nothing : .found(found)
        }
    }

    private static func address(of entry: JSON) -> FoundAddress {
        let address = entry["address"]
        var found = FoundAddress()
        found.house = address.firstText("streetNumber", "buildingNumber")
        found.street = address.firstText("streetName", "street")
        found.district = address["municipalitySubdivision"].text
        found.town = address["municipality"].text
        found.region = address.firstText("countrySubdivisionName", "countrySubdivision", "countrySecondarySubdivision")
        found.country = address["country"].text
        found.countryCode = address["countryCode"].text?.uppercased()
        found.postcode = address["postalCode"].text
        found.level = found.levelOfParts
        let numbers = (entry["position"].text ?? "").split(separator: ",").compactMap { Double($0) }
        if numbers.count == 2 { found.point = Coordinate(latitude: numbers[0], longitude: numbers[1]) }
        return found
    }
}
