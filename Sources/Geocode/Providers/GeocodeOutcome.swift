package import Telemetry
package import TripStore

/// What a point is asked for.
package struct GeocodeQuestion: Hashable, Sendable {
    package var point: Coordinate
    /// BCP 47 tag.
    package var language: String
    package var wanted: AddressLevel

    package init(point: Coordinate, language: String = "en", wanted: AddressLevel = .house) {
        self.point = point
        self.language = language
        self.wanted = wanted
    }
}

/// What came of one call, told apart by what has to be done next.
package enum GeocodeOutcome: Hashable, Sendable {
    /// Found, nearest first; each has its level, some have points.
    case found([FoundAddress])
    /// The provider knows nothing there: an answer, and kept as one.
    case nothing
    /// May pass: the item is tried again.
    case transient(String)
    /// Too fast: the provider waits until the time it named, the item loses no attempt.
    case throttled(until: Timestamp?, String)
    /// Used up: the provider waits until the time it named, or else until its day is over.
    case quota(until: Timestamp?, String)
    /// Key, account or ban: no call until a person has looked.
    case denied(String)
    /// This question will never be answered: the item is given up.
    case badRequest(String)
}

/// An address in parts as a provider gave it.
package struct FoundAddress: Hashable, Sendable {
    package var level: AddressLevel
    package var house: String?
    package var street: String?
    /// A named thing where there is no road: a park, a yard, a sea.
    package var name: String?
    package var district: String?
    package var town: String?
    package var region: String?
    package var country: String?
    package var countryCode: String?
    package var postcode: String?
    package var timeZone: String?
    package var point: Coordinate?

    package init(level: AddressLevel = .none) { self.level = level }

    /// The finest level that the parts bear out.
    package var levelOfParts: AddressLevel {
        if house != nil, street != nil || town != nil || district != nil { return .house }
        if street != nil { return .street }
        if name != nil || district != nil || town != nil { return .place }
        if region != nil { return .region }
        return country != nil ? .country : .none
    }

    /// The address with its line, for an answer to a question.
    package func address(to question: GeocodeQuestion, provider: String, now: Timestamp, expiry: Timestamp?) -> Address
    {
        var address = Address(
            level: level,
            line: AddressLine.line(of: self),
            language: question.language,
            provider: provider,
            resolvedTime: now
        )
        address.house = house
        address.street = street
        address.district = district
        address.town = town
        address.region = region
        address.country = country
        address.countryCode = countryCode?.uppercased()
        address.postcode = postcode
        address.timeZone = timeZone
        address.point = point
        address.distance = point.map { $0.distance(to: question.point) }
        address.expiryTime = expiry
        return address
    }
}
