import Telemetry

/// What is above a street: names by their number in the index, 0 for none.
struct AddressContext: Hashable {
    var district: UInt32 = 0
    var town: UInt32 = 0
    var region: UInt32 = 0
    var country: UInt32 = 0
    /// Two letters, the first in the low byte; 0 for none.
    var countryCode: UInt32 = 0
    var postcode: UInt32 = 0
    var zone: UInt32 = 0
}

/// Each name with its translations once; 0 stands for none.
struct NamePool {
    private(set) var names: [PlaceName] = [PlaceName(own: "")]
    private var numbers: [PlaceName: UInt32] = [:]

    mutating func intern(_ name: PlaceName?) -> UInt32 {
        guard let name, !name.own.isEmpty else { return 0 }
        if let number = numbers[name] { return number }
        let number = UInt32(names.count)
        names.append(name)
        numbers[name] = number
        return number
    }

    mutating func intern(_ text: String) -> UInt32 { intern(PlaceName(own: text)) }
}

/// Finds district, town, region, country and zone of a point, from tags, areas, settlements and the towns of the world.
struct ContextResolver {
    private let areas: [ExtractScan.Area]
    let locator: AreaLocator
    private let settlements: [ExtractScan.Settlement]
    private let named: [String: PlaceName]
    private let towns: TownIndex?
    private let languages: [String]
    /// What the towns of the world say, by hundredths of a degree.
    private var townCache: [UInt64: TownContext] = [:]
    /// The name and the only zone of a country, by its code.
    private var countryCache: [String: (name: PlaceName?, zone: String?)] = [:]

    private struct TownContext {
        var town: PlaceName?
        var region: PlaceName?
        var countryCode: String?
        var zone: String?

        /// The town's names when the text is one of them: what an address calls it comes first.
        func translated(_ text: String) -> PlaceName? {
            guard let town, town.own == text || town.others.contains(where: { $0.text == text }) else { return nil }
            return PlaceName(own: text, others: town.others)
        }
    }

    /// Takes whole areas with their shapes, in the same order.
    init(
        areas: [ExtractScan.Area],
        shapes: [AreaShape],
        settlements: [ExtractScan.Settlement],
        towns: TownIndex?,
        languages: [String]
    ) {
        self.areas = areas
        locator = AreaLocator(shapes: shapes)
        self.settlements = settlements.sorted { $0.place < $1.place }
        self.towns = towns
        self.languages = languages
        var named: [String: PlaceName] = [:]
        for name in areas.filter({ $0.level != 2 }).map(\.name) + settlements.map(\.name) {
            if name.others.count >= named[name.own]?.others.count ?? 0 { named[name.own] = name }
        }
        self.named = named
    }

    /// Finds what is above a point.
    ///
    /// - Parameters:
    ///   - point: the place.
    ///   - tags: what the object itself says, which goes first.
    ///   - strings: the texts of the tags.
    ///   - names: takes the names found.
    /// - Returns: the context with the numbers of its names.
    /// - Throws: `GazetteerError` when the index of towns is damaged.
    mutating func context(
        at point: Coordinate,
        tags: ExtractScan.AddressTags?,
        strings: StringPool,
        names: inout NamePool
    ) throws(GazetteerError) -> AddressContext {
        let inside = locator.areas(containing: point).map { areas[$0] }
        let town = try townContext(at: point)
        let tagged = tags.map { strings[$0.country].uppercased() }
        let country = inside.first { $0.countryCode != nil }
        let code = country?.countryCode ?? (tagged?.utf8.count == 2 ? tagged : nil) ?? town.countryCode ?? ""
        let rules = CountryRules(countryCode: code)
        func area(_ levels: [Int]) -> PlaceName? {
            for level in levels {
                if let found = inside.first(where: { $0.level == level }) { return found.name }
            }
            return nil
        }
        let city = tags.flatMap { $0.city == 0 ? nil : strings[$0.city] }
        let suburb = tags.flatMap { $0.suburb == 0 ? nil : strings[$0.suburb] }
        let townName =
            city.map { named[$0] ?? town.translated($0) ?? PlaceName(own: $0) }
            ?? inside.last { $0.settlement.map { !$0.isDistrict } ?? false }?.name
            ?? area(rules.town)
            ?? settlement(near: point, isDistrict: false)
            ?? town.town
        let districtName =
            suburb.map { named[$0] ?? PlaceName(own: $0) }
            ?? inside.first { $0.settlement?.isDistrict ?? false }?.name
            ?? area(rules.district)
            ?? settlement(near: point, isDistrict: true)
        var context = AddressContext()
        context.town = names.intern(townName)
        context.district = districtName == townName ? 0 : names.intern(districtName)
        context.region = names.intern(rules.region.isEmpty ? nil : area(rules.region) ?? town.region)
        let known = try self.country(code)
        context.country = names.intern(country?.name ?? known.name)
        let letters = Array(code.utf8)
        if letters.count == 2 { context.countryCode = UInt32(letters[0]) | UInt32(letters[1]) << 8 }
        if let tags, tags.postcode != 0 { context.postcode = names.intern(strings[tags.postcode]) }
        // Near a border the nearest town may lie in another zone.
        if let zone = known.zone ?? town.zone { context.zone = names.intern(zone) }
        return context
    }

    /// The settlement that names a point: the nearest relative to how far its kind reaches.
    private func settlement(near point: Coordinate, isDistrict: Bool) -> PlaceName? {
        let band = Int32(SettlementKind.city.reach / 111_000 * 1e7 * 1.01)
        var (low, high) = (0, settlements.count)
        while low < high {
            let middle = (low + high) / 2
            if settlements[middle].place.latitudeE7 < point.latitudeE7 - band {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var best: (share: Double, name: PlaceName)?
        while low < settlements.count, settlements[low].place.latitudeE7 <= point.latitudeE7 + band {
            let candidate = settlements[low]
            low += 1
            guard candidate.kind.isDistrict == isDistrict else { continue }
            let share = candidate.place.distance(to: point) / candidate.kind.reach
            if share <= 1, share < best?.share ?? .infinity { best = (share, candidate.name) }
        }
        return best?.name
    }

    private mutating func townContext(at point: Coordinate) throws(GazetteerError) -> TownContext {
        guard let towns else { return TownContext() }
        let key = UInt64(bitPattern: Int64(point.latitudeE7 / 100_000) << 32 ^ Int64(point.longitudeE7 / 100_000))
        if let known = townCache[key] { return known }
        var context = TownContext()
        if let own = try towns.answer(at: point, language: "", level: .place) {
            var translations: [(language: UInt8, answer: GazetteerAnswer)] = []
            for (number, language) in languages.enumerated() {
                if let answer = try towns.answer(at: point, language: language, level: .place),
                    answer.nameLanguage != nil
                {
                    translations.append((UInt8(number), answer))
                }
            }
            func name(_ part: (GazetteerAnswer) -> String?) -> PlaceName? {
                part(own).map { text in
                    PlaceName(
                        own: text,
                        others: translations.compactMap { entry in
                            part(entry.answer).map { (entry.language, $0) }
                        }
                    )
                }
            }
            context = TownContext(
                town: name(\.town),
                region: name(\.region),
                countryCode: own.countryCode,
                zone: own.timeZone
            )
        }
        townCache[key] = context
        return context
    }

    /// What the towns of the world know about a country.
    private mutating func country(_ code: String) throws(GazetteerError) -> (name: PlaceName?, zone: String?) {
        if let known = countryCache[code] { return known }
        var found: (name: PlaceName?, zone: String?) = (nil, nil)
        if let towns, let own = try towns.countryName(code, language: "") {
            var others: [(language: UInt8, text: String)] = []
            for (number, language) in languages.enumerated() {
                guard let name = try towns.countryName(code, language: language), name.language != nil else { continue }
                others.append((UInt8(number), name.text))
            }
            found = (PlaceName(own: own.text, others: others), try towns.onlyZone(ofCountry: code))
        }
        countryCache[code] = found
        return found
    }
}
