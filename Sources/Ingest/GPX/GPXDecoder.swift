import CLibXML2
import Telemetry

/// Reads the track points of GPX 1.0 and 1.1 as the parser meets them.
///
/// Nothing is loaded from elsewhere and no entity is expanded: a document type declaration ends the reading.
final class GPXDecoder: FormatDecoder {
    private let source: ByteSource
    private let reader: XMLTextReader
    private let device: Int32
    private var zone: ZoneConverter?
    private var time = TimeText()
    /// The track point being read.
    private var point: GPXPoint?
    private var pointNumber = 0
    private var isInside = false

    init(source: ByteSource, context: inout DecodingContext) throws(IngestError) {
        self.source = source
        device = try context.fallbackDevice()
        zone = context.options.assumedZone.map(ZoneConverter.init)
        reader = try XMLTextReader(source: source)
    }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        while chunk.rowCount < context.options.chunkSize {
            guard let node = try reader.next() else { return false }
            switch node {
            case .element(let depth, let isEmpty):
                let name = reader.localName
                if !isInside {
                    guard name == "gpx" else {
                        throw IngestError(
                            kind: .notWhatItSeems,
                            source: source.name,
                            place: "line \(reader.line)",
                            message: "the outermost element of GPX is gpx, found \(name.prefix(60))"
                        )
                    }
                    isInside = true
                } else if point != nil {
                    if !isEmpty { point?.begin(name, depth: depth) }
                } else if name == "trkpt" {
                    pointNumber += 1
                    let point = GPXPoint(
                        depth: depth,
                        line: reader.line,
                        latitude: reader.attribute("lat"),
                        longitude: reader.attribute("lon")
                    )
                    if isEmpty {
                        take(point, into: &chunk, context: &context)
                    } else {
                        self.point = point
                    }
                } else if name == "wpt" {
                    context.count("waypoints, which are no positions")
                } else if name == "rtept" {
                    context.count("route points, which are no positions")
                }
            case .text:
                if point?.isCollecting == true { point?.collect(reader.value) }
            case .endElement(let depth):
                guard let point else { continue }
                if depth == point.depth {
                    self.point = nil
                    take(point, into: &chunk, context: &context)
                } else {
                    self.point?.end(depth: depth)
                }
            case .documentType:
                throw IngestError(
                    kind: .damaged,
                    source: source.name,
                    place: "line \(reader.line)",
                    message: "a document type declaration is not accepted in GPX"
                )
            case .other: break
            }
        }
        return true
    }

    private func take(_ point: GPXPoint, into chunk: inout DecodedChunk, context: inout DecodingContext) {
        var report = Report()
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        let problem =
            point.read(into: &report) ?? read(time: point.time, into: &report, context: &context)
            ?? context.options.admission.admit(report, into: &position)
        if let problem {
            let place = "track point \(pointNumber), line \(point.line)"
            chunk.refusals.append(context.refusal(problem, place: place, device: device, content: point.description))
        } else {
            chunk.append(position, device: device)
        }
    }

    private func read(
        time text: String,
        into report: inout Report,
        context: inout DecodingContext
    ) -> Admission.Problem? {
        guard !text.isEmpty else { return nil }  // admission refuses what has no time
        // A number is no time in GPX.
        let reading = text.contains("-") ? text.withUTF8Bytes { time.read($0) } : .none
        switch reading {
        case .instant(let milliseconds): report.fixTimeMilliseconds = milliseconds
        case .local(let milliseconds):
            if zone != nil {
                report.fixTimeMilliseconds = zone?.instant(ofLocal: milliseconds) ?? milliseconds
            } else {
                context.note("times without a zone were taken as UTC, which GPX prescribes")
                report.fixTimeMilliseconds = milliseconds
            }
        case .none:
            return Admission.Problem(.badTime, "time must be ISO 8601, found \"\(text.prefix(60))\"")
        }
        report.hasTime = true
        return nil
    }
}
