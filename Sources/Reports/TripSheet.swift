package import CivilTime
import Telemetry
import TripDetection
import TripStore

extension TripPath {
    /// The trip in full for people: a name and a value on each line.
    package func sheet(zone: Zone) -> String {
        let trip = record.trip
        var rows: [(String, String)] = [
            ("Trip", "\(record.id.text), \(record.state), revision \(record.revision)"),
            ("Vehicle", record.vehicle),
            ("Device", record.device.text),
            ("Begin", "\(zone.tableText(trip.begin)), \(TripPath.beginning(trip.beginReason))"),
            ("End", "\(zone.tableText(trip.end)), \(TripPath.ending(trip))"),
            (
                "From",
                TripPath.place(record.beginAddress, at: trip.beginPoint, name: record.beginPlace.name, zone: zone)
            ),
            ("To", TripPath.place(record.endAddress, at: trip.endPoint, name: record.endPlace.name, zone: zone)),
            ("Distance", "\(Measure.distance(millimetres: trip.distance)) by \(trip.distanceSource.name)"),
        ]
        if let odometer = trip.odometerDistance, trip.distanceSource == .positions {
            rows.append(("Odometer", Measure.distance(millimetres: odometer)))
        } else if trip.distanceSource == .odometer {
            rows.append(("By positions", Measure.distance(millimetres: trip.positionDistance)))
        }
        rows += [
            ("Duration", Measure.duration(milliseconds: trip.end - trip.begin)),
            ("Moving", Measure.duration(milliseconds: trip.moving)),
            ("Idle", trip.idle.map { Measure.duration(milliseconds: $0) } ?? "not known, ignition was never sent"),
            (
                "Speed",
                "\(record.averageSpeed.map { "\(TripPath.speed($0)) on average, " } ?? "")"
                    + "\(TripPath.speed(Int64(trip.highestSpeed) * 36)) at most"
            ),
            (
                "Positions",
                "\(Measure.count(Int64(trip.positionCount))), longest silence "
                    + Measure.duration(milliseconds: trip.largestHole)
            ),
        ]
        if !trip.flags.names.isEmpty { rows.append(("Remarks", trip.flags.names.joined(separator: ", "))) }
        if path.isEmpty { rows.append(("Path", "its positions are no longer kept")) }
        return Sheet(rows).text
    }

    private static func beginning(_ reason: Trip.BeginReason) -> String {
        switch reason {
        case .stop: "left a stop"
        case .gap: "after a gap in the data"
        case .firstData: "the first data"
        }
    }

    private static func ending(_ trip: Trip) -> String {
        switch trip.endReason {
        case .stop: "came to a stop"
        case .gap: "a gap in the data"
        case .lastData: trip.isFinal ? "the last data" : "the latest data so far"
        }
    }

    private static func place(_ state: AddressState, at point: Coordinate, name: String?, zone: Zone) -> String {
        (name.map { "\($0), " } ?? "") + place(state, at: point, zone: zone)
    }

    private static func place(_ state: AddressState, at point: Coordinate, zone: Zone) -> String {
        let coordinates = Measure.point(point)
        switch state {
        case .pending: return "\(coordinates), address pending"
        case .provisional(let address): return "\(address.line) (\(coordinates)), provisional"
        case .resolved(let address): return "\(address.line) (\(coordinates))"
        case .nothing: return "\(coordinates), no address there"
        case .failed(let reason, let nextTry):
            let next = nextTry.map { ", next try \(zone.tableText($0))" } ?? ""
            return "\(coordinates), no address yet: \(reason)\(next)"
        }
    }

    private static func speed(_ thousandths: Int64) -> String {
        let tenths = (thousandths + 50) / 100
        return "\(tenths / 10).\(tenths % 10) km/h"
    }
}
