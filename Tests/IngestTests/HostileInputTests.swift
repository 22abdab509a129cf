import Ingest
import Telemetry
import Testing
import TrackMessages

@Suite("Hostile input") struct HostileInputTests {
    /// One small good input for each format.
    static func seeds() -> [(InputFormat, [UInt8])] {
        var samples = Samples(seed: 77)
        let batches = samples.batches(4)
        var csv = "vehicle,lat,lon,time,speed_kmh,date\n"
        for batch in batches {
            for position in batch.positions {
                csv += "\"\(batch.device)\",\(position.coordinate.latitude),\(position.coordinate.longitude),"
                csv += "\(position.fixTime.iso8601()),\(samples.number(0...100)),\"a \"\"b\"\"\"\r\n"
            }
        }
        let point = "<trkpt lat=\"60.1\" lon=\"24.9\"><time>2026-03-29T10:15:30Z</time><speed>3</speed></trkpt>"
        return [
            (.framed, batches.flatMap { BatchEncoder.frame($0, as: .plain) }),
            (.framed, batches.flatMap { BatchEncoder.frame($0, as: .columns) }),
            (.gtfsRealtime, TransitTests.feed(descriptor: [(1, "bus"), (2, "label")], entity: "e")),
            (.gpx, Array(GPXTests.track(String(repeating: point, count: 5)).utf8)),
            (.csv, Array(csv.utf8)),
            (.geoJSON, Array(JSONTests.collection.utf8)),
            (.overland, Array(JSONTests.overland.utf8)),
            (.ownTracks, Array(JSONTests.recorder.utf8)),
        ]
    }

    @Test("Changed, cut and joined bytes never crash, in any format, and never give an impossible position")
    func mutations() {
        var samples = Samples(seed: 1)
        for (format, seed) in HostileInputTests.seeds() {
            for round in 0..<600 {
                var bytes = seed
                for _ in 0..<samples.number(1...4) where !bytes.isEmpty {
                    let index = samples.number(0...bytes.count - 1)
                    switch samples.number(0...4) {
                    case 0: bytes[index] ^= 1 << UInt8(samples.number(0...7))
                    case 1: bytes[index] = UInt8(samples.number(0...255))
                    case 2: bytes.removeSubrange(index..<min(bytes.count, index + samples.number(1...20)))
                    case 3: bytes.insert(contentsOf: [0xff, 0xff, 0xff, 0xff, 0x0f], at: index)
                    default: bytes.removeLast(bytes.count - index)
                    }
                }
                let reading = Reading(
                    bytes,
                    name: "hostile.x",
                    Reading.options { if round % 2 == 0 { $0.format = format } }
                )
                for position in reading.bare {
                    #expect(position.coordinate.isValid)
                    #expect(position.fixTime >= .earliest && position.fixTime <= Reading.received + 300_000)
                    #expect(position.headingDecidegrees < 3600)
                }
            }
        }
    }

    @Test("Where protobuf-c refuses changed bytes, so do we; where both accept, both see as many positions")
    func oracle() {
        var samples = Samples(seed: 2)
        var accepted = 0
        for _ in 0..<400 {
            guard let batch = samples.batches(1).first else { continue }
            var bytes = BatchEncoder.encode(batch, as: .plain)
            let index = samples.number(0...bytes.count - 1)
            bytes[index] = UInt8(samples.number(0...255))
            let message = odograph__v1__position_batch__unpack(nil, bytes.count, bytes)
            defer { odograph__v1__position_batch__free_unpacked(message, nil) }
            let reading = Reading(FramedTests.framed(bytes), Reading.options { $0.format = .framed })
            if let message, reading.error == nil, message.pointee.columns == nil {
                accepted += 1
                #expect(Int(message.pointee.n_positions) == reading.positions.count + reading.refusals.count)
            } else if message == nil {
                #expect(reading.error != nil)
            }
        }
        #expect(accepted > 100)
    }

    @Test("Bytes without any form are an error or refused rows, not a crash")
    func noise() {
        var samples = Samples(seed: 5)
        for round in 0..<400 {
            let bytes = (0..<samples.number(0...3000)).map { _ in UInt8(truncatingIfNeeded: samples.next()) }
            let format = InputFormat.allCases[round % InputFormat.allCases.count]
            let reading = Reading(bytes, name: "noise", Reading.options { $0.format = round % 3 == 0 ? nil : format })
            #expect(reading.error != nil || reading.positions.isEmpty || format == .framed)
        }
    }

    @Test("Zero bytes are no batches", arguments: [1, 5000, 300_000])
    func zeros(count: Int) {
        let zeros = [UInt8](repeating: 0, count: count)
        #expect(Reading(zeros).error?.kind == .notWhatItSeems)
        #expect(Reading(zeros, Reading.options { $0.format = .framed }).error?.kind == .damaged)
    }

    @Test("A NUL byte refuses its row alone, wherever it stands", arguments: [0, 1, 2000])
    func nulByte(row: Int) {
        var rows = (0..<3000).map { "A,60.1,24.9,\(1_774_779_330 + $0)" }
        rows[row] = "A,60\0.1,24.9,1774779330"
        let reading = Reading("device,lat,lon,time_s\n" + rows.joined(separator: "\n"))
        #expect(reading.error == nil)
        #expect(reading.positions.count == 2999)
        #expect(reading.refusals.count == 1)
    }

    @Test("A row, a quote or a batch without end is refused before it fills the memory")
    func limits() {
        let head = Array("vehicle,lat,lon,time\n".utf8)
        let row = Reading(head + [UInt8](repeating: 0x41, count: 3_000_000))
        #expect(row.error?.kind == .tooLarge)
        let quote = Reading(head + [0x22] + [UInt8](repeating: 0x41, count: 3_000_000))
        #expect(quote.error?.kind == .tooLarge || quote.error?.kind == .truncated)
        var batch = WireBytes()
        batch.delimited(1, [0x61])
        for _ in 0..<65_537 { batch.delimited(3, []) }
        let many = Reading(FramedTests.framed(batch.bytes))
        #expect(many.error?.kind == .damaged)
        #expect(many.refusals.isEmpty)
    }
}
