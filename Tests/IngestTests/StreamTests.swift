import Foundation
import Ingest
import Telemetry
import Testing

@Suite("Streams") struct StreamTests {
    /// Reads bytes through a pipe into which they are written in pieces of random length.
    static func readThroughPipe(_ bytes: [UInt8], seed: UInt64) -> Reading {
        let pipe = Pipe()
        let writer = Thread {
            var samples = Samples(seed: seed)
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + samples.number(1...(samples.flip() ? 20 : 70_000)))
                pipe.fileHandleForWriting.write(Data(bytes[start..<end]))
                start = end
            }
            try? pipe.fileHandleForWriting.close()  // the reader sees the end either way
        }
        writer.start()
        return withExtendedLifetime(pipe) {
            Reading(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe.x")
        }
    }

    @Test("Through a pipe in any pieces every format gives what it gives from memory", .timeLimit(.minutes(1)))
    func pieces() {
        var samples = Samples(seed: 8)
        let batches = samples.batches(900)
        var csv = "vehicle,lat,lon,time,note\r\n"
        var features = "{\"type\":\"FeatureCollection\",\"features\":[\n"
        var points = ""
        for batch in batches.prefix(300) {
            for position in batch.positions where position.fixTime.milliseconds > 0 {
                let (latitude, longitude) = (position.coordinate.latitude, position.coordinate.longitude)
                let time = position.fixTime.iso8601()
                csv += "\(batch.device),\(latitude),\(longitude),\(time),\"a\r\n\"\"b\"\"\"\r\n"
                features += features.hasSuffix("[\n") ? "" : ",\n"
                features +=
                    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude),\(latitude)]},"
                features += "\"properties\":{\"device\":\"\(batch.device)\",\"time\":\"\(time)\"}}"
                points += "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>\(time)</time></trkpt>\n"
            }
        }
        let inputs: [[UInt8]] = [
            Array(csv.utf8), Array((features + "]}").utf8), Array(GPXTests.track(points).utf8),
            batches.flatMap { BatchEncoder.frame($0, as: .plain) },
            batches.flatMap { BatchEncoder.frame($0, as: .columns) },
            TransitTests.feed(descriptor: [(1, "bus")], entity: "e"),
        ]
        for (seed, bytes) in inputs.enumerated() {
            let whole = Reading(bytes, name: "pipe.x")
            let piped = StreamTests.readThroughPipe(bytes, seed: UInt64(seed))
            #expect(whole.error == nil)
            #expect(piped.error == nil)
            #expect(piped.bare == whole.bare)
            #expect(piped.positions.map(\.device) == whole.positions.map(\.device))
            #expect(!whole.positions.isEmpty)
        }
    }

    @Test("A file that is not there, a folder and an empty file are told apart")
    func unreadable() throws {
        #expect(Reading(path: "/no/such/file").error?.kind == .unreadable)
        #expect(Reading(path: "/tmp").error?.kind == .unreadable)
        #expect(Reading(path: "/dev/null").error?.kind == .empty)
    }
}
