import Telemetry

/// Understands the members of JSON objects that describe a position, by the names that CSV columns have too.
struct JSONReportReader {
    private let options: ReadOptions
    /// The unit of a member `speed`; nil when only the options can say it.
    private let speedUnit: SpeedUnit?
    private var time = TimeText()
    private var zone: ZoneConverter?
    /// Members that mean nothing here, for one note.
    private(set) var unknown: Set<String> = []
    /// The name of a speed without a unit that was met.
    private(set) var speedWithoutUnit: String?

    init(options: ReadOptions, speedUnit: SpeedUnit?) {
        self.options = options
        self.speedUnit = options.speedUnit ?? speedUnit
        zone = options.assumedZone.map(ZoneConverter.init)
    }

    /// Reads time, motion and quality from an object's members.
    ///
    /// - Parameters:
    ///   - members: the properties of the position.
    ///   - report: takes what is understood.
    ///   - device: takes the text of a member that names the device.
    /// - Returns: why the position is refused, if it is.
    mutating func read(
        _ members: [(name: String, value: JSONValue)],
        into report: inout Report,
        device: inout String?
    ) -> Admission.Problem? {
        var isVehicle = true
        for (name, value) in members {
            let key = FieldNames.normalised(name)
            guard let (meaning, scale) = FieldNames.known[key] else {
                if unknown.count < 50 { unknown.insert(name) }
                continue
            }
            guard let text = value.text, !text.isEmpty else { continue }
            switch meaning {
            case .device:
                // `device` beats `vehicle`, whichever comes first.
                if device == nil || isVehicle { (device, isVehicle) = (text, FieldNames.vehicles.contains(key)) }
            case .time:
                if let problem = readTime(text, name, key, into: &report) { return problem }
            case .latitude, .longitude, .date: break  // the geometry and the time say it
            case .ignition, .valid:
                let isOn: Bool
                switch text.lowercased() {
                case "true", "1", "on": isOn = true
                case "false", "0", "off": isOn = false
                default:
                    return Admission.Problem(.malformed, "\(name) must be true or false, found \"\(text.prefix(60))\"")
                }
                if meaning == .ignition { report.setIgnition(isOn) } else { report.setValid(isOn) }
            default:
                if let problem = readNumber(text, meaning, scale, name, into: &report) { return problem }
            }
        }
        return nil
    }

    private mutating func readNumber(
        _ text: String,
        _ meaning: FieldNames.Meaning,
        _ scale: Double,
        _ name: String,
        into report: inout Report
    ) -> Admission.Problem? {
        var scale = scale
        if meaning == .speed, scale == 0 {
            guard let speedUnit else {
                speedWithoutUnit = name
                return nil
            }
            scale = speedUnit.inMetresPerSecond
        }
        guard let number = text.withUTF8Bytes({ Number.decimal($0) }) else {
            return Admission.Problem(.malformed, "\(name) must be a number, found \"\(text.prefix(60))\"")
        }
        report.set(meaning, number * scale)
        return nil
    }

    /// Reads a time; an ISO 8601 text or a number.
    mutating func readTime(
        _ text: String,
        _ name: String,
        _ key: String,
        into report: inout Report
    ) -> Admission.Problem? {
        switch text.withUTF8Bytes({ time.read($0, number: FieldNames.timeUnit(key)) }) {
        case .instant(let milliseconds): report.fixTimeMilliseconds = milliseconds
        case .local(let milliseconds):
            if key.hasSuffix("utc") {
                report.fixTimeMilliseconds = milliseconds
            } else if let instant = zone?.instant(ofLocal: milliseconds) {
                report.fixTimeMilliseconds = instant
            } else {
                let message = "\(name) \"\(text.prefix(60))\" names no zone; say which with --assume-zone"
                return Admission.Problem(.timeWithoutZone, message)
            }
        case .none:
            let message = "\(name) must be ISO 8601 or seconds or milliseconds since 1970, found \"\(text.prefix(60))\""
            return Admission.Problem(.badTime, message)
        }
        report.hasTime = true
        return nil
    }
}
