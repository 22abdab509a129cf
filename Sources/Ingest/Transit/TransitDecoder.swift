import Telemetry
import TransitMessages

/// Reads the vehicle positions of one GTFS-Realtime `FeedMessage`.
///
/// The outer message is walked by hand, so that memory is bounded whatever it claims and a fault has its offset; each
/// entity is then unpacked by the generated code.
final class TransitDecoder: FormatDecoder {
    /// The longest feed, in bytes.
    static let feedLimit = 64 * 1024 * 1024

    private let source: ByteSource
    private var headerTime: UInt64 = 0
    /// Where the next entity is looked for, in bytes from the begin.
    private var next = 0
    private var entity = 0

    /// Reads the whole feed and its header.
    init(source: ByteSource) throws(IngestError) {
        self.source = source
        guard try !source.require(TransitDecoder.feedLimit + 1) else {
            throw IngestError(
                kind: .tooLarge,
                source: source.name,
                message: "a GTFS-Realtime feed of more than \(TransitDecoder.feedLimit) bytes"
            )
        }
        try walk()
    }

    /// Checks the outer message and takes the header's time.
    private func walk() throws(IngestError) {
        var hasHeader = false
        var fault: (offset: Int, message: String)?
        withReader(from: 0) { reader in
            do throws(WireFault) {
                while !reader.isAtEnd {
                    let tag = try reader.tag()
                    guard tag == 1 << 3 | 2 else {
                        try reader.skipUnknown(tag: tag, known: 1...1, delimited: 2)
                        continue
                    }
                    let content = try reader.delimited()
                    guard let header = transit__feed_header__unpack(nil, content.count, content.cursor) else {
                        throw content.fault(.truncated)
                    }
                    headerTime = header.pointee.timestamp
                    transit__feed_header__free_unpacked(header, nil)
                    hasHeader = true
                }
            } catch {
                fault = (error.address - reader.base, error.message)
            }
        }
        if let fault { throw damaged(at: fault.offset, fault.message) }
        guard hasHeader else {
            throw IngestError(
                kind: .notWhatItSeems,
                source: source.name,
                message: "a GTFS-Realtime feed has a header, and this has none"
            )
        }
    }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        var fault: (offset: Int, message: String)?
        withReader(from: next) { reader in
            do throws(WireFault) {
                while !reader.isAtEnd, chunk.rowCount < context.options.chunkSize {
                    let tag = try reader.tag()
                    guard tag == 2 << 3 | 2 else {
                        try reader.skip(tag: tag)
                        continue
                    }
                    let content = try reader.delimited()
                    entity += 1
                    guard let message = transit__feed_entity__unpack(nil, content.count, content.cursor) else {
                        fault = (Int(bitPattern: content.cursor) - reader.base, "entity \(entity) cannot be decoded")
                        return
                    }
                    take(message.pointee, into: &chunk, context: &context)
                    transit__feed_entity__free_unpacked(message, nil)
                }
                next = Int(bitPattern: reader.cursor) - reader.base
            } catch {
                fault = (error.address - reader.base, error.message)
            }
        }
        if let fault { throw damaged(at: fault.offset, fault.message) }
        return next < source.count
    }

    /// Takes one entity; alerts, trip updates and removed entities are counted.
    private func take(
        _ message: Transit__FeedEntity,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) {
        if message._trip_update_case == TRANSIT__FEED_ENTITY___TRIP_UPDATE_TRIP_UPDATE {
            context.count("trip updates, which carry no positions")
        }
        if message._alert_case == TRANSIT__FEED_ENTITY___ALERT_ALERT {
            context.count("alerts, which carry no positions")
        }
        if message._is_deleted_case == TRANSIT__FEED_ENTITY___IS_DELETED_IS_DELETED, message.is_deleted != 0 {
            context.count("removed entities")
            return
        }
        guard let vehicle = message.vehicle?.pointee else { return }
        let entityName = TransitDecoder.text(message.id) ?? "number \(entity)"
        var device: Int32?
        var problem: Admission.Problem?
        let report = TransitDecoder.report(vehicle, headerTime: headerTime, options: context.options)
        if let (name, kind) = TransitDecoder.device(of: vehicle, entity: TransitDecoder.text(message.id)) {
            device = name.withUTF8Bytes { context.table.index(of: $0) }
            if device == nil {
                problem = Admission.Problem(.badDevice, "\(kind) \(name) is no device id")
            } else {
                context.count("positions whose device is the \(kind)")
            }
        } else {
            problem = Admission.Problem(.noDevice, "neither vehicle id, label, plate nor entity id is given")
        }
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        if problem == nil { problem = context.options.admission.admit(report, into: &position) }
        if let problem {
            chunk.refusals.append(
                context.refusal(problem, place: "entity \(entityName)", device: device, content: report.description)
            )
        } else if let device {
            if let set = TransitDecoder.attributes(of: vehicle) {
                position.attributes = set.reference
                chunk.attributes[set.reference] = set
            }
            chunk.append(position, device: device)
        }
    }

    private func damaged(at offset: Int, _ message: String) -> IngestError {
        let isTruncated = offset >= source.count
        var message = "GTFS-Realtime: \(message)"
        if TransitDecoder.looksConverted(source.bytes) {
            message += TransitDecoder.conversion
        }
        return IngestError(
            kind: isTruncated ? .truncated : .damaged,
            source: source.name,
            place: "byte \(offset)",
            message: message
        )
    }

    /// What is said about a binary file that was damaged in transfer.
    static let conversion =
        "; every newline byte in it stands behind a carriage return, as when a binary file is sent as text"

    static func looksConverted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var previous: UInt8 = 0
        var pairs = 0
        for byte in bytes {
            if byte == 0x0a {
                guard previous == 0x0d else { return false }
                pairs += 1
            }
            previous = byte
        }
        return pairs > 2
    }

    private func withReader(from offset: Int, _ body: (inout FeedReader) -> Void) {
        let bytes = source.bytes
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        var reader = FeedReader(WireReader(cursor: base + offset, end: base + bytes.count), base: Int(bitPattern: base))
        body(&reader)
    }
}
