package import Telemetry
package import TripStore

/// Photon: the nearest houses by distance, else whatever is there.
package struct Photon: GeocodeProvider {
    package static let name = "photon"
    package static let needsKey = false
    package static let publicURL: String? = nil
    package static let terms = ProviderTerms(
        keeping: .forever,
        interval: 20,
        attribution: "© OpenStreetMap contributors",
        exclusions: "The public server photon.komoot.io is for reasonable use and bans extensive use."
    )

    private let account: ProviderAccount

    package init(account: ProviderAccount) { self.account = account }

    package var houseSearch: (limit: Int, radius: Double?) { (10, 150) }

    package func steps(for wanted: AddressLevel) -> [GeocodeStep] {
        wanted <= .interpolated ? [.houses, .anything] : [.anything]
    }

    package func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest {
        HTTPRequest(
            base: account.baseURL,
            path: "/reverse",
            query: [
                "lat": question.point.latitudeText, "lon": question.point.longitudeText,
                "radius": step == .houses ? "0.15" : "1", "limit": step == .houses ? "10" : "5",
                "layer": step == .houses ? "house" : nil, "lang": Self.language(question.language),
            ]
        )
    }

    /// Photon takes one bare language; a region subtag would be refused.
    private static func language(_ tag: String) -> String { String(tag.prefix { $0 != "-" && $0 != "_" }) }

    package func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome {
        switch ReplyJudge.json(of: reply, now: now) {
        case .failure(let verdict): return verdict.outcome
        case .success(let json):
            guard json["features"].isArray else { return .transient("no features in the answer") }
            let found = json["features"].elements.map { feature in
                var found = GeocodeJSON.address(of: feature["properties"])
                found.point = GeocodeJSON.point(of: feature["geometry"]["coordinates"])
                return found
            }
            return found.isEmpty ? .nothing : .found(found)
        }
    }
}
