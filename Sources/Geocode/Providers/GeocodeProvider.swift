package import Telemetry
package import TripStore

/// What is asked first, and what is asked when that finds nothing.
package enum GeocodeStep: Hashable, Sendable {
    /// The nearest houses, with their points.
    case houses
    /// Whatever is there: a house, else a road, else a settlement.
    case anything
}

/// One provider's language, a value without state: how a question is put and what an answer means.
package protocol GeocodeProvider: Sendable {
    /// The name on the command line and in settings.
    static var name: String { get }
    /// What its own terms say.
    static var terms: ProviderTerms { get }
    /// Where it is; nil for one that only exists where somebody runs it.
    static var publicURL: String? { get }
    static var needsKey: Bool { get }

    init(account: ProviderAccount)

    /// What to ask for a wanted level, in this order, until something is found.
    func steps(for wanted: AddressLevel) -> [GeocodeStep]
    func request(for question: GeocodeQuestion, step: GeocodeStep) -> HTTPRequest
    /// What a reply means; statuses that mean the same everywhere are judged by `ReplyJudge`.
    func outcome(of reply: HTTPReply, step: GeocodeStep, now: Timestamp) -> GeocodeOutcome
    /// How many houses `houses` asks for, and how far it looks in metres, where the provider is told.
    var houseSearch: (limit: Int, radius: Double?) { get }
}

extension GeocodeProvider {
    package var name: String { Self.name }

    package func steps(for wanted: AddressLevel) -> [GeocodeStep] { [.anything] }

    package var houseSearch: (limit: Int, radius: Double?) { (1, nil) }
}

/// Where a provider is and who asks; never printed.
package struct ProviderAccount: Sendable {
    package var baseURL: String
    package var key: String?
    /// Further settings of this provider by name, in lower case.
    package var options: [String: String] = [:]

    package init(baseURL: String, key: String? = nil) {
        self.baseURL = baseURL
        self.key = key
    }
}
