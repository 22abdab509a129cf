import Telemetry

extension Coordinate {
    /// Degrees with seven decimals and a point whatever the locale: `60.1699000`.
    var latitudeText: String { Self.text(latitudeE7) }
    var longitudeText: String { Self.text(longitudeE7) }

    private static func text(_ valueE7: Int32) -> String {
        let fraction = String(valueE7.magnitude % 10_000_000)
        return (valueE7 < 0 ? "-" : "") + "\(valueE7.magnitude / 10_000_000)."
            + String(repeating: "0", count: 7 - fraction.count) + fraction
    }
}
