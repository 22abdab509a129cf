import TestSupport
import Testing

@testable import Telemetry

@Suite("Track codec") struct TrackCodecTests {
    /// Positions with every field now present, now absent, of sensible and of extreme values.
    private static func positions(seed: UInt64, count: Int) -> [Position] {
        var random = SeededGenerator(seed: seed)
        let isWild = random.chance(0.3)
        let shares = (0..<12).map { _ in ([0, 0, 0.5, 0.98, 1] as [Double]).randomElement(using: &random) ?? 0 }
        let step = [1, 1000, 5000, 60_000].randomElement(using: &random) ?? 1
        var time = Int64(random.next() % 2_000_000_000) * 1000
        var (latitude, longitude) = (Int64(480_000_000), Int64(1_799_990_000))
        let references = (0..<3).map { _ in random.next() | 1 }
        var result: [Position] = []
        for _ in 0..<count {
            time += random.chance(0.1) ? Int64(random.next() % 100_000) : Int64(step)
            if isWild {
                latitude = Int64(random.next() % 1_800_000_001) - 900_000_000
                longitude = Int64(random.next() % 3_600_000_001) - 1_800_000_000
            } else {
                latitude += Int64(random.gaussian() * 500)
                longitude = max(-1_800_000_000, min(1_800_000_000, longitude + Int64(random.gaussian() * 500)))
            }
            var position = Position(
                fixTime: Timestamp(milliseconds: time),
                coordinate: Coordinate(latitudeE7: Int32(latitude), longitudeE7: Int32(longitude)),
                receivedTime: Timestamp(milliseconds: random.chance(shares[0]) ? time + 731 : 1_790_000_000_000)
            )
            if random.chance(shares[1]) { position.speed = random.unit() * (isWild ? 655 : 40) }
            if random.chance(shares[2]) { position.heading = random.unit() * 359.9 }
            if random.chance(shares[3]) { position.altitude = random.gaussian() * (isWild ? 10_000_000 : 100) }
            if random.chance(shares[4]) { position.accuracy = random.unit() * (isWild ? 400_000_000 : 20) }
            if random.chance(shares[5]) { position.hdop = random.unit() * 655 }
            if random.chance(shares[6]) { position.satellites = Int(random.next() % 256) }
            if random.chance(shares[7]) { position.odometer = isWild ? random.unit() * 1e12 : Double(time % 1_000_000) }
            if random.chance(shares[8]) { position.ignition = random.chance(0.9) }
            if random.chance(shares[9]) { position.attributes = references.randomElement(using: &random) ?? 0 }
            if random.chance(0.01) { position.fields.insert(.invalidFix) }
            if random.chance(0.01) { position.fields.insert(.timeCorrected) }
            result.append(position)
        }
        Position.sortAndMerge(&result)
        return result
    }

    @Test("What is encoded is decoded, whatever it is", arguments: 0..<Repetitions.count(60, long: 20_000))
    func roundTrip(seed: Int) throws {
        let encoder = TrackEncoder()
        let decoder = TrackDecoder()
        for count in [1, 2, 3, 127, 128, 129, 512, 1000] {
            let positions = Self.positions(seed: UInt64(seed), count: count)
            let bytes = encoder.encode(positions)
            var decoded: [Position] = []
            try decoder.decode(bytes, into: &decoded)
            #expect(decoded == positions)
            let header = try bytes.withUnsafeBytes { try TrackChunkHeader($0) }
            #expect(header.count == positions.count)
            #expect(header.first == positions.first?.fixTime)
            #expect(header.last == positions.last?.fixTime)
            #expect(positions.allSatisfy { $0.coordinate.latitudeE7 >= header.southWest.latitudeE7 })
            #expect(positions.allSatisfy { $0.coordinate.longitudeE7 <= header.northEast.longitudeE7 })
        }
    }

    @Test("A chunk of which any byte changed, or that was cut, is damage, and nothing of it is given")
    func damage() {
        let positions = Self.positions(seed: 7, count: 100)
        let bytes = TrackEncoder().encode(positions)
        let decoder = TrackDecoder()
        for index in bytes.indices {
            for mask: UInt8 in [1, 0x80, 0xff] {
                var changed = bytes
                changed[index] ^= mask
                var decoded = [positions[0]]
                #expect(throws: TrackCodecError.self) { try decoder.decode(changed, into: &decoded) }
                #expect(decoded == [positions[0]])
            }
        }
        for length in 0..<bytes.count {
            var decoded: [Position] = []
            #expect(throws: TrackCodecError.self) { try decoder.decode(Array(bytes[..<length]), into: &decoded) }
        }
    }

    @Test("Bytes that only look sound are read within bounds", arguments: 0..<Repetitions.count(60, long: 20_000))
    func hostile(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes = TrackEncoder().encode(Self.positions(seed: UInt64(seed), count: 300))
        for _ in 0..<1 + Int(random.next() % 8) {
            bytes[48 + Int(random.next() % UInt64(bytes.count - 48))] = UInt8(truncatingIfNeeded: random.next())
        }
        bytes.withUnsafeMutableBytes { raw in
            let sum = TrackCodec.checksum(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(raw)[4...]))
            raw.storeBytes(of: sum.littleEndian, toByteOffset: 0, as: UInt32.self)
        }
        var decoded: [Position] = []
        // Whether it is found out or gives other values: it must not trap.
        try? TrackDecoder().decode(bytes, into: &decoded)
    }

    @Test("The format of version 1 does not change")
    func golden() throws {
        var positions: [Position] = []
        for index in 0..<5 {
            var position = Position(
                fixTime: Timestamp(milliseconds: 1_790_000_000_000 + Int64(index) * 5000),
                coordinate: Coordinate(latitudeE7: 481_234_560 + Int32(index) * 100, longitudeE7: 115_000_000),
                receivedTime: Timestamp(milliseconds: 1_790_000_100_000)
            )
            position.speed = 10 + Double(index)
            positions.append(position)
        }
        let hex = TrackEncoder().encode(positions).map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(hex == Self.version1)
    }

    private static let version1 =
        "0dd94538010001000500000071000000006c50c4a001000020ba50c4a0010000800eaf1c1010af1cc0c2da06c0c2da06"
        + "0e80b083c598680001010a0a80baf8ca030200080000808bd66d000200c0ca8fc598680bd00f03000088460000000000"
        + "0000000000000000000000000000000000"
}
