package import Telemetry

extension ExtractIndex: AnswerSource {
    package var finestLevel: AnswerLevel { .house }

    /// House, interpolated number, street, place or area by the rule of `AddressRule`; nil outside of the extract.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - language: BCP 47 tag of the wanted language; names fall back to those that the map gives first.
    ///   - level: nothing finer than this is looked for.
    /// - Returns: the finest answer at that level or coarser.
    /// - Throws: `GazetteerError` of kind `damaged`.
    package func answer(
        at point: Coordinate,
        language: String,
        level: AnswerLevel
    ) throws(GazetteerError) -> GazetteerAnswer? {
        try answer(for: rule(at: point, level: level), at: point, language: language, level: level)
    }

    /// The answer with what was weighed for it.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - language: BCP 47 tag of the wanted language.
    /// - Returns: the answer, and the reasons.
    /// - Throws: `GazetteerError` of kind `damaged`.
    package func explain(
        at point: Coordinate,
        language: String
    ) throws(GazetteerError) -> (answer: GazetteerAnswer?, explanation: LookupExplanation) {
        let result = try rule(at: point, isThorough: true)
        func describe(_ house: FoundHouse?) throws(GazetteerError) -> String? {
            guard let house else { return nil }
            let name = try name(street(house.street).name, language: language)?.text ?? "(no street)"
            return "\(name) \(house.number): \(ExtractIndex.metres(house.distance)), \(house.way.rawValue)"
        }
        var explanation = LookupExplanation(verdict: result.verdict)
        explanation.house = try describe(result.house)
        explanation.interpolated = try describe(result.interpolated)
        if let found = result.street {
            let name = try name(street(found.street).name, language: language)?.text ?? ""
            explanation.street = "\(name): \(ExtractIndex.metres(found.distance))"
        }
        return (try answer(for: result, at: point, language: language, level: .house), explanation)
    }

    static func metres(_ distance: Double) -> String {
        let tenths = Int((distance * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) m"
    }

    func answer(
        for result: RuleResult,
        at point: Coordinate,
        language: String,
        level: AnswerLevel
    ) throws(GazetteerError) -> GazetteerAnswer? {
        switch result.choice {
        case .house(let house):
            return try answer(house: house, .house, at: point, language: language)
        case .interpolated(let house):
            return try answer(house: house, .interpolated, at: point, language: language)
        case .street(let found):
            var answer = GazetteerAnswer(
                level: .street,
                distance: found.distance,
                bearing: 0,
                point: point,
                attribution: attribution
            )
            try fill(&answer, street: found.street, language: language)
            answer.line = AddressLine.line(answer)
            return answer
        case .nothing:
            return try area(around: point, language: language, level: level)
        }
    }

    func answer(
        house: FoundHouse,
        _ level: AnswerLevel,
        at point: Coordinate,
        language: String
    ) throws(GazetteerError) -> GazetteerAnswer {
        var answer = GazetteerAnswer(
            level: level,
            distance: house.distance,
            bearing: LocalPlane(at: house.point).bearing(to: point),
            point: house.point,
            attribution: attribution
        )
        try fill(&answer, street: house.street, language: language)
        answer.house = house.number
        answer.line = AddressLine.line(answer)
        return answer
    }

    private func fill(_ answer: inout GazetteerAnswer, street number: Int, language: String) throws(GazetteerError) {
        let street = try street(number)
        let preference = preference(for: language)
        if let (text, found) = try name(street.name, preference) {
            answer.street = text
            answer.nameLanguage = found
        }
        let context = street.context
        answer.district = try name(self.context(context, 0), preference)?.text
        answer.town = try name(self.context(context, 1), preference)?.text
        answer.region = try name(self.context(context, 2), preference)?.text
        answer.country = try name(self.context(context, 3), preference)?.text
        answer.countryCode = ExtractIndex.countryCode(try self.context(context, 4))
        answer.postcode = try name(self.context(context, 5), [])?.text
        answer.timeZone = try name(self.context(context, 6), [])?.text
    }
}
