import Telemetry

/// Reads the track points of GPX 1.0 and 1.1 as the parser meets them.
final class GPXDecoder: FormatDecoder {
    private let content: GPXContent
    private let parser: XMLPushParser
    private let device: Int32
    private var zone: ZoneConverter?
    private var time = TimeText()
    private var pointNumber = 0

    init(source: ByteSource, context: inout DecodingContext) throws(IngestError) {
        device = try context.fallbackDevice()
        zone = context.options.assumedZone.map(ZoneConverter.init)
        content = GPXContent(sourceName: source.name)
        parser = try XMLPushParser(source: source, content: content)
    }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        while chunk.rowCount < context.options.chunkSize {
            let advanced = Result { () throws(IngestError) in try parser.advance() }
            // What is whole before a fault stays good.
            for point in content.points { take(point, into: &chunk, context: &context) }
            content.points.removeAll(keepingCapacity: true)
            if try !advanced.get() {
                if content.waypoints > 0 { context.count("waypoints, which are no positions", by: content.waypoints) }
                if content.routePoints > 0 {
                    context.count("route points, which are no positions", by: content.routePoints)
                }
                if pointNumber == 0 { context.note("there are no track points") }
                return false
            }
        }
        return true
    }

    private func take(_ point: GPXPoint, into chunk: inout DecodedChunk, context: inout DecodingContext) {
        pointNumber += 1
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

/// Gathers the points of a GPX document from its elements.
private final class GPXContent: XMLContent {
    /// The track points that are whole.
    var points: [GPXPoint] = []
    private(set) var waypoints = 0
    private(set) var routePoints = 0
    private var point: GPXPoint?
    private let sourceName: String

    init(sourceName: String) { self.sourceName = sourceName }

    func begin(_ name: String, depth: Int, line: Int, attributes: XMLAttributes) throws(IngestError) {
        if depth == 0 {
            guard name == "gpx" else {
                throw IngestError(
                    kind: .notWhatItSeems,
                    source: sourceName,
                    place: "line \(line)",
                    message: "the outermost element of GPX is gpx, found \(name.prefix(60))"
                )
            }
        } else if point != nil {
            point?.begin(name, depth: depth)
        } else if name == "trkpt" {
            point = GPXPoint(depth: depth, line: line, latitude: attributes["lat"], longitude: attributes["lon"])
        } else if name == "wpt" {
            waypoints += 1
        } else if name == "rtept" {
            routePoints += 1
        }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        if point?.isCollecting == true { point?.collect(String(decoding: text.prefix(1024), as: UTF8.self)) }
    }

    func end(depth: Int) {
        guard let finished = point else { return }
        if depth == finished.depth {
            points.append(finished)
            point = nil
        } else {
            point?.end(depth: depth)
        }
    }
}
