package import CivilTime
package import Telemetry

/// The formats in which positions are read; the raw value is what `--format` takes.
package enum InputFormat: String, CaseIterable, Sendable {
    /// Framed `odograph.v1.PositionBatch` messages, each behind its length as a varint.
    case framed
    /// One GTFS-Realtime `FeedMessage`.
    case gtfsRealtime = "gtfs-rt"
    case gpx
    case csv
    /// Point features.
    case geoJSON = "geojson"
    /// Batches of the phone app Overland.
    case overland
    /// Files of the OwnTracks Recorder.
    case ownTracks = "owntracks"

    /// What people call it.
    package var name: String {
        switch self {
        case .framed: "framed position batches"
        case .gtfsRealtime: "GTFS-Realtime"
        case .gpx: "GPX"
        case .csv: "CSV"
        case .geoJSON: "GeoJSON"
        case .overland: "Overland JSON"
        case .ownTracks: "OwnTracks recorder lines"
        }
    }
}

/// Units of speed; the raw value is what `--speed-unit` takes.
package enum SpeedUnit: String, CaseIterable, Sendable {
    case kilometresPerHour = "kmh"
    case metresPerSecond = "mps"
    case knots = "kn"
    case milesPerHour = "mph"

    /// Metres a second in one of these, exact by definition of the unit.
    package var inMetresPerSecond: Double {
        switch self {
        case .kilometresPerHour: 1000.0 / 3600
        case .metresPerSecond: 1
        case .knots: 1852.0 / 3600
        case .milesPerHour: 1609.344 / 3600
        }
    }
}

/// What a reader is told beyond the bytes.
package struct ReadOptions: Sendable {
    /// Forces a format; nil recognises it from the content.
    package var format: InputFormat?
    /// The device of a file that names none; nil takes the file's name without extension.
    package var device: DeviceID?
    /// The zone of times that name none; nil refuses such rows.
    package var assumedZone: Zone?
    /// The unit of a CSV column `speed`; for GTFS-Realtime, the unit that the agency really sends.
    package var speedUnit: SpeedUnit?
    /// Which reports are accepted.
    package var admission: Admission
    /// Rows after which a chunk is handed over; a chunk may be larger by one batch.
    package var chunkSize = 4096

    package init(admission: Admission) {
        self.admission = admission
    }
}
