package import CivilTime
package import Telemetry
import TripDetection
package import TripStore

/// A trip with the positions of its way; without any where retention took them.
package struct TripPath: Sendable {
    package var record: TripRecord
    package var path: [Position]

    package init(record: TripRecord, path: [Position]) {
        self.record = record
        self.path = path
    }

    /// The way, or at least its two ends.
    fileprivate var points: [Coordinate] {
        path.isEmpty ? [record.trip.beginPoint, record.trip.endPoint] : path.map(\.coordinate)
    }
}

extension JSON {
    /// A trip in full with its path.
    package static func trip(_ trip: TripPath, zone: Zone) -> JSON {
        guard case .object(var members) = Column.tripDetails.json(of: trip.record, zone: zone) else { return .null }
        members.append(("begin_address_failure", trip.record.beginAddress.failure(zone: zone)))
        members.append(("end_address_failure", trip.record.endAddress.failure(zone: zone)))
        members.append(("path", .array(trip.path.map { .position($0, zone: zone) })))
        return .object(members)
    }

    /// A position; what was not sent is null.
    package static func position(_ position: Position, zone: Zone) -> JSON {
        func number(_ isPresent: Position.Fields, _ thousandths: Int64) -> JSON {
            position.fields.contains(isPresent) ? .thousandths(thousandths) : .null
        }
        return .object([
            ("time", .string(zone.text(position.fixTime))),
            ("latitude", .degrees(position.coordinate.latitudeE7)),
            ("longitude", .degrees(position.coordinate.longitudeE7)),
            ("speed_kmh", number(.speed, Int64(position.speedCentimetresPerSecond) * 36)),
            ("heading", number(.heading, Int64(position.headingDecidegrees) * 100)),
            ("altitude_m", number(.altitude, Int64(position.altitudeDecimetres) * 100)),
            ("accuracy_m", number(.accuracy, Int64(position.accuracyDecimetres) * 100)),
            ("odometer_m", number(.odometer, position.odometerDecimetres * 100)),
            ("ignition", position.ignition.map { .bool($0) } ?? .null),
        ])
    }
}

/// Writes trips as one GeoJSON feature collection by RFC 7946: a line with the columns as properties, cut where it crosses the antimeridian.
package struct GeoJSONFormatter: RecordFormatter {
    package var zone: Zone
    private var isEmpty = true

    package init(zone: Zone = .utc) { self.zone = zone }

    package func begin(_ out: inout [UInt8]) { out.append(#"{"type":"FeatureCollection","features":["#) }

    package mutating func append(_ trip: TripPath, to out: inout [UInt8]) {
        out.append(isEmpty ? "\n" : ",\n")
        isEmpty = false
        let lines = GeoJSONFormatter.cut(trip.points).map { line in
            let points = line.map { JSON.array([.degrees($0.longitudeE7), .degrees($0.latitudeE7)]) }
            // A line has two points at least.
            return JSON.array(points.count == 1 ? points + points : points)
        }
        let geometry: [(String, JSON)] =
            if lines.count == 1 {
                [("type", .string("LineString")), ("coordinates", lines[0])]
            } else {
                [("type", .string("MultiLineString")), ("coordinates", .array(lines))]
            }
        JSON.object([
            ("type", .string("Feature")),
            ("id", .string(trip.record.id.text)),
            ("geometry", .object(geometry)),
            ("properties", Column.trips.json(of: trip.record, zone: zone)),
        ]).write(to: &out)
    }

    package func end(_ out: inout [UInt8]) { out.append(isEmpty ? "]}\n" : "\n]}\n") }

    /// Cuts a way at the antimeridian, each part ending on it; a step of more than half a turn goes the short way round.
    static func cut(_ points: [Coordinate]) -> [[Coordinate]] {
        let halfTurn: Int64 = 1_800_000_000
        var lines: [[Coordinate]] = [[]]
        var previous: Coordinate?
        for point in points {
            if let from = previous {
                let step = Int64(point.longitudeE7) - Int64(from.longitudeE7)
                if abs(step) > halfTurn {
                    // From the western hemisphere westwards, or from the eastern eastwards.
                    let side = from.longitudeE7 < 0 ? -halfTurn : halfTurn
                    let before = abs(side - Int64(from.longitudeE7))
                    let whole = 2 * halfTurn - abs(step)
                    let rise = Int64(point.latitudeE7) - Int64(from.latitudeE7)
                    let share = whole == 0 ? 0 : Double(before) / Double(whole)
                    let latitude = from.latitudeE7 + Int32((Double(rise) * share).rounded())
                    func append(_ point: Coordinate) {
                        if lines[lines.count - 1].last != point { lines[lines.count - 1].append(point) }
                    }
                    append(Coordinate(latitudeE7: latitude, longitudeE7: Int32(side)))
                    lines.append([Coordinate(latitudeE7: latitude, longitudeE7: Int32(-side))])
                    append(point)
                    previous = point
                    continue
                }
            }
            lines[lines.count - 1].append(point)
            previous = point
        }
        // A part of one point is one that only touches the antimeridian, where its other part stands too.
        let drawn = lines.filter { $0.count > 1 }
        return drawn.isEmpty ? [Array(points.prefix(1))] : drawn
    }
}

/// Writes trips as GPX 1.1, a track for each; times are UTC, as GPX wants them.
package struct GPXFormatter: RecordFormatter {
    package init() {}

    package func begin(_ out: inout [UInt8]) {
        out.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Odograph" xmlns="http://www.topografix.com/GPX/1/1">

            """
        )
    }

    package func append(_ trip: TripPath, to out: inout [UInt8]) {
        let record = trip.record
        out.append("<trk><name>\(GPXFormatter.escaped("\(record.vehicle) \(record.trip.begin.iso8601())"))</name>")
        out.append("<desc>\(GPXFormatter.escaped("Trip \(record.id.text)"))</desc><trkseg>\n")
        if trip.path.isEmpty {
            write(record.trip.beginPoint, at: record.trip.begin, to: &out)
            write(record.trip.endPoint, at: record.trip.end, to: &out)
        }
        for position in trip.path {
            write(position.coordinate, at: position.fixTime, altitude: position.altitude, to: &out)
        }
        out.append("</trkseg></trk>\n")
    }

    package func end(_ out: inout [UInt8]) { out.append("</gpx>\n") }

    private func write(_ point: Coordinate, at time: Timestamp, altitude: Double? = nil, to out: inout [UInt8]) {
        out.append("<trkpt lat=\"")
        out.append(degreesE7: point.latitudeE7)
        out.append("\" lon=\"")
        out.append(degreesE7: point.longitudeE7)
        out.append("\">")
        if let altitude {
            out.append("<ele>")
            out.append(thousandths: Int64((altitude * 1000).rounded()))
            out.append("</ele>")
        }
        out.append("<time>\(time.iso8601())</time></trkpt>\n")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // XML 1.0 has no way to write control characters.
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
