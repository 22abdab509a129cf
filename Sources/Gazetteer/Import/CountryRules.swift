/// Which administrative level is what, by country: the levels of OpenStreetMap mean something else in each.
struct CountryRules {
    var region: [Int]
    var town: [Int]
    var district: [Int]

    /// The rules of a country by its ISO code; a rule that fits most for the rest.
    init(countryCode: String) {
        switch countryCode {
        // Settlements are places there; their administrative units bear other names.
        case "RU": self.init(region: [4], town: [], district: [])
        case "UA", "BY", "KZ", "KG", "UZ", "SE", "NO", "DK": self.init(region: [4], town: [], district: [])
        case "GB", "IE": self.init(region: [6, 5, 4], town: [], district: [10])
        case "FI": self.init(region: [6], town: [8], district: [10])
        case "DE": self.init(region: [4], town: [8, 6], district: [9, 10])
        case "CZ", "SK": self.init(region: [6, 4], town: [8], district: [10])
        case "JP": self.init(region: [4], town: [7, 8], district: [9, 10])
        case "NL": self.init(region: [4], town: [10, 8], district: [])
        case "TR": self.init(region: [4], town: [6], district: [8])
        case "LI", "MC", "LU", "SM", "VA", "AD": self.init(region: [], town: [8], district: [10, 9])
        default: self.init(region: [4], town: [8, 7], district: [10, 9])
        }
    }

    private init(region: [Int], town: [Int], district: [Int]) {
        self.region = region
        self.town = town
        self.district = district
    }
}
