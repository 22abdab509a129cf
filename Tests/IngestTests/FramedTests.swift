import Ingest
import Telemetry
import TestSupport
import Testing
import TrackMessages

@Suite("Framed batches") struct FramedTests {
    @Test("Plain messages and packed columns give back the same positions", arguments: 1...20)
    func roundTrip(seed: Int) {
        var samples = Samples(seed: UInt64(seed))
        let batches = samples.batches(30)
        let expected = batches.flatMap(\.positions)
        for form in BatchEncoder.Form.allCases {
            let reading = Reading(batches.flatMap { BatchEncoder.frame($0, as: form) }, name: "fleet.pb")
            #expect(reading.error == nil)
            #expect(reading.summary?.format == .framed)
            #expect(reading.refusals.isEmpty)
            #expect(reading.bare == expected)
            #expect(
                reading.positions.map(\.device)
                    == batches.flatMap { batch in batch.positions.map { _ in batch.device } }
            )
            for batch in batches { for (key, set) in batch.attributes { #expect(reading.attributes[key] == set) } }
        }
    }

    @Test("What is written is what protobuf-c reads", arguments: 1...10)
    func encoderAgainstOracle(seed: Int) throws {
        var samples = Samples(seed: UInt64(seed))
        for batch in samples.batches(10) {
            let bytes = BatchEncoder.encode(batch, as: .plain, sequence: 7)
            let message = try #require(odograph__v1__position_batch__unpack(nil, bytes.count, bytes))
            defer { odograph__v1__position_batch__free_unpacked(message, nil) }
            #expect(String(cString: message.pointee.device) == batch.device.text)
            #expect(message.pointee.sequence == 7)
            #expect(Int(message.pointee.n_positions) == batch.positions.count)
            for (index, position) in batch.positions.enumerated() {
                let found = try #require(message.pointee.positions[index]).pointee
                #expect(found.fix_time_ms == position.fixTime.milliseconds)
                #expect(found.latitude == position.coordinate.latitude)
                #expect(found.longitude == position.coordinate.longitude)
                #expect(found._speed_mps_case == ODOGRAPH__V1__POSITION___SPEED_MPS_SPEED_MPS || position.speed == nil)
                #expect(found.speed_mps == Float(position.speed ?? 0))
                #expect(found.odometer_m == position.odometer ?? 0)
                #expect(Int(found.satellites) == position.satellites ?? 0)
            }
        }
    }

    @Test("What protobuf-c packs again is read as before", arguments: 1...10)
    func decoderAgainstOracle(seed: Int) throws {
        var samples = Samples(seed: UInt64(seed))
        for batch in samples.batches(10) where !batch.positions.isEmpty {
            for form in BatchEncoder.Form.allCases {
                let bytes = BatchEncoder.encode(batch, as: form)
                let message = try #require(odograph__v1__position_batch__unpack(nil, bytes.count, bytes))
                defer { odograph__v1__position_batch__free_unpacked(message, nil) }
                var packed = [UInt8](repeating: 0, count: odograph__v1__position_batch__get_packed_size(message))
                #expect(odograph__v1__position_batch__pack(message, &packed) == packed.count)
                let reading = Reading(FramedTests.framed(packed), Reading.options { $0.format = .framed })
                #expect(reading.bare == batch.positions)
            }
        }
    }

    @Test("A damaged batch gives one error with its place, and what was before it stays", arguments: 1...5)
    func damage(seed: Int) {
        var samples = Samples(seed: UInt64(seed))
        let batches = samples.batches(20).filter { $0.positions.count > 3 }
        let frames = batches.map { BatchEncoder.frame($0, as: .columns) }
        let good = frames.dropLast().flatMap(\.self)
        let last = frames.last ?? []
        let truncated = Reading(good + last.dropLast(3))
        #expect(truncated.error?.kind == .truncated)
        #expect(truncated.error?.place == "byte \(good.count)")
        #expect(truncated.bare == batches.dropLast().flatMap(\.positions))
        let broken = Reading(good + [4, 0x0a, 0x7f, 0x41, 0x41])
        #expect(broken.error?.kind == .damaged)
        #expect(broken.error?.place == "byte \(good.count + 2)")
        #expect(broken.bare == batches.dropLast().flatMap(\.positions))
        let endless = Reading(good + [UInt8](repeating: 0xff, count: 40))
        #expect(endless.error?.kind == .damaged)
        let huge = Reading(good + [0xff, 0xff, 0xff, 0x7f])
        #expect(huge.error?.kind == .tooLarge)
        #expect(huge.bare.count == truncated.bare.count)
    }

    @Test("H5, C4: a position that lacks something is refused with its number and reason, the others stay")
    func refusals() throws {
        var good = Odograph__V1__Position()
        odograph__v1__position__init(&good)
        good._fix_time_ms_case = ODOGRAPH__V1__POSITION___FIX_TIME_MS_FIX_TIME_MS
        good.fix_time_ms = 1_700_000_000_000
        good._latitude_case = ODOGRAPH__V1__POSITION___LATITUDE_LATITUDE
        good.latitude = 52
        good._longitude_case = ODOGRAPH__V1__POSITION___LONGITUDE_LONGITUDE
        good.longitude = 13
        var positions = [good, good, good, good, good, good]
        positions[1]._fix_time_ms_case = ODOGRAPH__V1__POSITION___FIX_TIME_MS__NOT_SET
        positions[2].longitude = 300
        positions[3].latitude = .nan
        positions[4]._latitude_case = ODOGRAPH__V1__POSITION___LATITUDE__NOT_SET
        var batch = WireBytes()
        batch.delimited(1, Array("car".utf8))
        for var position in positions {
            var bytes = [UInt8](repeating: 0, count: odograph__v1__position__get_packed_size(&position))
            odograph__v1__position__pack(&position, &bytes)
            batch.delimited(3, bytes)
        }
        let reading = Reading(FramedTests.framed(batch.bytes))
        #expect(reading.positions.count == 2)
        #expect(reading.refusals.map(\.reason) == [.noTime, .badCoordinates, .badCoordinates, .noCoordinates])
        #expect(reading.refusals.map(\.place) == (2...5).map { "batch 1 at byte 0, position \($0)" })
        #expect(reading.refusals.allSatisfy { $0.device?.text == "car" })
        #expect(reading.reasons == [.noTime: 1, .badCoordinates: 2, .noCoordinates: 1])
    }

    @Test("A batch without a device, or with an impossible one, is refused position by position")
    func devices() {
        var samples = Samples(seed: 3)
        guard let device = DeviceID("x") else { return }
        let batch = PositionBatch(device: device, positions: (0..<5).map { _ in samples.position() })
        for (name, reason) in [
            ("", Refusal.Reason.noDevice), ("a\u{1}b", .badDevice), (String(repeating: "x", count: 129), .badDevice),
        ] {
            let encoded = BatchEncoder.encode(batch, as: .columns)
            var bytes = WireBytes()
            bytes.delimited(1, Array(name.utf8))
            let reading = Reading(
                FramedTests.framed(bytes.bytes + encoded.dropFirst(3)),
                Reading.options { $0.format = .framed }
            )
            #expect(reading.reasons == [reason: 5])
        }
    }

    @Test("Columns of different lengths, or twice, are an error and no crash")
    func columnLengths() {
        for tags in [[1, 1, 2, 3], [1, 2], [1, 2, 3, 5], [1, 2, 3, 12], [2, 3]] {
            var columns = WireBytes()
            for tag in tags { columns.delimited(UInt8(tag), [2]) }
            var batch = WireBytes()
            batch.delimited(1, [0x61])
            batch.delimited(4, columns.bytes)
            let reading = Reading(FramedTests.framed(batch.bytes), Reading.options { $0.format = .framed })
            #expect(reading.error?.kind == .damaged)
            #expect(reading.positions.isEmpty)
        }
    }

    static func framed(_ message: [UInt8]) -> [UInt8] {
        var bytes = WireBytes()
        bytes.varint(message.count)
        return bytes.bytes + message
    }
}

/// Writes protobuf by hand, independent of the code under test.
struct WireBytes {
    var bytes: [UInt8] = []

    mutating func varint(_ value: Int) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7f) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func delimited(_ field: UInt8, _ content: [UInt8]) {
        bytes.append(field << 3 | 2)
        varint(content.count)
        bytes += content
    }
}
