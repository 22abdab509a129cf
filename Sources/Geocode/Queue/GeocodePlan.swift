import Foundation
package import Gazetteer
import Telemetry
package import TripStore

/// Which sources are asked, in which order and how, as a command or daemon was told.
///
///     let plan = try GeocodePlan(environment: ProcessInfo.processInfo.environment)
///     let gazetteer = plan.asksOffline ? OfflineGazetteer(sources: [try GazetteerFiles.openTowns()]) : nil
///     let queue = try plan.queue(storage: store, gazetteer: gazetteer)
///     try await queue.drain { progress in … }
package struct GeocodePlan: Sendable {
    /// The sources in order, `offline` among them if it is asked.
    package let names: [String]
    package let language: String
    package let wanted: AddressLevel
    package let providers: [ConfiguredProvider]
    private let http: HTTPConfiguration
    private let workers: Int
    private let leaseSeconds: Int

    /// Reads the settings.
    ///
    /// Variables: `ODOGRAPH_PROVIDERS`, `ODOGRAPH_LANGUAGE`, those of `ProviderCatalog`, `ODOGRAPH_GEOCODE_CONTACT` (a
    /// mail address or URL for the User-Agent), `ODOGRAPH_GEOCODE_PROXY`, `ODOGRAPH_GEOCODE_TIMEOUT_S`,
    /// `ODOGRAPH_GEOCODE_LEASE_S` (after which another process may take a task over) and `ODOGRAPH_GEOCODE_WORKERS`.
    ///
    /// - Parameters:
    ///   - providers: names with commas; nil takes the variable, else `offline`.
    ///   - language: BCP 47 tag; nil takes the variable, else `en`.
    ///   - wanted: the level at which the search ends.
    ///   - allowsPublicNominatim: whether the operator said so.
    ///   - environment: variables by name.
    /// - Throws: `ProviderError`.
    package init(
        providers: String? = nil,
        language: String? = nil,
        wanted: AddressLevel = .house,
        allowsPublicNominatim: Bool = false,
        environment: [String: String]
    ) throws(ProviderError) {
        let list = providers ?? environment["ODOGRAPH_PROVIDERS"] ?? OfflineStep.providerName
        var names: [String] = []
        for name in list.lowercased().split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init)
        where !names.contains(name) { names.append(name) }
        guard !names.isEmpty else { throw ProviderError(kind: .badSetting, message: "no provider is named") }
        self.names = names
        self.language = try GeocodePlan.checked(language ?? environment["ODOGRAPH_LANGUAGE"] ?? "en")
        self.wanted = wanted
        var configured: [ConfiguredProvider] = []
        for name in names where name != OfflineStep.providerName {
            configured.append(
                try ProviderCatalog.provider(
                    named: name,
                    environment: environment,
                    allowsPublicNominatim: allowsPublicNominatim
                )
            )
        }
        self.providers = configured
        let contact = environment["ODOGRAPH_GEOCODE_CONTACT"] ?? ""
        if configured.contains(where: { $0.highestConcurrency == 1 }), contact.isEmpty {
            throw ProviderError(
                kind: .publicService,
                message: "the public Nominatim wants to know who asks: set ODOGRAPH_GEOCODE_CONTACT to a mail address"
            )
        }
        http = try GeocodePlan.http(contact: contact, environment: environment)
        workers = try GeocodePlan.number("ODOGRAPH_GEOCODE_WORKERS", in: environment, range: 1...64) ?? 4
        leaseSeconds = try GeocodePlan.number("ODOGRAPH_GEOCODE_LEASE_S", in: environment, range: 1...3600) ?? 180
    }

    /// Whether the offline index is among the sources.
    package var asksOffline: Bool { names.contains(OfflineStep.providerName) }

    /// What is to be shown with the addresses, apart from the offline index's own credit.
    package var attributions: [String] {
        providers.compactMap(\.terms.attribution).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// What the plans of the chosen providers exclude, for a warning at the start.
    package var exclusions: [(provider: String, text: String)] {
        providers.compactMap { configured in
            configured.terms.exclusions.map { (provider: configured.provider.name, text: $0) }
        }
    }

    /// A queue over a store.
    ///
    /// - Parameters:
    ///   - storage: the store; opened with mode `share` it needs no lock.
    ///   - gazetteer: the offline index, if it is asked.
    ///   - clock: what time it is.
    /// - Returns: a queue that nothing runs yet.
    /// - Throws: `ProviderError` of kind `unusable`.
    package func queue(
        storage: any GeocodeStorage,
        gazetteer: OfflineGazetteer?,
        clock: any GeocodeClock = WallClock()
    ) throws(ProviderError) -> GeocodeQueue {
        var configuration = GeocodeQueue.Configuration(owner: UUID().uuidString)
        configuration.language = language
        configuration.wanted = wanted
        configuration.lease = Int64(leaseSeconds) * 1000
        let lanes = providers.isEmpty ? 1 : providers.compactMap(\.highestConcurrency).reduce(workers, min)
        var resolvers: [Resolver] = []
        for _ in 0..<lanes {
            resolvers.append(try resolver(storage: storage, gazetteer: gazetteer, clock: clock))
        }
        return GeocodeQueue(storage: storage, resolvers: resolvers, configuration: configuration, clock: clock)
    }

    /// A resolver with connections of its own.
    package func resolver(
        storage: any GeocodeStorage,
        gazetteer: OfflineGazetteer?,
        clock: any GeocodeClock = WallClock()
    ) throws(ProviderError) -> Resolver {
        var sources: [ProviderSource] = []
        for configured in providers {
            do {
                sources.append(
                    ProviderSource(
                        provider: configured.provider,
                        terms: configured.terms,
                        transport: try CurlTransport(configuration: http)
                    )
                )
            } catch {
                throw ProviderError(kind: .unusable, message: error.message)
            }
        }
        return Resolver(
            offline: asksOffline ? gazetteer.map(OfflineStep.init) : nil,
            sources: sources,
            storage: storage,
            clock: clock
        )
    }

    private static func checked(_ language: String) throws(ProviderError) -> String {
        let isTag =
            (2...35).contains(language.utf8.count)
            && language.utf8.allSatisfy {
                $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        guard isTag else {
            throw ProviderError(kind: .badSetting, message: "the language is no tag such as en or pt-BR")
        }
        return language
    }

    private static func http(contact: String, environment: [String: String]) throws(ProviderError) -> HTTPConfiguration
    {
        guard contact.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ProviderError(kind: .badSetting, message: "ODOGRAPH_GEOCODE_CONTACT is to be plain ASCII")
        }
        var http = HTTPConfiguration(userAgent: "Odograph/1" + (contact.isEmpty ? "" : " (\(contact))"))
        if let proxy = environment["ODOGRAPH_GEOCODE_PROXY"], !proxy.isEmpty { http.proxy = proxy }
        if let seconds = try number("ODOGRAPH_GEOCODE_TIMEOUT_S", in: environment, range: 1...120) {
            http.timeout = seconds * 1000
            http.connectTimeout = min(http.connectTimeout, http.timeout)
        }
        return http
    }

    private static func number(
        _ name: String,
        in environment: [String: String],
        range: ClosedRange<Int>
    ) throws(ProviderError) -> Int? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ProviderError(
                kind: .badSetting,
                message: "\(name) is to be a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }
}
