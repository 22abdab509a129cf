package import CivilTime
package import Telemetry
package import TripStore

/// Figures as people read them in a table.
package enum Measure {
    /// `13.6 km`, `850 m`.
    package static func distance(millimetres: Int64) -> String {
        let metres = (millimetres + 500) / 1000
        if metres < 1000 { return "\(metres) m" }
        let tenths = (millimetres + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) km"
    }

    /// `2:05:09` with hours, `20:13` without.
    package static func duration(milliseconds: Int64) -> String {
        let seconds = (milliseconds + 500) / 1000
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// Latitude and longitude with five decimals, about a metre.
    package static func point(_ point: Coordinate) -> String {
        func five(_ value: Int32) -> String {
            let rounded = (Int64(value) + (value < 0 ? -50 : 50)) / 100
            var text: [UInt8] = []
            text.append(degreesE7: Int32(rounded * 100))
            return String(decoding: text.dropLast(2), as: UTF8.self)
        }
        return "\(five(point.latitudeE7)) \(five(point.longitudeE7))"
    }

    /// A whole number with thin groups of three digits: `1 234 567`.
    package static func count(_ value: Int64) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += " " }
            text.append(digit)
        }
        return text
    }

    /// The count with what is counted: `1 trip`, `2 trips`.
    package static func count(_ value: Int64, _ noun: String) -> String {
        "\(count(value)) \(noun)\(value == 1 ? "" : "s")"
    }
}

extension Zone {
    /// `2026-03-29 10:15:30+02:00`: to the second, with the offset.
    package func tableText(_ instant: Timestamp) -> String {
        let whole = Timestamp(milliseconds: instant.milliseconds - (instant.milliseconds % 1000 + 1000) % 1000)
        let text = self.text(whole)
        return "\(text.prefix(10)) \(text.dropFirst(11))"
    }

    /// Without the date and the offset when they are those of an earlier instant on the same line.
    package func tableText(_ instant: Timestamp, after earlier: Timestamp) -> String {
        let (text, before) = (tableText(instant), tableText(earlier))
        guard text.prefix(10) == before.prefix(10), text.dropFirst(19) == before.dropFirst(19) else { return text }
        return String(text.dropFirst(11).prefix(8))
    }
}

extension AddressState {
    /// The line, or what people are shown while there is none: the coordinates.
    package func tableText(at point: Coordinate) -> String {
        switch self {
        case .resolved(let address): address.line
        case .provisional(let address): "~ \(address.line)"
        case .pending, .nothing, .failed: Measure.point(point)
        }
    }
}
