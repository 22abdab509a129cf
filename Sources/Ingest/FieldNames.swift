/// The names under which columns and properties say what belongs to a position.
///
/// Case does not matter, and space, hyphen and point count as underscore.
enum FieldNames {
    /// What a name can mean.
    enum Meaning: Hashable, CaseIterable {
        case device, latitude, longitude, time, speed, heading, altitude, accuracy, hdop, satellites, odometer, ignition
        case valid
        /// The date of a time that stands in a column of its own.
        case date
    }

    /// What a bare number counts in the time of this normalised name.
    static func timeUnit(_ key: String) -> TimeText.Unit {
        milliseconds.contains(key) ? .milliseconds : seconds.contains(key) ? .seconds : .byMagnitude
    }

    static func normalised(_ name: String) -> String {
        String(name.lowercased().map { $0 == " " || $0 == "-" || $0 == "." ? "_" : $0 })
    }

    static let devices: Set<String> = [
        "device", "device_id", "deviceid", "imei", "tracker", "tracker_id", "trackerid", "unique_id", "uniqueid",
    ]
    static let vehicles: Set<String> = ["vehicle", "vehicle_id", "vehicleid"]
    private static let milliseconds: Set<String> = [
        "time_ms", "timestamp_ms", "timestampms", "fix_time_ms", "epoch_ms", "unix_ms",
    ]
    private static let seconds: Set<String> = [
        "time_s", "timestamp_s", "fix_time_s", "epoch_s", "unix_s", "unixtime", "unix_time",
    ]

    /// Accepted names; the scale 0 stands for "no unit said".
    static let known: [String: (Meaning, Double)] = {
        var known: [String: (Meaning, Double)] = [:]
        func add(_ meaning: Meaning, _ scale: Double, _ list: some Sequence<String>) {
            for name in list { known[name] = (meaning, scale) }
        }
        add(.device, 1, devices)
        add(.device, 1, vehicles)
        add(.latitude, 1, ["lat", "latitude", "latitude_deg", "lat_deg", "gps_lat", "gps_latitude"])
        add(.latitude, 1e-7, ["latitude_e7", "lat_e7", "latitudee7"])
        add(.longitude, 1, ["lon", "lng", "long", "longitude", "longitude_deg", "lon_deg", "gps_lon", "gps_longitude"])
        add(.longitude, 1e-7, ["longitude_e7", "lon_e7", "lng_e7", "longitudee7"])
        add(.time, 1, ["time", "timestamp", "datetime", "date_time", "fix_time", "fixtime", "gps_time", "gpstime"])
        add(
            .time,
            1,
            ["epoch", "unix", "utc", "time_utc", "timestamp_utc", "datetime_utc", "date_time_utc", "fix_time_utc"]
        )
        add(.date, 1, ["date", "date_utc", "gps_date", "fix_date"])
        add(.time, 1, milliseconds)
        add(.time, 1, seconds)
        add(.speed, 0, ["speed", "velocity", "gps_speed"])
        let kmh = SpeedUnit.kilometresPerHour.inMetresPerSecond
        add(.speed, kmh, ["speed_kmh", "speed_kph", "speed_km/h", "speed_km_h", "velocity_kmh", "speed_(km/h)"])
        add(.speed, 1, ["speed_mps", "speed_ms", "speed_m/s", "speed_m_s", "velocity_mps", "speed_(m/s)"])
        add(.speed, 0.01, ["speed_cmps"])
        let knots = SpeedUnit.knots.inMetresPerSecond
        add(.speed, knots, ["speed_kn", "speed_kt", "speed_kts", "speed_knots", "speed_(knots)"])
        add(.speed, SpeedUnit.milesPerHour.inMetresPerSecond, ["speed_mph", "speed_(mph)"])
        add(.heading, 1, ["heading", "course", "bearing", "cog", "heading_deg", "course_deg", "bearing_deg"])
        add(.altitude, 1, ["altitude", "alt", "ele", "elevation", "altitude_m", "alt_m", "elevation_m"])
        add(.accuracy, 1, ["accuracy", "accuracy_m", "horizontal_accuracy", "gps_accuracy"])
        add(.hdop, 1, ["hdop"])
        add(.satellites, 1, ["satellites", "sat", "sats", "satellite_count", "num_sat"])
        add(.odometer, 1, ["odometer_m", "mileage_m"])
        add(.odometer, 1000, ["odometer_km", "mileage_km"])
        add(.ignition, 1, ["ignition", "ign", "engine_on"])
        add(.valid, 1, ["valid", "fix_valid", "gps_valid"])
        return known
    }()
}
