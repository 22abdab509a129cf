package import Telemetry

/// How precisely an index names a point, from the finest on.
package enum AnswerLevel: UInt8, CaseIterable, Comparable, Sendable {
    case house, interpolated, street, place, region, country

    /// Finer is less.
    package static func < (left: AnswerLevel, right: AnswerLevel) -> Bool { left.rawValue < right.rawValue }
}

/// What an offline index says about a point, in parts and as one line.
package struct GazetteerAnswer: Hashable, Sendable {
    package var level: AnswerLevel
    /// One line, in the order in which the country writes it.
    ///
    /// For a place it says how far and in which direction the point lies from it: `3.2 km NE of Espoo, Uusimaa`.
    package var line: String = ""
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
    /// BCP 47 tag of the language of the finest name: the wanted one where the source has it, else nil for the name
    /// that the source gives first.
    package var nameLanguage: String?
    /// From the point asked for to the found object, in metres; 0 inside it.
    package var distance: Double
    /// From the found object to the point asked for, in degrees clockwise from true north.
    package var bearing: Double
    /// The found object's own point.
    package var point: Coordinate
    /// Inhabitants of the found place, where the source says so.
    package var population: Int?
    /// The source's credit, which its licence wants shown with the answer.
    package var attribution: String

    package init(level: AnswerLevel, distance: Double, bearing: Double, point: Coordinate, attribution: String) {
        self.level = level
        self.distance = distance
        self.bearing = bearing
        self.point = point
        self.attribution = attribution
    }
}

/// A failure to read or to build an index: code switches on `kind`; `message` is for people.
package struct GazetteerError: Error, Hashable {
    package enum Kind: Hashable, Sendable {
        /// There is no such file, or no index in any of the searched places.
        case notFound
        /// The operating system refused to open, read or write it.
        case system
        /// It is no file of the expected kind.
        case foreign
        /// A newer version of Odograph wrote it.
        case unsupportedVersion
        /// It is of the right kind, and its content contradicts itself.
        case damaged
    }

    package var kind: Kind
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}
