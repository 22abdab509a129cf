import Foundation

/// Settings of the providers that cannot be used: code switches on `kind`; `message` is for people and holds no key.
package struct ProviderError: Error, Hashable, Sendable {
    package enum Kind: Sendable {
        case unknownProvider
        case missingURL
        case missingKey
        /// The public Nominatim without the flag that allows it.
        case publicService
        case badSetting
        /// libcurl cannot be set up.
        case unusable
    }

    package var kind: Kind
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// A provider that is set up but not yet connected.
package struct ConfiguredProvider: Sendable {
    package let provider: any GeocodeProvider
    package let terms: ProviderTerms
    /// Highest number of calls at once; nil leaves it to the number of workers.
    package let highestConcurrency: Int?
}

/// All providers, and how they are set up from the environment.
package enum ProviderCatalog {
    package static let providers: [any GeocodeProvider.Type] = [
        Nominatim.self, Photon.self, Pelias.self, Yandex.self, OpenCage.self, LocationIQ.self, Google.self, Here.self,
        TomTom.self,
    ]

    /// Names for `--provider`, the offline index first.
    package static var names: [String] { [OfflineStep.providerName] + providers.map { $0.name } }

    /// Sets up a provider from variables such as `ODOGRAPH_NOMINATIM_URL`.
    ///
    /// For each provider: `_URL`, `_KEY` or `_KEY_FILE`, `_PER_SECOND`, `_PER_DAY` (0 for no limit), `_KEEP_DAYS`
    /// (a number, or `forever` where a contract allows it), `_RESET_ZONE`, and `_EMAIL` for Nominatim.
    ///
    /// - Parameters:
    ///   - name: one of `names` but `offline`.
    ///   - environment: variables by name.
    ///   - allowsPublicNominatim: whether the operator said that the public service may be used.
    /// - Returns: the provider with its terms.
    /// - Throws: `ProviderError`.
    package static func provider(
        named name: String,
        environment: [String: String],
        allowsPublicNominatim: Bool = false
    ) throws(ProviderError) -> ConfiguredProvider {
        guard let type = providers.first(where: { $0.name == name }) else {
            throw ProviderError(
                kind: .unknownProvider,
                message: "there is no provider \(name); known are \(names.joined(separator: ", "))"
            )
        }
        let settings = Settings(prefix: "ODOGRAPH_\(name.uppercased())_", environment: environment)
        var terms = type.terms
        var baseURL = settings["URL"] ?? type.publicURL
        if type == Nominatim.self, baseURL == nil, allowsPublicNominatim { baseURL = "https://\(Nominatim.publicHost)" }
        guard let baseURL else {
            throw ProviderError(kind: .missingURL, message: "\(name) needs \(settings.prefix)URL, where your server is")
        }
        guard let parts = URLComponents(string: baseURL), let host = parts.host?.lowercased(), !host.isEmpty,
            ["http", "https"].contains(parts.scheme?.lowercased() ?? "")
        else {
            throw ProviderError(kind: .badSetting, message: "\(settings.prefix)URL is no http or https URL")
        }
        let isPublic =
            host == Nominatim.publicHost || host.hasSuffix("." + Nominatim.publicHost)
            || host == Nominatim.publicHost + "."
        if isPublic {
            guard allowsPublicNominatim else {
                throw ProviderError(
                    kind: .publicService,
                    message: """
                        the public Nominatim is for people, not for fleets; --public-nominatim uses it anyway, one \
                        call a second
                        """
                )
            }
            terms = Nominatim.publicTerms
        }
        try settings.apply(to: &terms)
        if isPublic { terms.interval = max(terms.interval, Nominatim.publicTerms.interval) }
        var account = ProviderAccount(baseURL: baseURL, key: try settings.key())
        account.options["email"] = settings["EMAIL"]
        if type.needsKey, account.key == nil {
            throw ProviderError(
                kind: .missingKey,
                message: "\(name) needs \(settings.prefix)KEY or \(settings.prefix)KEY_FILE"
            )
        }
        return ConfiguredProvider(
            provider: type.init(account: account),
            terms: terms,
            highestConcurrency: isPublic ? 1 : nil
        )
    }

    /// The variables of one provider.
    private struct Settings {
        let prefix: String
        let environment: [String: String]

        subscript(name: String) -> String? {
            guard let text = environment[prefix + name], !text.isEmpty else { return nil }
            return text
        }

        func key() throws(ProviderError) -> String? {
            if let key = self["KEY"] { return key }
            guard let path = self["KEY_FILE"] else { return nil }
            // The variable is named, not the system's reason, which holds the path alone.
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw ProviderError(kind: .missingKey, message: "cannot read the file that \(prefix)KEY_FILE names")
            }
            let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return key.isEmpty ? nil : key
        }

        func apply(to terms: inout ProviderTerms) throws(ProviderError) {
            if let text = self["PER_SECOND"] {
                guard let rate = Double(text), rate > 0, rate <= 1000 else { throw bad("PER_SECOND", "0 to 1000") }
                terms.interval = max(1, Int64((1000 / rate).rounded(.up)))
            }
            if let text = self["PER_DAY"] {
                guard let daily = Int64(text), daily >= 0 else { throw bad("PER_DAY", "a whole number") }
                terms.daily = daily == 0 ? nil : daily
            }
            if let text = self["KEEP_DAYS"] {
                if text == "forever" {
                    terms.keeping = .forever
                } else {
                    guard let days = Int(text), (0...36_500).contains(days) else {
                        throw bad("KEEP_DAYS", "a number of days or forever")
                    }
                    terms.keeping = days == 0 ? .notAtAll : .days(days)
                }
            }
            if let zone = self["RESET_ZONE"] {
                guard TimeZone(identifier: zone) != nil else { throw bad("RESET_ZONE", "an IANA time zone") }
                terms.resetZone = zone
            }
        }

        private func bad(_ name: String, _ expected: String) -> ProviderError {
            ProviderError(kind: .badSetting, message: "\(prefix)\(name) is to be \(expected)")
        }
    }
}
