import TripStore

/// One line in the order in which the country writes it.
package enum AddressLine {
    private enum Order {
        /// Street 5, town, country
        case numberAfterStreet(separator: String, suffix: String)
        /// 5 Street, town, country
        case numberBeforeStreet
        /// Country, region, town, street, 5
        case largeToSmall
    }

    /// Which order a country has, by its ISO 3166-1 alpha-2 code in upper case.
    private static func order(of country: String?) -> Order {
        switch country ?? "" {
        case "GB", "IE", "US", "CA", "AU", "NZ", "ZA", "IN", "FR", "LU", "MC", "SG", "PH", "MY", "KE", "NG", "GH", "PK",
            "LK", "TH", "IL", "EG", "MA", "TN", "DZ", "HK", "MT", "JM", "TT", "BD":
            .numberBeforeStreet
        case "ES", "PT", "BR":
            .numberAfterStreet(separator: ", ", suffix: "")
        case "HU": .numberAfterStreet(separator: " ", suffix: ".")
        case "RU", "BY", "KZ", "UA", "KG", "UZ", "TJ", "TM", "CN", "JP", "KR", "KP", "TW": .largeToSmall
        default: .numberAfterStreet(separator: " ", suffix: "")
        }
    }

    /// The line of an address; empty when it has no parts.
    package static func line(of address: FoundAddress) -> String {
        let order = order(of: address.countryCode?.uppercased())
        var street = address.street ?? address.name
        if let house = address.house {
            let road = address.street ?? address.district ?? address.name
            street =
                switch (road, order) {
                case (nil, _): house
                case (let road?, .numberAfterStreet(let separator, let suffix)): road + separator + house + suffix
                case (let road?, .numberBeforeStreet): house + " " + road
                case (let road?, .largeToSmall): road + ", " + house
                }
        }
        // The town says where a street is; the region only where a town is, or where there is no town.
        let isCoarse = street == nil
        var parts = [street]
        if isCoarse || address.town == nil { parts.append(address.district) }
        parts.append(address.town)
        if isCoarse || address.town == nil { parts.append(address.region) }
        parts.append(address.country)
        var line: [String] = []
        for case let part? in parts where !part.isEmpty && !line.contains(part) { line.append(part) }
        if case .largeToSmall = order { line.reverse() }
        return line.joined(separator: ", ")
    }
}
