import Telemetry
import TransitMessages

extension TransitDecoder {
    /// What a vehicle is known by: its id, else its label, else its plate, else the entity.
    static func device(of vehicle: Transit__VehiclePosition, entity: String?) -> (name: String, kind: String)? {
        if let descriptor = vehicle.vehicle?.pointee {
            if let id = text(descriptor.id) { return (id, "vehicle id") }
            if let label = text(descriptor.label) { return (label, "vehicle label") }
            if let plate = text(descriptor.license_plate) { return (plate, "licence plate") }
        }
        return entity.map { ($0, "entity id") }
    }

    static func report(_ vehicle: Transit__VehiclePosition, headerTime: UInt64, options: ReadOptions) -> Report {
        var report = Report()
        // Zero is how some feeds write "not known".
        let seconds = vehicle.timestamp != 0 ? vehicle.timestamp : headerTime
        if seconds != 0 {
            report.hasTime = true
            report.fixTimeMilliseconds = Int64(min(seconds, UInt64(Int64.max / 1000))) * 1000
        }
        guard let place = vehicle.position?.pointee else { return report }
        report.hasLatitude = place._latitude_case == TRANSIT__POSITION___LATITUDE_LATITUDE
        report.latitude = Double(place.latitude)
        report.hasLongitude = place._longitude_case == TRANSIT__POSITION___LONGITUDE_LONGITUDE
        report.longitude = Double(place.longitude)
        if place._bearing_case == TRANSIT__POSITION___BEARING_BEARING {
            report.heading = Double(place.bearing)
            report.present |= Report.heading
        }
        if place._odometer_case == TRANSIT__POSITION___ODOMETER_ODOMETER {
            report.odometer = place.odometer
            report.present |= Report.odometer
        }
        if place._speed_case == TRANSIT__POSITION___SPEED_SPEED {
            report.speed = Double(place.speed) * (options.speedUnit?.inMetresPerSecond ?? 1)
            report.present |= Report.speed
        }
        return report
    }

    /// What else is worth keeping; nil when nothing is.
    static func attributes(of vehicle: Transit__VehiclePosition) -> AttributeSet? {
        var values: [String: String] = [:]
        if let trip = vehicle.trip?.pointee {
            values["trip_id"] = text(trip.trip_id)
            values["route_id"] = text(trip.route_id)
            values["start_date"] = text(trip.start_date)
            values["start_time"] = text(trip.start_time)
            if trip._direction_id_case == TRANSIT__TRIP_DESCRIPTOR___DIRECTION_ID_DIRECTION_ID {
                values["direction_id"] = "\(trip.direction_id)"
            }
        }
        if let descriptor = vehicle.vehicle?.pointee {
            values["label"] = text(descriptor.label)
            values["license_plate"] = text(descriptor.license_plate)
        }
        return values.isEmpty ? nil : AttributeSet(values)
    }

    /// A string of protobuf-c, which is never checked for UTF-8; nil when it is empty.
    static func text(_ string: UnsafePointer<CChar>?) -> String? {
        guard let string, string.pointee != 0 else { return nil }
        return String(cString: string)
    }

    static func text(_ string: UnsafeMutablePointer<CChar>?) -> String? { text(UnsafePointer(string)) }
}

/// A wire reader that knows where the feed begins.
struct FeedReader {
    private var reader: WireReader
    let base: Int

    init(_ reader: WireReader, base: Int) {
        self.reader = reader
        self.base = base
    }

    var isAtEnd: Bool { reader.isAtEnd }
    var cursor: UnsafePointer<UInt8> { reader.cursor }

    mutating func tag() throws(WireFault) -> UInt32 { try reader.tag() }
    mutating func delimited() throws(WireFault) -> WireReader { try reader.delimited() }
    mutating func skip(tag: UInt32) throws(WireFault) { try reader.skip(tag: tag) }

    /// Passes over a field; a header or entity that is no message is a fault.
    mutating func skipUnknown(
        tag: UInt32,
        known: ClosedRange<UInt32>,
        delimited: UInt32
    ) throws(WireFault) {
        if known.contains(tag >> 3) || tag >> 3 == delimited && tag & 7 != 2 { throw reader.fault(.unexpectedWireType) }
        try reader.skip(tag: tag)
    }
}

extension String {
    /// Lends the UTF-8 bytes.
    func withUTF8Bytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
