/// A setting of detection by its name, with the unit in it, as people and the store write it.
package enum DetectionSetting: String, CaseIterable, Sendable {
    case stopRadius = "stop_radius_m"
    case stopTime = "stop_time_s"
    case leastTripDistance = "least_trip_m"
    case leastTripTime = "least_trip_s"
    case gapTime = "gap_s"
    case movingSpeed = "moving_speed_kmh"
    case highestPlausibleSpeed = "highest_speed_kmh"
    case worstUsedAccuracy = "worst_accuracy_m"
    case edgeRadius = "edge_radius_m"

    package var name: String { rawValue }

    /// What it does, for people.
    package var meaning: String {
        switch self {
        case .stopRadius: "a stay's positions lie within this of their mean"
        case .stopTime: "a stay lasts at least this"
        case .leastTripDistance: "a trip's path is at least this"
        case .leastTripTime: "a trip lasts at least this"
        case .gapTime: "silence from which on nothing is known"
        case .movingSpeed: "from this on a vehicle counts as moving"
        case .highestPlausibleSpeed: "no vehicle is faster"
        case .worstUsedAccuracy: "a position less accurate is not used"
        case .edgeRadius: "within this of a stop's centre a vehicle is still at the place"
        }
    }

    /// The values that make sense, in the unit of the name.
    package var range: ClosedRange<Double> {
        switch self {
        case .stopRadius, .edgeRadius: 1...10_000
        case .stopTime: 10...86_400
        case .leastTripDistance: 0...100_000
        case .leastTripTime: 0...86_400
        case .gapTime: 60...604_800
        case .movingSpeed: 0.1...100
        case .highestPlausibleSpeed: 10...2000
        case .worstUsedAccuracy: 1...100_000
        }
    }
}

extension DetectionSettings {
    /// A setting's value in the unit of its name.
    package subscript(setting: DetectionSetting) -> Double {
        get {
            switch setting {
            case .stopRadius: stopRadius
            case .stopTime: Double(stopTime) / 1000
            case .leastTripDistance: leastTripDistance
            case .leastTripTime: Double(leastTripTime) / 1000
            case .gapTime: Double(gapTime) / 1000
            case .movingSpeed: movingSpeed * 3.6
            case .highestPlausibleSpeed: highestPlausibleSpeed * 3.6
            case .worstUsedAccuracy: worstUsedAccuracy
            case .edgeRadius: edgeRadius
            }
        }
        set {
            func milliseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1000).rounded()) }
            switch setting {
            case .stopRadius: stopRadius = newValue
            case .stopTime: stopTime = milliseconds(newValue)
            case .leastTripDistance: leastTripDistance = newValue
            case .leastTripTime: leastTripTime = milliseconds(newValue)
            case .gapTime: gapTime = milliseconds(newValue)
            case .movingSpeed: movingSpeed = newValue / 3.6
            case .highestPlausibleSpeed: highestPlausibleSpeed = newValue / 3.6
            case .worstUsedAccuracy: worstUsedAccuracy = newValue
            case .edgeRadius: edgeRadius = newValue
            }
        }
    }

    /// The defaults with what a store keeps instead; names that are no settings are passed over, as a newer version may
    /// have written them.
    package init(stored values: [String: Double]) {
        self.init()
        for (name, value) in values {
            if let setting = DetectionSetting(rawValue: name), setting.range.contains(value) { self[setting] = value }
        }
    }
}
