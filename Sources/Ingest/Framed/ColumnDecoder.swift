import Telemetry

/// Decodes `odograph.v1.PositionColumns` by way of one reusable array a column.
final class ColumnDecoder {
    private var times: [Int64] = []
    private var latitudes: [Int64] = []
    private var longitudes: [Int64] = []
    private var presence: [UInt32] = []
    private var setIndices: [UInt32] = []
    /// Speed, heading, altitude, accuracy, hdop, satellites, odometer: fields 5 to 11.
    private var optional = [[Int64]](repeating: [], count: 7)

    /// The bits of `present` that positions store; the further one announces attributes.
    private static let stored: UInt32 = 0x3ff
    private static let attributesBit: UInt32 = 2048

    func decode(
        _ message: WireReader,
        batch: inout BatchRows,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) throws(WireFault) {
        times.removeAll(keepingCapacity: true)
        latitudes.removeAll(keepingCapacity: true)
        longitudes.removeAll(keepingCapacity: true)
        presence.removeAll(keepingCapacity: true)
        setIndices.removeAll(keepingCapacity: true)
        for index in optional.indices { optional[index].removeAll(keepingCapacity: true) }
        var sets: [AttributeSet] = []

        var reader = message
        while !reader.isAtEnd {
            let tag = try reader.tag()
            switch tag >> 3 {
            case 1: try ColumnDecoder.deltas(&reader, tag, into: &times)
            case 2: try ColumnDecoder.deltas(&reader, tag, into: &latitudes)
            case 3: try ColumnDecoder.deltas(&reader, tag, into: &longitudes)
            case 4: try ColumnDecoder.numbers(&reader, tag, into: &presence)
            case 5...11: try ColumnDecoder.deltas(&reader, tag, into: &optional[Int(tag >> 3) - 5])
            case 12: try ColumnDecoder.numbers(&reader, tag, into: &setIndices)
            case 13:
                guard tag & 7 == 2 else { throw reader.fault(.unexpectedWireType) }
                guard sets.count < BatchDecoder.limit else { throw reader.fault(.tooManyPositions) }
                sets.append(try AttributeDecoder.attributes(of: try reader.delimited(), field: 1))
            default: try reader.skip(tag: tag)
            }
        }
        let count = times.count
        guard latitudes.count == count, longitudes.count == count,
            presence.count <= 1 || presence.count == count
        else { throw message.fault(.columnLengths) }
        try emit(message, sets: sets, batch: &batch, into: &chunk, context: context)
    }

    private func emit(
        _ message: WireReader,
        sets: [AttributeSet],
        batch: inout BatchRows,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) throws(WireFault) {
        let admission = context.options.admission
        let common = presence.count == 1 ? presence[0] : 0
        let isVaried = presence.count > 1
        var next = Next()
        for index in times.indices {
            let present = isVaried ? presence[index] : common
            var position = Position(
                fixTime: Timestamp(milliseconds: 0),
                coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
            )
            position.fields = Position.Fields(rawValue: UInt16(present & ColumnDecoder.stored))
            var problem: Admission.Problem?
            if present & ~ColumnDecoder.stored != 0 || present & 0x7f != 0 {
                guard next.take(present, from: optional, setIndices: setIndices, sets: sets, into: &position) else {
                    throw message.fault(.columnLengths)
                }
                problem = next.problem
                if position.attributes != 0 { chunk.attributes[position.attributes] = next.set }
            }
            if position.fields.contains(.ignitionOn) { position.fields.insert(.ignition) }
            let (latitude, longitude) = (latitudes[index], longitudes[index])
            if latitude.magnitude <= 900_000_000, longitude.magnitude <= 1_800_000_000 {
                position.coordinate = Coordinate(latitudeE7: Int32(latitude), longitudeE7: Int32(longitude))
                if problem == nil { problem = admission.admit(time: times[index], into: &position) }
            } else {
                problem = Admission.coordinateProblem(
                    latitude: Double(latitude) / 1e7,
                    longitude: Double(longitude) / 1e7
                )
            }
            batch.number += 1
            if let problem = batch.deviceProblem ?? problem {
                let content = "fix_time_ms \(times[index]), latitude_e7 \(latitude), longitude_e7 \(longitude)"
                batch.refuse(problem, content, into: &chunk, context: context)
            } else if let device = batch.device {
                chunk.append(position, device: device)
            }
        }
        guard next.isDone(optional, setIndices) else { throw message.fault(.columnLengths) }
    }

    /// Appends a column of deltas, packed or not, as running sums; sums wrap, as hostile ones may.
    private static func deltas(_ reader: inout WireReader, _ tag: UInt32, into column: inout [Int64]) throws(WireFault)
    {
        var sum = column.last ?? 0
        if tag & 7 == 0 {
            sum &+= try reader.signedVarint()
            guard column.count < BatchDecoder.limit else { throw reader.fault(.tooManyPositions) }
            column.append(sum)
            return
        }
        guard tag & 7 == 2 else { throw reader.fault(.unexpectedWireType) }
        var content = try reader.delimited()
        column.reserveCapacity(column.count + min(content.count, BatchDecoder.limit))
        while !content.isAtEnd {
            guard column.count < BatchDecoder.limit else { throw content.fault(.tooManyPositions) }
            sum &+= try content.signedVarint()
            column.append(sum)
        }
    }

    private static func numbers(
        _ reader: inout WireReader,
        _ tag: UInt32,
        into column: inout [UInt32]
    ) throws(WireFault) {
        if tag & 7 == 0 {
            guard column.count < BatchDecoder.limit else { throw reader.fault(.tooManyPositions) }
            column.append(UInt32(truncatingIfNeeded: try reader.varint()))
            return
        }
        guard tag & 7 == 2 else { throw reader.fault(.unexpectedWireType) }
        var content = try reader.delimited()
        while !content.isAtEnd {
            guard column.count < BatchDecoder.limit else { throw content.fault(.tooManyPositions) }
            column.append(UInt32(truncatingIfNeeded: try content.varint()))
        }
    }

    /// How far the optional columns are used up.
    private struct Next {
        private var indices: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
        private var attribute = 0
        /// What is wrong with a value of the position just taken.
        var problem: Admission.Problem?
        /// The attributes of the position just taken, if it has any.
        var set: AttributeSet?

        /// Takes the values of one position.
        ///
        /// - Returns: false when a column has too few.
        @inline(__always)
        mutating func take(
            _ present: UInt32,
            from columns: [[Int64]],
            setIndices: [UInt32],
            sets: [AttributeSet],
            into position: inout Position
        ) -> Bool {
            problem = nil
            func value(_ column: Int, _ index: inout Int, _ range: ClosedRange<Int64>, _ name: String) -> Int64? {
                guard index < columns[column].count else { return nil }
                let value = columns[column][index]
                index += 1
                if !range.contains(value) {
                    problem = Admission.outOfRange(name, Double(value), "\(range.lowerBound) to \(range.upperBound)")
                    return 0
                }
                return value
            }
            if present & 1 != 0 {
                guard let speed = value(0, &indices.0, 0...65535, "speed_cmps") else { return false }
                position.speedCentimetresPerSecond = UInt16(speed)
            }
            if present & 2 != 0 {
                guard let heading = value(1, &indices.1, 0...3599, "heading_ddeg") else { return false }
                position.headingDecidegrees = UInt16(heading)
            }
            if present & 4 != 0 {
                guard let altitude = value(2, &indices.2, -1_000_000...1_000_000_000, "altitude_dm") else {
                    return false
                }
                position.altitudeDecimetres = Int32(altitude)
            }
            if present & 8 != 0 {
                guard let accuracy = value(3, &indices.3, 0...1_000_000_000, "accuracy_dm") else { return false }
                position.accuracyDecimetres = UInt32(accuracy)
            }
            if present & 16 != 0 {
                guard let hdop = value(4, &indices.4, 0...65535, "hdop_hundredths") else { return false }
                position.hdopHundredths = UInt16(hdop)
            }
            if present & 32 != 0 {
                guard let satellites = value(5, &indices.5, 0...255, "satellites") else { return false }
                position.satelliteCount = UInt8(satellites)
            }
            if present & 64 != 0 {
                guard let odometer = value(6, &indices.6, 0...10_000_000_000_000, "odometer_dm") else { return false }
                position.odometerDecimetres = odometer
            }
            if present & ColumnDecoder.attributesBit != 0 {
                guard attribute < setIndices.count, setIndices[attribute] < sets.count else { return false }
                let set = sets[Int(setIndices[attribute])]
                self.set = set
                position.attributes = set.reference
                attribute += 1
            }
            return true
        }

        func isDone(_ columns: [[Int64]], _ setIndices: [UInt32]) -> Bool {
            let taken = [indices.0, indices.1, indices.2, indices.3, indices.4, indices.5, indices.6]
            return taken == columns.map(\.count) && attribute == setIndices.count
        }
    }
}
