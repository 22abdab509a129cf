import Telemetry

/// A report as a decoder understood it, in SI units and not yet judged.
///
/// An optional value counts only when its bit is in `present`; a negative speed, heading, accuracy, dilution or number
/// of satellites means that the device does not know it, and is dropped by `Admission`.
struct Report {
    var fixTimeMilliseconds: Int64 = 0
    var latitude = 0.0
    var longitude = 0.0
    var speed = 0.0
    var heading = 0.0
    var altitude = 0.0
    var accuracy = 0.0
    var hdop = 0.0
    var satellites = 0.0
    var odometer = 0.0
    var attributes: UInt64 = 0
    /// The raw value of `Position.Fields`.
    var present: UInt16 = 0
    var hasTime = false
    var hasLatitude = false
    var hasLongitude = false

    static var speed: UInt16 { Position.Fields.speed.rawValue }
    static var heading: UInt16 { Position.Fields.heading.rawValue }
    static var altitude: UInt16 { Position.Fields.altitude.rawValue }
    static var accuracy: UInt16 { Position.Fields.accuracy.rawValue }
    static var hdop: UInt16 { Position.Fields.hdop.rawValue }
    static var satellites: UInt16 { Position.Fields.satellites.rawValue }
    static var odometer: UInt16 { Position.Fields.odometer.rawValue }
    static var ignition: UInt16 { Position.Fields.ignition.rawValue }
    static var ignitionOn: UInt16 { Position.Fields.ignitionOn.rawValue }
    static var invalidFix: UInt16 { Position.Fields.invalidFix.rawValue }

    /// The optional fields that carry a number.
    static var numbers: UInt16 { speed | heading | altitude | accuracy | hdop | satellites | odometer }
    /// The two-valued ones.
    static var flags: UInt16 { ignition | ignitionOn | invalidFix }

    /// Sets a number in the unit inside.
    mutating func set(_ meaning: FieldNames.Meaning, _ value: Double) {
        switch meaning {
        case .latitude: (latitude, hasLatitude) = (value, true)
        case .longitude: (longitude, hasLongitude) = (value, true)
        case .speed: (speed, present) = (value, present | Report.speed)
        case .heading: (heading, present) = (value, present | Report.heading)
        case .altitude: (altitude, present) = (value, present | Report.altitude)
        case .accuracy: (accuracy, present) = (value, present | Report.accuracy)
        case .hdop: (hdop, present) = (value, present | Report.hdop)
        case .satellites: (satellites, present) = (value, present | Report.satellites)
        case .odometer: (odometer, present) = (value, present | Report.odometer)
        case .device, .date, .time, .ignition, .valid: break  // no numbers
        }
    }

    /// Notes what the device says about the ignition.
    mutating func setIgnition(_ isOn: Bool) {
        present = present & ~Report.ignitionOn | Report.ignition | (isOn ? Report.ignitionOn : 0)
    }

    /// Notes whether the device says that this is a valid fix.
    mutating func setValid(_ isValid: Bool) {
        present = present & ~Report.invalidFix | (isValid ? 0 : Report.invalidFix)
    }
}

extension Report: CustomStringConvertible {
    /// The report as far as it can be shown, for quarantine.
    var description: String {
        var parts: [String] = []
        if hasTime { parts.append("fix_time_ms \(fixTimeMilliseconds)") }
        if hasLatitude { parts.append("latitude \(latitude)") }
        if hasLongitude { parts.append("longitude \(longitude)") }
        let numbers: [(UInt16, String, Double)] = [
            (Report.speed, "speed_mps", speed), (Report.heading, "heading_deg", heading),
            (Report.altitude, "altitude_m", altitude), (Report.accuracy, "accuracy_m", accuracy),
            (Report.hdop, "hdop", hdop), (Report.satellites, "satellites", satellites),
            (Report.odometer, "odometer_m", odometer),
        ]
        for (field, name, value) in numbers where present & field != 0 { parts.append("\(name) \(value)") }
        if present & Report.ignition != 0 { parts.append("ignition \(present & Report.ignitionOn != 0)") }
        if present & Report.invalidFix != 0 { parts.append("valid false") }
        return parts.joined(separator: ", ")
    }
}
