import Telemetry

/// Decodes `odograph.v1.PositionColumns` by way of one buffer a column, kept from batch to batch.
final class ColumnDecoder {
    private let times = ColumnBuffer()
    private let latitudes = ColumnBuffer()
    private let longitudes = ColumnBuffer()
    private let presence = ColumnBuffer()
    private let speed = OptionalColumn("speed_cmps", 0...65535)
    private let heading = OptionalColumn("heading_ddeg", 0...3599)
    private let altitude = OptionalColumn("altitude_dm", -1_000_000...1_000_000_000)
    private let accuracy = OptionalColumn("accuracy_dm", 0...1_000_000_000)
    private let hdop = OptionalColumn("hdop_hundredths", 0...65535)
    private let satellites = OptionalColumn("satellites", 0...255)
    private let odometer = OptionalColumn("odometer_dm", 0...10_000_000_000_000)
    private let setIndices = OptionalColumn("attribute_set", 0...Int64(BatchDecoder.limit))
    private let optional: [OptionalColumn]

    /// The bits of `present` that positions store; the further one announces attributes.
    private static let stored: UInt32 = 0x3ff
    private static let attributesBit: UInt32 = 2048

    init() { optional = [speed, heading, altitude, accuracy, hdop, satellites, odometer, setIndices] }

    func decode(
        _ message: WireReader,
        batch: inout BatchRows,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) throws(WireFault) {
        for column in [times, latitudes, longitudes, presence] { column.removeAll() }
        for column in optional { column.reset() }
        var sets: [AttributeSet] = []
        var reader = message
        while !reader.isAtEnd {
            let tag = try reader.tag()
            switch tag >> 3 {
            case 1: try times.append(&reader, tag: tag, areDeltas: true)
            case 2: try latitudes.append(&reader, tag: tag, areDeltas: true)
            case 3: try longitudes.append(&reader, tag: tag, areDeltas: true)
            case 4: try presence.append(&reader, tag: tag, areDeltas: false)
            case 5...11: try optional[Int(tag >> 3) - 5].buffer.append(&reader, tag: tag, areDeltas: true)
            case 12: try setIndices.buffer.append(&reader, tag: tag, areDeltas: false)
            case 13:
                guard tag & 7 == 2 else { throw reader.fault(.unexpectedWireType) }
                guard sets.count < BatchDecoder.limit else { throw reader.fault(.tooManyPositions) }
                sets.append(try AttributeDecoder.attributes(of: try reader.delimited(), field: 1))
            default: try reader.skip(tag: tag)
            }
        }
        let count = times.count
        guard latitudes.count == count, longitudes.count == count, presence.count <= 1 || presence.count == count else {
            throw message.fault(.columnLengths)
        }
        let references = sets.map(\.reference)
        for index in 0..<count {
            try emit(index, message, sets: sets, references: references, batch: &batch, into: &chunk, context: context)
        }
        guard optional.allSatisfy({ $0.isUsedUp }) else { throw message.fault(.columnLengths) }
    }

    @inline(__always)
    private func emit(
        _ index: Int,
        _ message: WireReader,
        sets: [AttributeSet],
        references: [UInt64],
        batch: inout BatchRows,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) throws(WireFault) {
        let present =
            presence.count == 0 ? 0 : UInt32(truncatingIfNeeded: presence.values[presence.count == 1 ? 0 : index])
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        var fields = UInt16(present & ColumnDecoder.stored)
        if fields & Report.ignitionOn != 0 { fields |= Report.ignition }
        position.fields.rawValue = fields
        var problem: Admission.Problem?
        if present & (0x7f | ColumnDecoder.attributesBit) != 0 {
            try takeOptional(present, message, references: references, into: &position, problem: &problem)
            if position.attributes != 0 {
                chunk.attributes[position.attributes] = sets[Int(setIndices.last)]
            }
        }
        let (latitude, longitude) = (latitudes.values[index], longitudes.values[index])
        if latitude.magnitude <= 900_000_000, longitude.magnitude <= 1_800_000_000 {
            position.coordinate = Coordinate(
                latitudeE7: Int32(truncatingIfNeeded: latitude),
                longitudeE7: Int32(truncatingIfNeeded: longitude)
            )
            if problem == nil { problem = context.options.admission.admit(time: times.values[index], into: &position) }
        } else {
            problem = Admission.coordinateProblem(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
        }
        batch.number += 1
        if batch.deviceProblem == nil, problem == nil {
            batch.accepted.append(position)
        } else if let problem = batch.deviceProblem ?? problem {
            let content = "fix_time_ms \(times.values[index]), latitude_e7 \(latitude), longitude_e7 \(longitude)"
            batch.refuse(problem, content, into: &chunk, context: context)
        }
    }

    @inline(__always)
    private func takeOptional(
        _ present: UInt32,
        _ message: WireReader,
        references: [UInt64],
        into position: inout Position,
        problem: inout Admission.Problem?
    ) throws(WireFault) {
        if present & 1 != 0 { position.speedCentimetresPerSecond = UInt16(try speed.next(message, &problem)) }
        if present & 2 != 0 { position.headingDecidegrees = UInt16(try heading.next(message, &problem)) }
        if present & 4 != 0 { position.altitudeDecimetres = Int32(try altitude.next(message, &problem)) }
        if present & 8 != 0 { position.accuracyDecimetres = UInt32(try accuracy.next(message, &problem)) }
        if present & 16 != 0 { position.hdopHundredths = UInt16(try hdop.next(message, &problem)) }
        if present & 32 != 0 { position.satelliteCount = UInt8(try satellites.next(message, &problem)) }
        if present & 64 != 0 { position.odometerDecimetres = try odometer.next(message, &problem) }
        if present & ColumnDecoder.attributesBit != 0 {
            let index = Int(try setIndices.next(message, &problem))
            guard index < references.count else { throw message.fault(.columnLengths) }
            position.attributes = references[index]
        }
    }
}

/// A column that has values for some of the positions.
private final class OptionalColumn {
    let buffer = ColumnBuffer()
    private let name: String
    private let lowest: Int64
    private let highest: Int64
    private var used = 0

    init(_ name: String, _ range: ClosedRange<Int64>) {
        self.name = name
        lowest = range.lowerBound
        highest = range.upperBound
    }

    var isUsedUp: Bool { used == buffer.count }

    /// The value taken last.
    var last: Int64 { used > 0 ? buffer.values[used - 1] : 0 }

    func reset() {
        buffer.removeAll()
        used = 0
    }

    /// Takes the next value; one out of range is noted and given as 0.
    @inline(__always)
    func next(_ message: WireReader, _ problem: inout Admission.Problem?) throws(WireFault) -> Int64 {
        guard used < buffer.count else { throw message.fault(.columnLengths) }
        let value = buffer.values[used]
        used += 1
        if value >= lowest, value <= highest { return value }
        problem = outOfRange(value)
        return 0
    }

    @inline(never)
    private func outOfRange(_ value: Int64) -> Admission.Problem {
        Admission.outOfRange(name, Double(value), "\(lowest) to \(highest)")
    }
}
