import CivilTime
import Telemetry
import TripDetection
package import TripStore

extension Column<TripRecord> {
    /// The columns of `odograph trips --format csv` and of exports.
    package static let trips: [Column<TripRecord>] = [
        Column("trip_id") { .text($0.id.text) },
        Column("vehicle") { .text($0.vehicle) },
        Column("begin") { .instant($0.trip.begin) },
        Column("end") { .instant($0.trip.end) },
        Column("begin_latitude") { .degrees($0.trip.beginPoint.latitudeE7) },
        Column("begin_longitude") { .degrees($0.trip.beginPoint.longitudeE7) },
        Column("begin_address", json: { $0.beginAddress.json(zone: $1, place: $0.beginPlace) }) {
            .text($0.beginPlace.name ?? $0.beginAddress.address?.line)
        },
        Column("end_latitude") { .degrees($0.trip.endPoint.latitudeE7) },
        Column("end_longitude") { .degrees($0.trip.endPoint.longitudeE7) },
        Column("end_address", json: { $0.endAddress.json(zone: $1, place: $0.endPlace) }) {
            .text($0.endPlace.name ?? $0.endAddress.address?.line)
        },
        Column("distance_m") { .thousandths($0.trip.distance) },
        Column("duration_s") { .thousandths($0.trip.end - $0.trip.begin) },
        Column("moving_s") { .thousandths($0.trip.moving) },
        Column("idle_s") { .thousandths($0.trip.idle) },
        // A centimetre a second is 0.036 km/h.
        Column("max_speed_kmh") { .thousandths(Int64($0.trip.highestSpeed) * 36) },
        Column("begin_reason") { .text($0.trip.beginReason.name) },
        Column("end_reason") { .text($0.trip.endReason.name) },
        Column("state") { .text($0.state) },
        Column("revision") { .integer($0.revision) },
        Column("begin_address_state") { .text($0.beginAddress.name) },
        Column("end_address_state") { .text($0.endAddress.name) },
        Column("device") { .text($0.device.text) },
    ]

    /// What else is known of a trip, for the report on a single one.
    package static let tripDetails: [Column<TripRecord>] =
        trips + [
            Column("average_speed_kmh") { .thousandths($0.averageSpeed) },
            Column("distance_source") { .text($0.trip.distanceSource.name) },
            Column("position_distance_m") { .thousandths($0.trip.positionDistance) },
            Column("odometer_distance_m") { .thousandths($0.trip.odometerDistance) },
            Column("positions") { .integer(Int64($0.trip.positionCount)) },
            Column("largest_hole_s") { .thousandths($0.trip.largestHole) },
            Column("flags", json: { record, _ in .array(record.trip.flags.names.map { .string($0) }) }) {
                .text($0.trip.flags.names.joined(separator: " "))
            },
        ]
}

extension TableColumn<TripRecord> {
    package static let trips: [TableColumn<TripRecord>] = [
        TableColumn("TRIP", rank: 2) { trip, _ in trip.id.text },
        TableColumn("VEHICLE", isFlexible: true) { trip, _ in trip.vehicle },
        TableColumn("BEGIN") { trip, zone in zone.tableText(trip.trip.begin) },
        TableColumn("END") { trip, zone in
            zone.tableText(trip.trip.end, after: trip.trip.begin) + (trip.trip.isFinal ? "" : " (open)")
        },
        TableColumn("DURATION", .right, rank: 1) { trip, _ in
            Measure.duration(milliseconds: trip.trip.end - trip.trip.begin)
        },
        TableColumn("DISTANCE", .right) { trip, _ in Measure.distance(millimetres: trip.trip.distance) },
        TableColumn("FROM", isFlexible: true) { trip, _ in
            trip.beginPlace.name ?? trip.beginAddress.tableText(at: trip.trip.beginPoint)
        },
        TableColumn("TO", isFlexible: true) { trip, _ in
            trip.endPlace.name ?? trip.endAddress.tableText(at: trip.trip.endPoint)
        },
    ]
}

extension TripRecord {
    /// The state as reports name it: open, final or removed.
    package var state: String { isRemoved ? "removed" : trip.isFinal ? "final" : "open" }

    /// Over the time spent moving, in thousandths of km/h; nil when it never moved.
    package var averageSpeed: Int64? {
        trip.moving > 0 ? Int64((Double(trip.distance) / Double(trip.moving) * 3600).rounded()) : nil
    }
}

extension Trip.BeginReason {
    package var name: String {
        switch self {
        case .stop: "stop"
        case .gap: "gap"
        case .firstData: "first data"
        }
    }
}

extension Trip.EndReason {
    package var name: String {
        switch self {
        case .stop: "stop"
        case .gap: "gap"
        case .lastData: "last data"
        }
    }
}

extension Trip.DistanceSource {
    package var name: String {
        switch self {
        case .positions: "positions"
        case .odometer: "odometer"
        }
    }
}

extension Trip.Flags {
    package var names: [String] {
        let known: [(Trip.Flags, String)] = [
            (.signalLost, "signal lost"), (.hole, "hole"), (.lowQuality, "low quality"),
            (.odometerReset, "odometer reset"), (.odometerStuck, "odometer stuck"), (.timeCorrected, "time corrected"),
        ]
        return known.filter { contains($0.0) }.map(\.1)
    }
}
