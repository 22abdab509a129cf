package import Gazetteer
package import Telemetry
package import TripStore

/// The step that asks the offline index: no network, no limit.
package struct OfflineStep: Sendable {
    package static let providerName = "offline"

    private let gazetteer: OfflineGazetteer

    package init(gazetteer: OfflineGazetteer) { self.gazetteer = gazetteer }

    /// Shown with the addresses.
    package var attributions: [String] { gazetteer.attributions }

    /// What the index says.
    ///
    /// - Parameters:
    ///   - question: the point, the language and the wanted level.
    ///   - now: kept with the address.
    /// - Returns: nil when it knows nothing near enough.
    /// - Throws: `GazetteerError` of kind `damaged`.
    package func answer(to question: GeocodeQuestion, now: Timestamp) throws(GazetteerError) -> Address? {
        let wanted = AnswerLevel(rawValue: question.wanted.rawValue) ?? .country
        guard
            let answer = try gazetteer.answer(at: question.point, language: question.language, level: wanted)
        else { return nil }
        return address(of: answer, question: question, now: now)
    }

    private func address(of answer: GazetteerAnswer, question: GeocodeQuestion, now: Timestamp) -> Address {
        var found = FoundAddress(level: AddressLevel(answer.level))
        found.house = answer.house
        found.street = answer.street
        found.district = answer.district
        found.town = answer.town
        found.region = answer.region
        found.country = answer.country
        found.countryCode = answer.countryCode
        found.postcode = answer.postcode
        found.timeZone = answer.timeZone
        found.point = answer.point
        var address = found.address(to: question, provider: Self.providerName, now: now, expiry: nil)
        address.distance = answer.distance
        if !answer.line.isEmpty { address.line = answer.line }
        return address
    }
}

extension AddressLevel {
    /// The level of an index's answer.
    init(_ level: AnswerLevel) {
        self =
            switch level {
            case .house: .house
            case .interpolated: .interpolated
            case .street: .street
            case .place: .place
            case .region: .region
            case .country: .country
            }
    }

    /// Whether an answer of this level is as fine as wanted; a number counted along the street is a house's.
    package func satisfies(_ wanted: AddressLevel) -> Bool { self <= max(wanted, .interpolated) }
}
