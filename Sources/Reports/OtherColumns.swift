import CivilTime
package import Telemetry
import TripDetection
package import TripStore

extension Column<StopRecord> {
    package static let stops: [Column<StopRecord>] = [
        Column("vehicle") { .text($0.vehicle) },
        Column("arrival") { .instant($0.stop.arrival) },
        Column("departure") { .instant($0.stop.departure) },
        Column("latitude") { .degrees($0.stop.centre.latitudeE7) },
        Column("longitude") { .degrees($0.stop.centre.longitudeE7) },
        Column("address", json: { $0.address.json(zone: $1, place: $0.place) }) {
            .text($0.place.name ?? $0.address.address?.line)
        },
        Column("duration_s") { .thousandths($0.stop.departure - $0.stop.arrival) },
        Column("idle_s") { .thousandths($0.stop.idle) },
        Column("positions") { .integer(Int64($0.stop.positionCount)) },
        Column("flags", json: { record, _ in .array(record.stop.flags.names.map { .string($0) }) }) {
            .text($0.stop.flags.names.joined(separator: " "))
        },
        Column("state") { .text($0.stop.isFinal ? "final" : "open") },
        Column("address_state") { .text($0.address.name) },
        Column("device") { .text($0.device.text) },
    ]
}

extension TableColumn<StopRecord> {
    package static let stops: [TableColumn<StopRecord>] = [
        TableColumn("VEHICLE", isFlexible: true) { stop, _ in stop.vehicle },
        TableColumn("ARRIVAL") { stop, zone in zone.tableText(stop.stop.arrival) },
        TableColumn("DEPARTURE") { stop, zone in
            zone.tableText(stop.stop.departure, after: stop.stop.arrival) + (stop.stop.isFinal ? "" : " (open)")
        },
        TableColumn("DURATION", .right) { stop, _ in
            Measure.duration(milliseconds: stop.stop.departure - stop.stop.arrival)
        },
        TableColumn("IDLE", .right) { stop, _ in stop.stop.idle.map { Measure.duration(milliseconds: $0) } ?? "" },
        TableColumn("ADDRESS", isFlexible: true) { stop, _ in
            stop.place.name ?? stop.address.tableText(at: stop.stop.centre)
        },
        TableColumn("REMARKS", rank: 1) { stop, _ in stop.stop.flags.names.joined(separator: ", ") },
    ]
}

extension Stop.Flags {
    package var names: [String] {
        (contains(.edge) ? ["edge"] : []) + (contains(.unknownActivity) ? ["unknown activity"] : [])
    }
}

extension Column<GapRecord> {
    package static let gaps: [Column<GapRecord>] = [
        Column("vehicle") { .text($0.vehicle) },
        Column("begin") { .instant($0.gap.begin) },
        Column("end") { .instant($0.gap.end) },
        Column("begin_latitude") { .degrees($0.gap.beginPoint.latitudeE7) },
        Column("begin_longitude") { .degrees($0.gap.beginPoint.longitudeE7) },
        Column("end_latitude") { .degrees($0.gap.endPoint.latitudeE7) },
        Column("end_longitude") { .degrees($0.gap.endPoint.longitudeE7) },
        Column("duration_s") { .thousandths($0.gap.end - $0.gap.begin) },
        Column("reason") { .text($0.gap.reason.name) },
        Column("state") { .text($0.gap.isFinal ? "final" : "open") },
        Column("device") { .text($0.device.text) },
    ]
}

extension TableColumn<GapRecord> {
    package static let gaps: [TableColumn<GapRecord>] = [
        TableColumn("VEHICLE", isFlexible: true) { gap, _ in gap.vehicle },
        TableColumn("BEGIN") { gap, zone in zone.tableText(gap.gap.begin) },
        TableColumn("END") { gap, zone in zone.tableText(gap.gap.end, after: gap.gap.begin) },
        TableColumn("DURATION", .right) { gap, _ in Measure.duration(milliseconds: gap.gap.end - gap.gap.begin) },
        TableColumn("REASON") { gap, _ in gap.gap.reason.name },
        TableColumn("FROM") { gap, _ in Measure.point(gap.gap.beginPoint) },
        TableColumn("TO") { gap, _ in Measure.point(gap.gap.endPoint) },
    ]
}

extension Gap.Reason {
    package var name: String {
        switch self {
        case .silence: "silence"
        case .jump: "jump"
        case .tooShort: "too short"
        }
    }
}

extension Column<VehicleRecord> {
    package static let vehicles: [Column<VehicleRecord>] = [
        Column("vehicle") { .text($0.vehicle) },
        Column("device") { .text($0.device.text) },
        Column("positions") { .integer($0.positionCount) },
        Column("first_time") { .instant($0.first?.fixTime) },
        Column("first_latitude") { $0.first.map { .degrees($0.coordinate.latitudeE7) } ?? .absent },
        Column("first_longitude") { $0.first.map { .degrees($0.coordinate.longitudeE7) } ?? .absent },
        Column("last_time") { .instant($0.latest?.fixTime) },
        Column("last_latitude") { $0.latest.map { .degrees($0.coordinate.latitudeE7) } ?? .absent },
        Column("last_longitude") { $0.latest.map { .degrees($0.coordinate.longitudeE7) } ?? .absent },
        Column("last_contact") { .instant($0.lastContact) },
        Column("watermark") { .instant($0.watermark) },
    ]
}

extension TableColumn<VehicleRecord> {
    package static let vehicles: [TableColumn<VehicleRecord>] = [
        TableColumn("VEHICLE", isFlexible: true) { vehicle, _ in vehicle.vehicle },
        TableColumn("DEVICE", isFlexible: true, rank: 1) { vehicle, _ in vehicle.device.text },
        TableColumn("POSITIONS", .right) { vehicle, _ in Measure.count(vehicle.positionCount) },
        TableColumn("FIRST") { vehicle, zone in vehicle.first.map { zone.tableText($0.fixTime) } ?? "" },
        TableColumn("LAST") { vehicle, zone in vehicle.latest.map { zone.tableText($0.fixTime) } ?? "" },
        TableColumn("LAST PLACE", rank: 2) { vehicle, _ in vehicle.latest.map { Measure.point($0.coordinate) } ?? "" },
    ]
}

extension Column<Refusal> {
    package static let refusals: [Column<Refusal>] = [
        Column("reason") { .text($0.reason.rawValue) },
        Column("source") { .text($0.source) },
        Column("place") { .text($0.place) },
        Column("device") { .text($0.device?.text) },
        Column("detail") { .text($0.detail) },
        Column("content") { .text($0.content) },
    ]
}

extension TableColumn<Refusal> {
    package static let refusals: [TableColumn<Refusal>] = [
        TableColumn("REASON") { refusal, _ in refusal.reason.rawValue },
        TableColumn("SOURCE", isFlexible: true) { refusal, _ in refusal.source },
        TableColumn("PLACE") { refusal, _ in refusal.place },
        TableColumn("DETAIL", isFlexible: true) { refusal, _ in refusal.detail },
        TableColumn("CONTENT", isFlexible: true) { refusal, _ in refusal.content },
    ]
}

/// How many reports were refused for one reason.
package struct RefusalCount: Hashable, Sendable {
    package var reason: Refusal.Reason
    package var count: Int

    package init(reason: Refusal.Reason, count: Int) {
        self.reason = reason
        self.count = count
    }
}

extension Column<RefusalCount> {
    package static let refusalCounts: [Column<RefusalCount>] = [
        Column("reason") { .text($0.reason.rawValue) },
        Column("count") { .integer(Int64($0.count)) },
    ]
}

extension TableColumn<RefusalCount> {
    package static let refusalCounts: [TableColumn<RefusalCount>] = [
        TableColumn("REASON") { count, _ in count.reason.rawValue },
        TableColumn("REPORTS", .right) { count, _ in Measure.count(Int64(count.count)) },
    ]
}

extension Column<SetAsideRecord> {
    package static let setAside: [Column<SetAsideRecord>] = [
        Column("vehicle") { .text($0.vehicle) },
        Column("time") { .instant($0.setAside.key.fixTime) },
        Column("latitude") { .degrees($0.setAside.key.coordinate.latitudeE7) },
        Column("longitude") { .degrees($0.setAside.key.coordinate.longitudeE7) },
        Column("reason") { .text($0.setAside.reason.name) },
        Column("device") { .text($0.device.text) },
    ]
}

extension TableColumn<SetAsideRecord> {
    package static let setAside: [TableColumn<SetAsideRecord>] = [
        TableColumn("VEHICLE", isFlexible: true) { record, _ in record.vehicle },
        TableColumn("TIME") { record, zone in zone.tableText(record.setAside.key.fixTime) },
        TableColumn("POINT") { record, _ in Measure.point(record.setAside.key.coordinate) },
        TableColumn("REASON") { record, _ in record.setAside.reason.name },
    ]
}

extension SetAside.Reason {
    package var name: String {
        switch self {
        case .noFix: "no fix"
        case .inaccurate: "inaccurate"
        case .zeroCoordinates: "zero coordinates"
        case .sameTime: "same time"
        case .outlier: "outlier"
        }
    }
}
