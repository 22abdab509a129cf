import Foundation
import Geocode
import Telemetry
import TestSupport
import Testing
import TripStore

/// What the queue and the ways into the store have to do with each other.
@Suite("Ingest and addresses") struct IngestPathTests {
    /// Twenty minutes of driving east between two stops of ten minutes, a fix every 30 s.
    private static let fixes: [(seconds: Int, point: Coordinate)] = (0...80).map { index in
        let driven = Double(min(max(index - 20, 0), 40)) * 300
        return (1_790_000_000 + index * 30, helsinki.moved(north: 0, east: driven))
    }

    /// The same trip in each format.
    static let formats = ["csv", "gpx", "geojson", "rec", "json"]

    private static func text(_ format: String) -> String {
        func time(_ seconds: Int) -> String { Timestamp(seconds: Int64(seconds)).iso8601() }
        switch format {
        case "csv":
            return "device,time,lat,lon\n"
                + fixes.map { "d,\(time($0.seconds)),\($0.point.latitude),\($0.point.longitude)\n" }.joined()
        case "gpx":
            return "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
                + fixes.map {
                    "<trkpt lat=\"\($0.point.latitude)\" lon=\"\($0.point.longitude)\"><time>\(time($0.seconds))</time></trkpt>"
                }.joined() + "</trkseg></trk></gpx>"
        case "rec":
            return fixes.map {
                "\(time($0.seconds))\t*                 \t{\"_type\":\"location\",\"tid\":\"d\",\"tst\":\($0.seconds),"
                    + "\"lat\":\($0.point.latitude),\"lon\":\($0.point.longitude)}\n"
            }.joined()
        case "json":  // Overland
            let locations = fixes.map {
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\($0.point.longitude),"
                    + "\($0.point.latitude)]},\"properties\":{\"timestamp\":\"\(time($0.seconds))\",\"device_id\":\"d\"}}"
            }
            return "{\"locations\":[\(locations.joined(separator: ","))]}"
        default:
            let features = fixes.map {
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\($0.point.longitude),"
                    + "\($0.point.latitude)]},\"properties\":{\"time\":\"\(time($0.seconds))\",\"device\":\"d\"}}"
            }
            return "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
        }
    }

    private func odograph(_ arguments: [String], stub: StubProvider) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = ProcessTests.executable
        process.arguments = arguments
        process.environment = [
            "ODOGRAPH_NOMINATIM_URL": stub.url(of: "nominatim"), "ODOGRAPH_PROVIDERS": "nominatim",
            "PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(),
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(
        "E25: the same trip is pending, then filled, whatever file it came in",
        .timeLimit(.minutes(1)),
        arguments: formats
    )
    func everyPath(format: String) throws {
        let stub = try StubProvider()
        let folder = FileManager.default.temporaryDirectory.appending(path: "odograph-path-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "d.\(format)").path()
        try Data(Self.text(format).utf8).write(to: URL(filePath: file))
        let store = folder.appending(path: "s.sqlite").path()
        #expect(
            try odograph(["--store", store, "import", "--device", "d", "--no-geocode", file], stub: stub).code == 0
        )
        func column(_ name: String) throws -> [String] {
            let rows = try odograph(["--store", store, "trips", "--format", "csv"], stub: stub).output.split(
                separator: "\r\n"
            )
            let index = try #require(rows.first?.split(separator: ",").firstIndex { $0 == name })
            // State columns stand after the addresses; counted from the end, quoted commas do not matter.
            let count = try #require(rows.first).split(separator: ",").count
            return rows.dropFirst().map { row in
                let cells = row.split(separator: ",", omittingEmptySubsequences: false)
                return String(cells[cells.count - (count - index)])
            }
        }
        #expect(try column("end_address_state") == ["pending"])
        #expect(try odograph(["--store", store, "geocode", "run"], stub: stub).code == 0)
        #expect(try column("begin_address_state") == ["resolved"])
        #expect(try column("end_address_state") == ["resolved"])
    }

    @Test("E8: while a provider hangs, what is written to the store does not wait", .timeLimit(.minutes(1)))
    func neverBlocks() async throws {
        let (stub, bench) = (try StubProvider(), try GeocodeBench())
        try await bench.addPlaces(line(of: 8))
        try await stub.tell(then: .hang(seconds: 4))
        let queue = bench.queue(try (0..<4).map { _ in try bench.resolver(stub, timeout: 3000) })
        let longest = try await withThrowingTaskGroup(of: Duration?.self) { group in
            group.addTask {
                try await queue.drain()
                return nil
            }
            while try await stub.calls().isEmpty { await Task.yield() }
            group.addTask {
                var longest = Duration.zero
                for _ in 0..<20 {
                    let start = ContinuousClock.now
                    try await bench.execute("UPDATE meta SET value = value + 1 WHERE name = 'last_change'")
                    longest = max(longest, ContinuousClock.now - start)
                }
                return longest
            }
            var longest = Duration.zero
            for try await duration in group { longest = max(longest, duration ?? .zero) }
            return longest
        }
        #expect(longest < .seconds(2))
    }
}
