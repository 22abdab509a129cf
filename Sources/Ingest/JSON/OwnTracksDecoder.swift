import Telemetry

/// Reads the recorder files of OwnTracks: lines of received time, kind and JSON payload, separated by tabs.
///
/// By the documentation of its JSON format `tst` is the fix time in seconds, `vel` km/h, `acc` and `alt` metres, `cog`
/// degrees, and the topic is `owntracks/USER/DEVICE`.
final class OwnTracksDecoder: FormatDecoder {
    static let lineLimit = 1024 * 1024

    private let source: ByteSource
    private var line = 0
    private var fallback: Int32?

    init(source: ByteSource) { self.source = source }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        while chunk.rowCount < context.options.chunkSize {
            guard let length = try lineLength() else { return false }
            line += 1
            let bytes = UnsafeRawBufferPointer(rebasing: source.bytes[..<length])
            if !bytes.allSatisfy(InputFormat.isSpace) { try take(bytes, into: &chunk, context: &context) }
            source.consume(min(length + 1, source.count))
        }
        return true
    }

    /// Bytes of the next line without its end; nil when there is none.
    private func lineLength() throws(IngestError) -> Int? {
        var searched = 0
        while true {
            if let end = source.bytes[searched...].firstIndex(of: 0x0a) { return end }
            searched = source.count
            guard searched <= OwnTracksDecoder.lineLimit else {
                throw IngestError(
                    kind: .tooLarge,
                    source: source.name,
                    place: "line \(line + 1)",
                    message: "a line of more than \(OwnTracksDecoder.lineLimit) bytes"
                )
            }
            if source.isAtEnd { return searched == 0 ? nil : searched }
            try source.readMore()
        }
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) throws(IngestError) {
        var device: Int32?
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        let problem: Admission.Problem?
        let parts = bytes.split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
        // What is wrong with a payload matters less than which line it is: the line is kept.
        if parts.count == 3, let payload = try? JSONParser.parse(UnsafeRawBufferPointer(rebasing: parts[2])) {
            let type = payload["_type"]?.text ?? "messages without a type"
            guard type == "location" else {
                context.count("\(type.prefix(40)), which is no position")
                return
            }
            var report = Report()
            let read = OwnTracksDecoder.read(payload, into: &report)
            if let topic = payload["topic"]?.text {
                device = OwnTracksDecoder.device(ofTopic: topic).withUTF8Bytes { context.table.index(of: $0) }
                problem =
                    device == nil
                    ? Admission.Problem(.badDevice, "the topic \"\(topic.prefix(60))\" names no device")
                    : read ?? context.options.admission.admit(report, into: &position)
            } else {
                if fallback == nil { fallback = try context.fallbackDevice() }
                device = fallback
                problem = read ?? context.options.admission.admit(report, into: &position)
            }
        } else {
            problem = Admission.Problem(.malformed, "a line is a time, a kind and a JSON object, separated by tabs")
        }
        if let problem {
            let content = String(decoding: bytes.prefix(1024), as: UTF8.self)
            chunk.refusals.append(context.refusal(problem, place: "line \(line)", device: device, content: content))
        } else if let device {
            chunk.append(position, device: device)
        }
    }

    /// `owntracks/jane/phone` is the device `jane/phone`.
    private static func device(ofTopic topic: String) -> String {
        topic.hasPrefix("owntracks/") ? String(topic.dropFirst("owntracks/".count)) : topic
    }

    private static func read(_ payload: JSONValue, into report: inout Report) -> Admission.Problem? {
        let fields: [(String, FieldNames.Meaning, Double)] = [
            ("vel", .speed, SpeedUnit.kilometresPerHour.inMetresPerSecond), ("cog", .heading, 1), ("acc", .accuracy, 1),
            ("alt", .altitude, 1), ("lat", .latitude, 1), ("lon", .longitude, 1),
        ]
        for (name, meaning, scale) in fields {
            guard let text = payload[name]?.text else { continue }
            guard let number = text.withUTF8Bytes({ Number.decimal($0) }) else {
                let reason: Refusal.Reason =
                    meaning == .latitude || meaning == .longitude ? .badCoordinates : .malformed
                return Admission.Problem(reason, "\(name) must be a number, found \"\(text.prefix(60))\"")
            }
            report.set(meaning, number * scale)
        }
        guard let text = payload["tst"]?.text else { return nil }  // admission refuses what has no time
        var time = TimeText()
        guard case .instant(let milliseconds) = text.withUTF8Bytes({ time.read($0, number: .seconds) }) else {
            return Admission.Problem(.badTime, "tst must be seconds since 1970, found \"\(text.prefix(60))\"")
        }
        (report.fixTimeMilliseconds, report.hasTime) = (milliseconds, true)
        return nil
    }
}
