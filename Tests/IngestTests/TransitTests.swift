import Foundation
import Ingest
import Telemetry
import TestSupport
import Testing

@Suite("GTFS-Realtime recordings", .enabled(if: SharedData.isPresent, SharedData.whenAbsent))
struct TransitRecordingTests {
    static let feeds: [URL] =
        ((try? FileManager.default.contentsOfDirectory(at: SharedData.url("gtfs-rt"), includingPropertiesForKeys: nil))
        ?? [])
        .filter { $0.pathExtension == "pb" }.sorted { $0.path < $1.path }

    /// What the published Python bindings make of all feeds; nil when they are not installed.
    static let oracle: [String]? = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = SharedData.packageFolder.appending(path: "Tests/Oracles/gtfs_realtime.py").path
        let python = ProcessInfo.processInfo.environment["ODOGRAPH_PYTHON"] ?? "python3"
        process.arguments = [python, script] + feeds.map(\.path)
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }  // without Python there is nothing to compare with
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }()

    @Test(
        "Every snapshot decodes to what the published bindings make of it, value by value",
        .enabled(if: oracle != nil, "the PyPI package gtfs-realtime-bindings is not installed")
    )
    func againstOracle() throws {
        let expected = try #require(TransitRecordingTests.oracle)
        var found: [String] = []
        for feed in TransitRecordingTests.feeds {
            let reading = Reading(path: feed.path)
            #expect(reading.error == nil)
            #expect(reading.refusals.isEmpty)
            #expect(reading.summary?.format == .gtfsRealtime)
            found.append("\(feed.lastPathComponent) \(reading.positions.count)")
            for (device, position) in reading.positions {
                let place = "\(position.coordinate.latitudeE7) \(position.coordinate.longitudeE7)"
                found.append("\(device) \(position.fixTime.milliseconds) \(place)")
            }
        }
        let lines = expected.map { line in
            let parts = line.split(separator: "\t")
            return parts[0] == "file" ? "\(parts[1]) \(parts[2])" : parts.prefix(4).joined(separator: " ")
        }
        #expect(lines.count == 3840)
        #expect(found == lines)
    }

    @Test(
        "Snapshots give the counts that the bindings gave when they were recorded",
        arguments: [
            ("krakow-bus-1724151388", 283), ("krakow-bus-1724164109", 366), ("krakow-tram-1724173235", 139),
            ("mbta-1668615191", 449), ("poznan-feeds-1769612619", 548), ("poznan-1769612639", 544),
            ("montpellier-1741793374", 164), ("unitrans-1749416343", 8), ("christchurch-1760486101", 139),
        ]
    )
    func counts(name: String, vehicles: Int) {
        let reading = Reading(path: SharedData.url("gtfs-rt/\(name).pb").path)
        #expect(reading.positions.count == vehicles)
        #expect(reading.notes.contains("positions whose device is the vehicle id: \(vehicles)"))
    }

    @Test("An agency that sends km/h is read by saying so")
    func speedUnit() {
        let path = SharedData.url("gtfs-rt/montpellier-1741793374.pb").path
        let plain = Reading(path: path).bare.compactMap(\.speed).max() ?? 0
        let said =
            Reading(path: path, Reading.options { $0.speedUnit = .kilometresPerHour }).bare.compactMap(\.speed).max()
            ?? 0
        #expect(plain > 60)
        #expect(abs(said * 3.6 - plain) < 0.02)
    }

    @Test("What is no feed, or a damaged one, gives one clear error; a feed of alerts is no error")
    func negative() {
        let alerts = Reading(path: SharedData.url("gtfs-rt/negative/alerts_only.pb").path)
        #expect(alerts.error == nil)
        #expect(alerts.positions.isEmpty)
        #expect(alerts.notes.contains("alerts"))
        let damaged = Reading(path: SharedData.url("gtfs-rt/negative/crlf_corrupted.pb").path)
        #expect(damaged.error?.kind == .notWhatItSeems)
        #expect(damaged.error?.message.contains("sent as text") == true)
        let forced = Reading(
            path: SharedData.url("gtfs-rt/negative/crlf_corrupted.pb").path,
            Reading.options { $0.format = .gtfsRealtime }
        )
        #expect(forced.error?.kind == .damaged)
        #expect(forced.positions.isEmpty)
        let page = Reading(path: SharedData.url("gtfs-rt/negative/http_error_text_as.pb").path)
        #expect(page.error?.kind == .notWhatItSeems)
        #expect(page.error?.description.contains("http_error_text_as.pb") == true)
    }
}

@Suite("GTFS-Realtime") struct TransitTests {
    /// A feed of one vehicle whose descriptor is given.
    static func feed(
        descriptor: [(UInt8, String)],
        entity: String,
        time: Int? = 1_774_779_330,
        place: Bool = true
    ) -> [UInt8] {
        var vehicle = WireBytes()
        if place {
            var position = WireBytes()
            for (field, value) in [(UInt8(1), Float(60.125)), (2, 24.9375)] {
                position.bytes.append(field << 3 | 5)
                withUnsafeBytes(of: value.bitPattern.littleEndian) { position.bytes += $0 }
            }
            vehicle.delimited(2, position.bytes)
        }
        if let time {
            vehicle.bytes.append(5 << 3)
            vehicle.varint(time)
        }
        var named = WireBytes()
        for (field, text) in descriptor { named.delimited(field, Array(text.utf8)) }
        vehicle.delimited(8, named.bytes)
        var content = WireBytes()
        content.delimited(1, Array(entity.utf8))
        content.delimited(4, vehicle.bytes)
        var header = WireBytes()
        header.delimited(1, Array("2.0".utf8))
        header.bytes.append(3 << 3)
        header.varint(1_774_779_000)
        var feed = WireBytes()
        feed.delimited(1, header.bytes)
        feed.delimited(2, content.bytes)
        return feed.bytes
    }

    @Test(
        "A vehicle is known by its id, else its label, its plate, or the entity",
        arguments: [
            (3, "id", "vehicle id"), (2, "label", "vehicle label"), (1, "plate", "licence plate"),
            (0, "e1", "entity id"),
        ]
    )
    func device(known: Int, expected: String, kind: String) {
        let descriptor: [(UInt8, String)] = [(1, "id"), (2, "label"), (3, "plate")].suffix(known)
        let reading = Reading(TransitTests.feed(descriptor: descriptor, entity: "e1"))
        #expect(reading.devices == [expected])
        #expect(reading.notes.contains("device is the \(kind): 1"))
        #expect(reading.bare.first?.coordinate == Coordinate(latitudeE7: 601_250_000, longitudeE7: 249_375_000))
    }

    @Test("The time is the vehicle's, else the header's")
    func times() {
        #expect(
            Reading(TransitTests.feed(descriptor: [], entity: "e")).bare.first?.fixTime
                == Timestamp(seconds: 1_774_779_330)
        )
        for time in [nil, 0] {
            let reading = Reading(TransitTests.feed(descriptor: [], entity: "e", time: time))
            #expect(reading.bare.first?.fixTime == Timestamp(seconds: 1_774_779_000))
        }
    }

    @Test("A vehicle without a place is refused by its entity")
    func noPlace() {
        let reading = Reading(TransitTests.feed(descriptor: [(1, "bus")], entity: "e7", place: false))
        #expect(reading.refusals.map(\.reason) == [.noCoordinates])
        #expect(reading.refusals.first?.place == "entity e7")
        #expect(reading.refusals.first?.device?.text == "bus")
    }
}
