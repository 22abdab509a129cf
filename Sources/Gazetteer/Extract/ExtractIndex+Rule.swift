import Telemetry

/// Why a lookup in an extract answers what it does.
package struct LookupExplanation: Sendable {
    /// What was weighed.
    package var house: String?
    package var street: String?
    package var interpolated: String?
    /// Which part of the rule decided.
    package var verdict: String
}

/// What the rule chose.
enum RuleChoice {
    case house(FoundHouse)
    case interpolated(FoundHouse)
    case street(FoundStreet)
    case nothing
}

/// Everything that the rule weighed, and its choice.
struct RuleResult {
    var house: FoundHouse?
    var interpolated: FoundHouse?
    var street: FoundStreet?
    var choice: RuleChoice = .nothing
    var verdict = "no house within 60 m, no street within 150 m"
}

/// Weighs a house against a street against an interpolated number; all limits include equality.
///
/// 1. A house at most 15 m away.
/// 2. Else a house counts up to 60 m when it stands at the nearest street, or is at most 40 m farther than that
///    street, or there is no street; and so does an interpolated number.
/// 3. Of both, the interpolated number only when the house is over 25 m farther.
/// 4. Else the street, up to 150 m.
enum AddressRule {
    static let near = 15.0
    static let margin = 40.0
    static let interpolationMargin = 25.0

    static func isEnough(_ house: FoundHouse?) -> Bool { house.map { $0.distance <= near } ?? false }

    /// The choice among what was found.
    ///
    /// - Parameters:
    ///   - house: the house at most 60 m away.
    ///   - interpolated: the number on an interpolation line at most 60 m away.
    ///   - street: the nearest named street at most 150 m away.
    ///   - isSameStreet: whether two numbers of streets mean the same name.
    /// - Returns: the choice and which part of the rule made it.
    /// - Throws: what `isSameStreet` throws.
    static func choose(
        house: FoundHouse?,
        interpolated: FoundHouse?,
        street: FoundStreet?,
        isSameStreet: (Int, Int) throws(GazetteerError) -> Bool
    ) throws(GazetteerError) -> (RuleChoice, String) {
        if let house, isEnough(house) { return (.house(house), "the house is at most 15 m away") }
        func counts(_ candidate: FoundHouse) throws(GazetteerError) -> String? {
            guard let street else { return "there is no street within 150 m" }
            if try isSameStreet(candidate.street, street.street) { return "it stands at the nearest street" }
            return candidate.distance <= street.distance + margin ? "it is at most 40 m farther than the street" : nil
        }
        let houseReason = try house.flatMap { house throws(GazetteerError) in try counts(house) }
        let lineReason = try interpolated.flatMap { line throws(GazetteerError) in try counts(line) }
        if let interpolated, let lineReason {
            guard let house, houseReason != nil else { return (.interpolated(interpolated), lineReason) }
            if house.distance > interpolated.distance + interpolationMargin {
                return (.interpolated(interpolated), "the house is over 25 m farther than the interpolation line")
            }
        }
        if let house, let houseReason { return (.house(house), houseReason) }
        if let street {
            let why = house == nil ? "no house within 60 m" : "the house is over 40 m farther and at another street"
            return (.street(street), why)
        }
        return (.nothing, "no house within 60 m, no street within 150 m")
    }
}

extension ExtractIndex {
    /// Applies the rule to a point.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - level: `street` leaves houses out.
    ///   - isThorough: also looks for what cannot change the choice, for an explanation.
    /// - Returns: what was found and chosen.
    /// - Throws: `GazetteerError` of kind `damaged`.
    func rule(
        at point: Coordinate,
        level: AnswerLevel = .house,
        isThorough: Bool = false
    ) throws(GazetteerError) -> RuleResult {
        var result = RuleResult()
        guard level <= .street, mayReach(point) else { return result }
        let plane = LocalPlane(at: point)
        let ring = CellRing(around: point, columns: ExtractGrid.columns)
        if level <= .interpolated {
            result.house = try layers.house(at: point, plane, ring)
            // A house so near needs no street to be weighed against.
            if let house = result.house, AddressRule.isEnough(house), !isThorough {
                (result.choice, result.verdict) = (.house(house), "the house is at most 15 m away")
                return result
            }
            result.interpolated = try layers.interpolated(at: point, plane, ring)
        }
        result.street = try layers.street(at: point, plane, ring)
        (result.choice, result.verdict) = try AddressRule.choose(
            house: result.house,
            interpolated: result.interpolated,
            street: result.street
        ) { one, other throws(GazetteerError) in
            try street(one).name == street(other).name
        }
        return result
    }

    /// Whether anything of the index can lie within 150 m; a lower bound, so that no answer is lost.
    private func mayReach(_ point: Coordinate) -> Bool {
        let margin = Int64(ExtractIndex.marginE7)
        guard Int64(point.latitudeE7) >= Int64(southWest.latitudeE7) - margin,
            Int64(point.latitudeE7) <= Int64(northEast.latitudeE7) + margin
        else { return false }
        // Where meridians draw together a margin in degrees says little, and at the antimeridian it wraps.
        guard point.latitudeE7.magnitude < 800_000_000, point.longitudeE7.magnitude < 1_799_000_000 else { return true }
        return Int64(point.longitudeE7) >= Int64(southWest.longitudeE7) - margin
            && Int64(point.longitudeE7) <= Int64(northEast.longitudeE7) + margin
    }

    /// Half a degree: the extent is of representative points, and a street may be long.
    private static var marginE7: Int { 5_000_000 }
}
