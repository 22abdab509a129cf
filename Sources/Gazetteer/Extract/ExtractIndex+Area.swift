import Telemetry

extension ExtractIndex {
    /// An area or a settlement by its stored facts.
    struct FoundArea {
        var name: Int
        var level: Int
        var settlement: SettlementKind?
        var countryCode: String?
    }

    /// The place that names a point away from houses and streets: the settlement whose area contains it, else the
    /// nearest one relative to its reach, else the municipality, the region or the country that contains it.
    func area(
        around point: Coordinate,
        language: String,
        level: AnswerLevel
    ) throws(GazetteerError) -> GazetteerAnswer? {
        let inside = try areas(containing: point)
        let nearest = level <= .place ? try settlement(near: point) : nil
        guard !inside.isEmpty || nearest != nil else { return nil }
        let country = inside.first { $0.countryCode != nil }
        let rules = CountryRules(countryCode: country?.countryCode ?? "")
        func area(_ levels: [Int]) -> FoundArea? {
            for level in levels {
                if let found = inside.first(where: { $0.level == level }) { return found }
            }
            return nil
        }
        let containing = inside.last { $0.settlement.map { !$0.isDistrict } ?? false }
        let town = level <= .place ? containing?.name ?? nearest?.name ?? area(rules.town)?.name : nil
        let region = level <= .region ? area(rules.region)?.name : nil
        let isNear = town != nil && containing == nil && nearest != nil
        guard town ?? region ?? country?.name != nil else { return nil }
        var answer = GazetteerAnswer(
            level: town != nil ? .place : region != nil ? .region : .country,
            distance: isNear ? nearest?.distance ?? 0 : 0,
            bearing: isNear ? nearest?.place.bearing(to: point) ?? 0 : 0,
            point: isNear ? nearest?.place ?? point : point,
            attribution: attribution
        )
        if let town, let (text, found) = try name(town, language: language) {
            (answer.town, answer.nameLanguage) = (text, found)
        }
        if let region { answer.region = try name(region, language: language)?.text }
        if let country {
            answer.country = try name(country.name, language: language)?.text
            answer.countryCode = country.countryCode
        }
        answer.line = PlaceLine(language: language).line(answer)
        return answer
    }

    /// The areas that contain a point, coarse levels first, settlements before all.
    func areas(containing point: Coordinate) throws(GazetteerError) -> [FoundArea] {
        let key = UInt32(
            AreaLocator.row(point.latitudeE7) * AreaLocator.columns + AreaLocator.column(point.longitudeE7)
        )
        let rank = try grid.rank(notBelow: key)
        guard rank < grid.cellCount, try grid.key(rank) == key else { return [] }
        let entries = try grid.block(rank)
        var offset = 0
        let count = try entries.varint(at: &offset)
        var result: [FoundArea] = []
        for _ in 0..<min(count, entries.count) {
            let entry = try entries.varint(at: &offset)
            let record = try areas[entry >> 1]
            if entry & 1 == 0, try !contains(record, point) { continue }
            result.append(
                FoundArea(
                    name: Int(try record.load(UInt32.self, at: 0)),
                    level: Int(try record.load(UInt8.self, at: 4)),
                    settlement: SettlementKind(rawValue: try record.load(UInt8.self, at: 5)),
                    countryCode: ExtractIndex.countryCode(Int(try record.load(UInt16.self, at: 6)))
                )
            )
        }
        return result
    }

    private func contains(_ record: Bytes, _ point: Coordinate) throws(GazetteerError) -> Bool {
        var offset = 8
        var isInside = false
        let rings = try record.varint(at: &offset)
        for _ in 0..<rings {
            let vertices = try record.varint(at: &offset)
            var last: Coordinate?
            var (north, east) = (0, 0)
            for _ in 0..<vertices {
                north &+= try record.signedVarint(at: &offset) &* ExtractGrid.vertexUnitE7
                east &+= try record.signedVarint(at: &offset) &* ExtractGrid.vertexUnitE7
                guard north.magnitude <= 900_000_000, east.magnitude <= 1_800_000_000 else { throw Bytes.damage }
                let vertex = Coordinate(latitudeE7: Int32(north), longitudeE7: Int32(east))
                if let last, AreaShape.crosses(point, last, vertex) { isInside.toggle() }
                last = vertex
            }
        }
        return isInside
    }

    /// The settlement that names a point from outside: the nearest relative to how far its kind reaches.
    private func settlement(
        near point: Coordinate
    ) throws(GazetteerError) -> (name: Int, place: Coordinate, distance: Double)? {
        let band = Int64(SettlementKind.city.reach / 111_000 * 1e7 * 1.01)
        let rows = settlements.count / 16
        var (low, high) = (0, rows)
        while low < high {
            let middle = (low + high) / 2
            let latitude = Int64(try settlements.load(Int32.self, at: middle * 16))
            if latitude < Int64(point.latitudeE7) - band { low = middle + 1 } else { high = middle }
        }
        var best: (share: Double, name: Int, place: Coordinate, distance: Double)?
        while low < rows {
            let place = Coordinate(
                latitudeE7: try settlements.load(Int32.self, at: low * 16),
                longitudeE7: try settlements.load(Int32.self, at: low * 16 + 4)
            )
            guard Int64(place.latitudeE7) <= Int64(point.latitudeE7) + band else { break }
            let kind = SettlementKind(
                rawValue: UInt8(truncatingIfNeeded: try settlements.load(UInt32.self, at: low * 16 + 12))
            )
            let name = Int(try settlements.load(UInt32.self, at: low * 16 + 8))
            low += 1
            guard place.isValid, let kind else { throw Bytes.damage }
            guard !kind.isDistrict else { continue }
            let distance = place.distance(to: point)
            let share = distance / kind.reach
            if share <= 1, share < best?.share ?? .infinity { best = (share, name, place, distance) }
        }
        return best.map { ($0.name, $0.place, $0.distance) }
    }
}
