import Telemetry

/// Which columns of a CSV file mean what.
struct CSVColumns {
    typealias Meaning = FieldNames.Meaning

    /// A column with the factor that turns its numbers into the unit inside.
    struct Column {
        var index: Int
        var name: String
        var scale = 1.0
    }

    private(set) var columns: [Meaning: Column] = [:]
    var timeUnit = TimeText.Unit.byMagnitude
    /// The name of the time column says UTC.
    var isUTC = false
    /// Names that mean nothing here.
    private(set) var unknown: [String] = []
    /// Names that repeat the meaning of an earlier column.
    private(set) var repeated: [String] = []
    /// A speed column that names no unit, when none was given.
    private(set) var speedWithoutUnit: String?
    /// An odometer column that names no unit.
    private(set) var odometerWithoutUnit: String?

    init(header: [String], speedUnit: SpeedUnit?) {
        // `device` beats `vehicle` wherever it stands: tracks are by device.
        let hasDevice = header.contains { FieldNames.devices.contains(FieldNames.normalised($0)) }
        for (index, name) in header.enumerated() {
            let key = FieldNames.normalised(name)
            if hasDevice, FieldNames.vehicles.contains(key) {
                repeated.append(name)
                continue
            }
            if key == "odometer" || key == "mileage" {
                odometerWithoutUnit = name
                continue
            }
            guard let known = FieldNames.known[key] else {
                if !name.isEmpty { unknown.append(name) }
                continue
            }
            let meaning = known.0
            var scale = known.1
            if meaning == .speed, scale == 0 {
                guard let speedUnit else {
                    speedWithoutUnit = name
                    continue
                }
                scale = speedUnit.inMetresPerSecond
            }
            guard columns[meaning] == nil else {
                repeated.append(name)
                continue
            }
            if meaning == .time || meaning == .date { isUTC = isUTC || key.hasSuffix("utc") }
            if meaning == .time {
                timeUnit = FieldNames.timeUnit(key)
                scale = 1
            }
            columns[meaning] = Column(index: index, name: name, scale: scale)
        }
        if columns[.speed] != nil { speedWithoutUnit = nil }
    }

    /// The required meanings that no column has, as people should name them.
    var missing: [String] {
        [(Meaning.latitude, "lat"), (.longitude, "lon"), (.time, "time")].filter { columns[$0.0] == nil }.map(\.1)
    }
}
