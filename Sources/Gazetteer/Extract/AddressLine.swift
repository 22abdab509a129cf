/// One line for a house or a street, in the order in which its country writes it.
///
/// The facts are those of the OpenCage address-formatting set, shortened to one line without the country, which a list
/// of trips would only repeat; the parts of the answer have it.
enum AddressLine {
    /// How a country writes house and street.
    enum Order {
        /// `12 High Street`
        case numberFirst
        /// `Hauptstraße 12`
        case numberLast
        /// `Rua Augusta, 12`
        case numberAfterComma
    }

    static func order(_ countryCode: String) -> Order {
        if numberFirst.contains(countryCode) { return .numberFirst }
        return numberAfterComma.contains(countryCode) ? .numberAfterComma : .numberLast
    }

    private static let numberFirst: Set<String> = [
        "US", "CA", "GB", "IE", "AU", "NZ", "FR", "MC", "LU", "ZA", "IN", "PK", "LK", "SG", "MY", "PH", "TH", "HK",
        "EG",
        "MA", "DZ", "TN", "IL", "KE", "NG", "GH", "MT", "JM", "VN", "BD", "MM", "GG", "JE", "IM", "GI", "RE", "GP",
        "MQ",
        "GF", "NC", "PF", "CI", "SN", "CM", "MG",
    ]

    private static let numberAfterComma: Set<String> = [
        "RU", "BY", "KZ", "UA", "KG", "UZ", "TJ", "TM", "AM", "AZ", "GE", "MD", "ES", "BR", "PT", "IT", "SM", "VA",
        "RO",
        "LV", "MN", "AR", "UY", "BG",
    ]

    /// Whether the line begins with the town.
    static func isBigToSmall(_ countryCode: String) -> Bool { townFirst.contains(countryCode) }

    private static let townFirst: Set<String> = [
        "RU", "BY", "KZ", "UA", "KG", "UZ", "TJ", "TM", "KR", "KP", "CN", "TW", "JP", "MN",
    ]

    /// Where the postcode goes: before the town, after it, or nowhere in so short a line.
    private static func withPostcode(_ town: String, _ postcode: String?, _ countryCode: String) -> String {
        guard let postcode, !isBigToSmall(countryCode) else { return town }
        return postcodeLast.contains(countryCode) ? "\(town) \(postcode)" : "\(postcode) \(town)"
    }

    private static let postcodeLast: Set<String> = [
        "US", "CA", "GB", "IE", "AU", "NZ", "IN", "ZA", "BR", "SG", "TH", "PK", "LK", "MY", "PH", "GG", "JE", "IM",
        "LV",
        "AR",
    ]

    /// House and street; the house alone where the map knows no street.
    static func street(_ answer: GazetteerAnswer) -> String? {
        let number = answer.house.map(normalized)
        guard let street = answer.street else { return number }
        guard let number else { return street }
        switch order(answer.countryCode ?? "") {
        case .numberFirst: return "\(number) \(street)"
        case .numberLast: return street + " " + number + (answer.countryCode == "HU" ? "." : "")
        case .numberAfterComma: return "\(street), \(number)"
        }
    }

    static func line(_ answer: GazetteerAnswer) -> String {
        let code = answer.countryCode ?? ""
        let town = (answer.town ?? answer.region).map { withPostcode($0, answer.postcode, code) }
        var parts = [street(answer), town].compactMap { $0 }
        // A place that is its own town, as where houses are numbered by village.
        if parts.count == 2, answer.house == nil, answer.street == answer.town { parts.removeFirst() }
        return (isBigToSmall(code) ? parts.reversed() : parts).joined(separator: ", ")
    }

    /// A number as a person writes it in a line: no spaces around what divides it, one between words; "12 к 3" is
    /// "12к3".
    static func normalized(_ number: String) -> String {
        guard number.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x80 }) else { return number }
        var result = ""
        for part in number.split(whereSeparator: \.isWhitespace) {
            if let last = result.last, let first = part.first {
                let isGlued = "-/,;".contains(last) || "-/,;".contains(first)
                let isCyrillicPart = last.isNumber && isCyrillic(first) || isCyrillic(last) && first.isNumber
                if !isGlued && !isCyrillicPart { result += " " }
            }
            result += part
        }
        return result
    }

    private static func isCyrillic(_ letter: Character) -> Bool {
        letter.unicodeScalars.allSatisfy { (0x0400...0x04FF).contains($0.value) }
    }
}
