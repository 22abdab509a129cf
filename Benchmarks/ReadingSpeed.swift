import Foundation
import Ingest
import Telemetry

/// Rows a second from a file to judged positions, for each format, over an interleaved fleet of a thousand vehicles.
enum ReadingSpeed {
    private static let rows = 1_000_000
    private static let vehicles = 1000

    /// Measures the formats whose names begin with `filter`, or all.
    static func measure(in directory: URL, filter: String?) throws {
        for (name, make) in [
            ("csv-iso", csvISO), ("csv-ms", csvMilliseconds), ("framed-plain", { framed(.plain) }),
            ("framed-columns", { framed(.columns) }), ("gpx", gpx), ("geojson", geoJSON),
        ] as [(String, () -> [UInt8])] where filter.map({ name.hasPrefix($0) }) ?? true {
            let file = directory.appending(path: "reading-\(name)")
            let bytes = make()
            try Data(bytes).write(to: file)
            try measure(name, file, bytes: bytes.count)
            try FileManager.default.removeItem(at: file)
        }
    }

    private static func measure(_ name: String, _ file: URL, bytes: Int) throws {
        var options = ReadOptions(admission: Admission(receivedTime: Timestamp(seconds: 1_796_126_400)))
        options.device = DeviceID("van")
        var best = Duration.seconds(1000)
        var count = 0
        for _ in 0..<5 {
            count = 0
            let took = try ContinuousClock().measure {
                let reader = try PositionReader(path: file.path, options: options)
                var chunk = DecodedChunk()
                while try reader.read(into: &chunk) { count += chunk.positions.count }
            }
            best = min(best, took)
        }
        let seconds = best / .seconds(1)
        let rate = (Double(count) / seconds / 1e6 * 100).rounded() / 100
        print("\(name): \(rate) M rows/s, \(bytes / count) bytes a row, \(Int(Double(bytes) / seconds / 1e6)) MB/s")
    }

    private static func latitude(_ row: Int) -> Double { 60 + Double(row % 99991) / 1e6 }
    private static func longitude(_ row: Int) -> Double { 24 + Double(row % 79999) / 1e6 }
    private static func milliseconds(_ row: Int) -> Int64 { 1_774_779_330_000 + Int64(row) * 100 }
    private static func vehicle(_ row: Int) -> Int { row &* 7919 % vehicles }

    private static func csvISO() -> [UInt8] {
        var text = "vehicle,time,lat,lon,speed_kmh,heading\n"
        for row in 0..<rows {
            let time = Timestamp(milliseconds: milliseconds(row) / 1000 * 1000).iso8601()
            text += "vehicle-\(vehicle(row)),\(time),\(latitude(row)),\(longitude(row)),\(row % 90).5,\(row % 360)\n"
        }
        return Array(text.utf8)
    }

    private static func csvMilliseconds() -> [UInt8] {
        var text = "device_id,time_ms,latitude,longitude,speed_mps,heading,accuracy,ignition\n"
        for row in 0..<rows {
            text += "vehicle-\(vehicle(row)),\(milliseconds(row)),\(latitude(row)),\(longitude(row)),"
            text += "\(row % 25).5,\(row % 360),\(row % 20),\(row % 2)\n"
        }
        return Array(text.utf8)
    }

    /// A hundred positions a batch, with speed, heading and accuracy.
    private static func framed(_ form: BatchEncoder.Form) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<rows / 100 {
            guard let device = DeviceID("vehicle-\(index % vehicles)") else { continue }
            var batch = PositionBatch(device: device, positions: [])
            for row in index * 100..<index * 100 + 100 {
                let coordinate = Coordinate(
                    latitudeE7: Int32((latitude(row) * 1e7).rounded()),
                    longitudeE7: Int32((longitude(row) * 1e7).rounded())
                )
                var position = Position(fixTime: Timestamp(milliseconds: milliseconds(row)), coordinate: coordinate)
                position.speed = Double(row % 2500) / 100
                position.heading = Double(row % 360)
                position.accuracy = 5
                batch.positions.append(position)
            }
            bytes += BatchEncoder.frame(batch, as: form)
        }
        return bytes
    }

    private static func gpx() -> [UInt8] {
        var text = "<gpx><trk><trkseg>\n"
        for row in 0..<rows / 4 {
            let time = Timestamp(milliseconds: milliseconds(row)).iso8601()
            text +=
                "<trkpt lat=\"\(latitude(row))\" lon=\"\(longitude(row))\"><ele>12.5</ele><time>\(time)</time></trkpt>\n"
        }
        return Array((text + "</trkseg></trk></gpx>").utf8)
    }

    private static func geoJSON() -> [UInt8] {
        var text = ""
        for row in 0..<rows / 4 {
            text +=
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude(row)),\(latitude(row))]},"
            text += "\"properties\":{\"device\":\"vehicle-\(vehicle(row))\",\"time_ms\":\(milliseconds(row))}}\n"
        }
        return Array(text.utf8)
    }
}
