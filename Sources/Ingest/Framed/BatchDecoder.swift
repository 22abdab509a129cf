import Telemetry

/// Decodes one `odograph.v1.PositionBatch` from hostile bytes: five times quicker than by the generated code, against
/// which the tests compare it.
///
/// A batch is taken whole or not at all: after a fault the chunk has nothing of it but, perhaps, attribute sets.
final class BatchDecoder {
    /// The most positions in one batch.
    static let limit = 65_536

    private let columns = ColumnDecoder()
    private let accepted = PositionBuffer()

    struct Fault {
        var message: String
        /// Bytes from the begin of the message.
        var offset: Int
    }

    /// Appends the positions of a batch.
    ///
    /// - Parameters:
    ///   - bytes: the message without its length.
    ///   - name: names the batch in refusals.
    ///   - chunk: where the positions go.
    ///   - context: devices and admission.
    /// - Returns: what is wrong with the bytes, if anything.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        name: BatchName,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) -> Fault? {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else { return nil }
        let refusals = chunk.refusals.count
        do throws(WireFault) {
            let message = WireReader(cursor: base, end: base + bytes.count)
            accepted.removeAll()
            try decode(message, name: name, into: &chunk, context: &context)
            return nil
        } catch {
            chunk.refusals.removeLast(chunk.refusals.count - refusals)
            return Fault(message: error.message, offset: error.address - Int(bitPattern: base))
        }
    }

    private func decode(
        _ message: WireReader,
        name: BatchName,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) throws(WireFault) {
        // The device may stand behind the positions, so it is looked for first.
        var deviceBytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var columnsMessage: WireReader?
        var plainCount = 0
        var scan = message
        while !scan.isAtEnd {
            switch try scan.tag() {
            case 1 << 3 | 2: deviceBytes = try scan.delimited().bytes
            case 2 << 3 | 0: _ = try scan.varint()
            case 3 << 3 | 2:
                _ = try scan.delimited()
                plainCount += 1
            case 4 << 3 | 2:
                guard columnsMessage == nil else { throw scan.fault(.repeatedColumns) }
                columnsMessage = try scan.delimited()
            case let tag: try scan.skipUnknown(tag: tag, known: 1...4)
            }
        }
        guard plainCount <= BatchDecoder.limit else { throw scan.fault(.tooManyPositions) }
        var batch = BatchRows(device: nil, deviceProblem: nil, name: name, accepted: accepted, number: 0)
        if deviceBytes.isEmpty {
            batch.deviceProblem = Admission.Problem(.noDevice, "the batch names no device")
        } else if let device = context.table.index(of: deviceBytes) {
            batch.device = device
        } else {
            batch.deviceProblem = Admission.Problem(
                .badDevice,
                "a device is 1 to 128 bytes of UTF-8 without control characters"
            )
        }
        if plainCount > 0 {
            var scan = message
            while !scan.isAtEnd {
                let tag = try scan.tag()
                if tag == 3 << 3 | 2 {
                    let content = try scan.delimited()
                    try decodePosition(content, batch: &batch, into: &chunk, context: context)
                } else {
                    try scan.skip(tag: tag)
                }
            }
        }
        if let columnsMessage {
            try columns.decode(columnsMessage, batch: &batch, into: &chunk, context: context)
        }
        if let device = batch.device { chunk.append(accepted.contents, device: device) }
    }

    @inline(__always)
    private func decodePosition(
        _ content: WireReader,
        batch: inout BatchRows,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) throws(WireFault) {
        var reader = content
        var report = Report()
        var hasAttributes = false
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 0:
                report.fixTimeMilliseconds = Int64(bitPattern: try reader.varint())
                report.hasTime = true
            case 2 << 3 | 1:
                report.latitude = Double(bitPattern: try reader.fixed64())
                report.hasLatitude = true
            case 3 << 3 | 1:
                report.longitude = Double(bitPattern: try reader.fixed64())
                report.hasLongitude = true
            case 4 << 3 | 5:
                report.speed = Double(Float(bitPattern: try reader.fixed32()))
                report.present |= Report.speed
            case 5 << 3 | 5:
                report.heading = Double(Float(bitPattern: try reader.fixed32()))
                report.present |= Report.heading
            case 6 << 3 | 5:
                report.altitude = Double(Float(bitPattern: try reader.fixed32()))
                report.present |= Report.altitude
            case 7 << 3 | 5:
                report.accuracy = Double(Float(bitPattern: try reader.fixed32()))
                report.present |= Report.accuracy
            case 8 << 3 | 5:
                report.hdop = Double(Float(bitPattern: try reader.fixed32()))
                report.present |= Report.hdop
            case 9 << 3 | 0:
                report.satellites = Double(UInt32(truncatingIfNeeded: try reader.varint()))
                report.present |= Report.satellites
            case 10 << 3 | 1:
                report.odometer = Double(bitPattern: try reader.fixed64())
                report.present |= Report.odometer
            case 11 << 3 | 0:
                report.setIgnition(try reader.varint() != 0)
            case 12 << 3 | 0:
                report.setValid(try reader.varint() != 0)
            case 13 << 3 | 2:
                _ = try reader.delimited()
                hasAttributes = true
            case let tag: try reader.skipUnknown(tag: tag, known: 1...13)
            }
        }
        if hasAttributes {
            let set = try AttributeDecoder.attributes(of: content, field: 13)
            report.attributes = set.reference
            chunk.attributes[set.reference] = set
        }
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        let problem = batch.deviceProblem ?? context.options.admission.admit(report, into: &position)
        batch.number += 1
        if let problem {
            batch.refuse(problem, report.description, into: &chunk, context: context)
        } else {
            batch.accepted.append(position)
        }
    }
}

/// What a batch is called in messages.
struct BatchName: CustomStringConvertible {
    var number: Int
    /// Where its length begins in the file.
    var offset: Int

    var description: String { "batch \(number) at byte \(offset)" }
}

/// The rows of one batch as they are told apart in refusals.
struct BatchRows {
    var device: Int32?
    /// Why none of the batch can be accepted.
    var deviceProblem: Admission.Problem?
    var name: BatchName
    let accepted: PositionBuffer
    /// Positions seen so far.
    var number: Int

    @inline(never)
    func refuse(
        _ problem: Admission.Problem,
        _ content: String,
        into chunk: inout DecodedChunk,
        context: borrowing DecodingContext
    ) {
        chunk.refusals.append(
            context.refusal(problem, place: "\(name), position \(number)", device: device, content: content)
        )
    }
}

/// Reads maps of text to text.
enum AttributeDecoder {
    /// The entries of a map field of a message; of equal keys the last stays, and bytes that are no UTF-8 are replaced.
    static func attributes(of message: WireReader, field: UInt32) throws(WireFault) -> AttributeSet {
        var reader = message
        var values: [String: String] = [:]
        while !reader.isAtEnd {
            let tag = try reader.tag()
            guard tag == field << 3 | 2 else {
                try reader.skip(tag: tag)
                continue
            }
            var entry = try reader.delimited()
            var (key, value) = ("", "")
            while !entry.isAtEnd {
                switch try entry.tag() {
                case 1 << 3 | 2: key = String(decoding: try entry.delimited().bytes, as: UTF8.self)
                case 2 << 3 | 2: value = String(decoding: try entry.delimited().bytes, as: UTF8.self)
                case let tag: try entry.skipUnknown(tag: tag, known: 1...2)
                }
            }
            values[key] = value
        }
        return AttributeSet(values)
    }
}
