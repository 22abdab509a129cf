import Telemetry

/// An address as one text: its fields parted by U+001F, absent ones empty; further fields are only appended.
enum AddressCode {
    private static let separator: UInt8 = 0x1F

    static func encode(_ address: Address) -> String {
        let fields: [String?] = [
            String(address.level.rawValue), address.line, address.house, address.street, address.district,
            address.town, address.region, address.country, address.countryCode, address.postcode, address.timeZone,
            address.language, address.provider, address.distance.map { String($0) },
            address.point.map { "\($0.latitudeE7)" }, address.point.map { "\($0.longitudeE7)" },
            String(address.resolvedTime.milliseconds), address.expiryTime.map { String($0.milliseconds) },
        ]
        return fields.map { clean($0 ?? "") }.joined(separator: "\u{1F}")
    }

    /// Reads what `encode` wrote.
    ///
    /// - Returns: nil when it is something else.
    static func decode(_ text: String) -> Address? {
        // By bytes: reports decode two of these a trip, and characters take five times as long to find.
        let fields = text.utf8.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
        guard fields.count >= 18, let level = UInt8(fields[0]).flatMap(AddressLevel.init(rawValue:)),
            let resolved = Int64(fields[16])
        else { return nil }
        func field(_ index: Int) -> String? { fields[index].isEmpty ? nil : String(fields[index]) }
        var address = Address(
            level: level,
            line: String(fields[1]),
            language: String(fields[11]),
            provider: String(fields[12]),
            resolvedTime: Timestamp(milliseconds: resolved)
        )
        address.house = field(2)
        address.street = field(3)
        address.district = field(4)
        address.town = field(5)
        address.region = field(6)
        address.country = field(7)
        address.countryCode = field(8)
        address.postcode = field(9)
        address.timeZone = field(10)
        address.distance = Double(fields[13])
        if let latitude = Int32(fields[14]), let longitude = Int32(fields[15]) {
            address.point = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        }
        address.expiryTime = Int64(fields[17]).map(Timestamp.init(milliseconds:))
        return address
    }

    /// Control characters have no place in an address and would part fields.
    private static func clean(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }
}

/// A shape of a user's place as text: `circle` with centre and radius, or `polygon` with its rings.
enum UserPlaceCode {
    static func encode(_ shape: UserPlace.Shape) -> String {
        switch shape {
        case .circle(let centre, let radius): "circle \(centre.latitudeE7) \(centre.longitudeE7) \(radius)"
        case .polygon(let rings):
            "polygon "
                + rings.map { ring in ring.map { "\($0.latitudeE7) \($0.longitudeE7)" }.joined(separator: ",") }
                .joined(separator: ";")
        }
    }

    /// Reads what `encode` wrote.
    ///
    /// - Returns: nil when it is something else.
    static func decode(_ text: String) -> UserPlace.Shape? {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "circle":
            let parts = words[1].split(separator: " ")
            guard parts.count == 3, let latitude = Int32(parts[0]), let longitude = Int32(parts[1]),
                let radius = Double(parts[2])
            else { return nil }
            return .circle(centre: Coordinate(latitudeE7: latitude, longitudeE7: longitude), radius: radius)
        case "polygon":
            var rings: [[Coordinate]] = []
            for ring in words[1].split(separator: ";", omittingEmptySubsequences: false) {
                var corners: [Coordinate] = []
                for corner in ring.split(separator: ",") {
                    let parts = corner.split(separator: " ")
                    guard parts.count == 2, let latitude = Int32(parts[0]), let longitude = Int32(parts[1]) else {
                        return nil
                    }
                    corners.append(Coordinate(latitudeE7: latitude, longitudeE7: longitude))
                }
                rings.append(corners)
            }
            return .polygon(rings)
        default: return nil
        }
    }
}
