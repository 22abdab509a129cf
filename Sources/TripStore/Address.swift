package import Telemetry

/// How precisely an address names a point, from the finest to none.
package enum AddressLevel: UInt8, CaseIterable, Comparable, Sendable {
    case house, interpolated, street, place, region, country, none

    /// Finer is less.
    package static func < (left: AddressLevel, right: AddressLevel) -> Bool { left.rawValue < right.rawValue }

    /// The name in JSON and messages.
    package var name: String {
        switch self {
        case .house: "house"
        case .interpolated: "interpolated"
        case .street: "street"
        case .place: "place"
        case .region: "region"
        case .country: "country"
        case .none: "none"
        }
    }
}

/// What a resolver says about a point, in parts and as one line.
package struct Address: Hashable, Sendable {
    package var level: AddressLevel
    /// One line, in the order in which the country writes it.
    package var line: String
    package var house: String?
    package var street: String?
    package var district: String?
    package var town: String?
    package var region: String?
    package var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    package var countryCode: String?
    package var postcode: String?
    /// IANA name of the time zone at the place.
    package var timeZone: String?
    /// BCP 47 tag of the language that was asked for.
    package var language: String
    /// Name of the provider that answered.
    package var provider: String
    /// From the question to the found object, in metres.
    package var distance: Double?
    /// The found object's own point.
    package var point: Coordinate?
    package var resolvedTime: Timestamp
    /// When it must be asked again by the provider's terms; nil for never.
    package var expiryTime: Timestamp?

    package init(level: AddressLevel, line: String, language: String, provider: String, resolvedTime: Timestamp) {
        self.level = level
        self.line = line
        self.language = language
        self.provider = provider
        self.resolvedTime = resolvedTime
    }
}

/// The one honest state of an endpoint's address.
package enum AddressState: Hashable, Sendable {
    case pending
    /// Shown, while a finer one is looked for.
    case provisional(Address)
    case resolved(Address)
    /// The provider knows nothing there.
    case nothing
    case failed(reason: String, nextTry: Timestamp?)

    /// The name in CSV and JSON.
    package var name: String {
        switch self {
        case .pending: "pending"
        case .provisional: "provisional"
        case .resolved: "resolved"
        case .nothing: "nothing"
        case .failed: "failed"
        }
    }

    package var address: Address? {
        switch self {
        case .provisional(let address), .resolved(let address): address
        case .pending, .nothing, .failed: nil
        }
    }
}
