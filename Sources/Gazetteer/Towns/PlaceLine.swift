import Telemetry

/// Words for how far and in which direction a point lies from a place.
struct PlaceLine {
    /// First subtag of the language, lower case.
    private let language: String

    init(language: String) {
        self.language = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
    }

    /// Whether the language names the country first and the place last.
    private var isBigToSmall: Bool { ["ru", "uk", "be", "kk", "zh", "ja", "ko"].contains(language) }

    /// One line for an answer of level `place`, `region` or `country`.
    func line(_ answer: GazetteerAnswer) -> String {
        var parts: [String] = []
        if let finest = answer.district ?? answer.town {
            parts.append(located(finest, answer))
            if answer.district != nil, let town = answer.town { parts.append(town) }
        }
        for part in [answer.region, answer.country] {
            // A city that is its own region, a state that is one city: once is enough.
            if let part, part != answer.town, !parts.contains(part) { parts.append(part) }
        }
        return (isBigToSmall ? parts.reversed() : parts).joined(separator: ", ")
    }

    /// `3.2 km NE of Espoo`; the bare name from nearer than 50 m, where a direction says nothing.
    private func located(_ name: String, _ answer: GazetteerAnswer) -> String {
        guard answer.distance >= 50 else { return name }
        let sector = Int((answer.bearing / 45).rounded()) % 8
        let length = PlaceLine.kilometres(answer.distance, comma: language != "en")
        switch language {
        case "en": return "\(length) km \(PlaceLine.english[sector]) of \(name)"
        case "ru": return "\(name) (\(length) км к \(PlaceLine.russian[sector]))"
        case "de": return "\(length) km \(PlaceLine.german[sector]) von \(name)"
        default: return "\(name) (\(length) km \(PlaceLine.english[sector]))"
        }
    }

    /// One decimal below 10 km, none from there.
    static func kilometres(_ metres: Double, comma: Bool) -> String {
        let tenths = Int((metres / 100).rounded())
        guard tenths < 100 else { return String(Int((metres / 1000).rounded())) }
        return "\(tenths / 10)\(comma ? "," : ".")\(tenths % 10)"
    }

    static let english = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    private static let russian = ["С", "СВ", "В", "ЮВ", "Ю", "ЮЗ", "З", "СЗ"]
    private static let german = ["N", "NO", "O", "SO", "S", "SW", "W", "NW"]
}
