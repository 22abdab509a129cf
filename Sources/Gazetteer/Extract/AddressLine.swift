/// One line for a house or a street, in the order in which its country writes it.
///
/// The facts are those of the OpenCage address-formatting set, shortened to one line without the country, which a list
/// of trips would only repeat; the parts of the answer have it.
enum AddressLine {
    /// What a country does otherwise than most.
    private struct Habits: OptionSet {
        let rawValue: UInt8
        /// `12 High Street`, where most write `Hauptstraße 12`.
        static let numberFirst = Habits(rawValue: 1)
        /// `Rua Augusta, 12`.
        static let comma = Habits(rawValue: 2)
        /// The line begins with the town.
        static let townFirst = Habits(rawValue: 4)
        /// The postcode stands behind the town.
        static let postcodeLast = Habits(rawValue: 8)
        /// The number ends in a full stop.
        static let fullStop = Habits(rawValue: 16)

        private static let table: [Habits] = {
            let groups: [(Habits, String)] = [
                (
                    .numberFirst,
                    "US CA GB IE AU NZ FR MC LU ZA IN PK LK SG MY PH TH HK EG MA DZ TN IL KE NG GH MT JM VN BD MM GG JE IM "
                        + "GI RE GP MQ GF NC PF CI SN CM MG"
                ),
                (.comma, "RU BY KZ UA KG UZ TJ TM AM AZ GE MD ES BR PT IT SM VA RO LV MN AR UY BG"),
                (.townFirst, "RU BY KZ UA KG UZ TJ TM KR KP CN TW JP MN"),
                (.postcodeLast, "US CA GB IE AU NZ IN ZA BR SG TH PK LK MY PH GG JE IM LV AR"),
                (.fullStop, "HU"),
            ]
            var table = [Habits](repeating: [], count: 26 * 26)
            for (habit, codes) in groups {
                for code in codes.split(separator: " ") {
                    if let index = index(code.utf8) { table[index].insert(habit) }
                }
            }
            return table
        }()

        private static func index(_ letters: some Collection<UInt8>) -> Int? {
            guard letters.count == 2, letters.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
            return letters.reduce(0) { $0 * 26 + Int($1 - 0x41) }
        }

        static func of(_ countryCode: String) -> Habits { index(countryCode.utf8).map { table[$0] } ?? [] }
    }

    /// House and street; the house alone where the map knows no street.
    private static func street(_ answer: GazetteerAnswer, _ habits: Habits) -> String? {
        guard let number = answer.house.map(normalized) else { return answer.street }
        guard let street = answer.street else { return number }
        if habits.contains(.numberFirst) { return number + " " + street }
        if habits.contains(.comma) { return street + ", " + number }
        return habits.contains(.fullStop) ? street + " " + number + "." : street + " " + number
    }

    static func line(_ answer: GazetteerAnswer) -> String {
        let habits = Habits.of(answer.countryCode ?? "")
        guard var town = answer.town ?? answer.region else { return street(answer, habits) ?? "" }
        // A place that is its own town, as where houses are numbered by village.
        let isItsOwnTown = answer.house == nil && answer.street == answer.town
        if let postcode = answer.postcode, !habits.contains(.townFirst) {
            town = habits.contains(.postcodeLast) ? town + " " + postcode : postcode + " " + town
        }
        guard !isItsOwnTown, let street = street(answer, habits) else { return town }
        return habits.contains(.townFirst) ? town + ", " + street : street + ", " + town
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
