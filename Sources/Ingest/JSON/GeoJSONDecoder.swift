import Telemetry

/// Reads the point features of GeoJSON, and the batches that the phone app Overland sends, which are made of them.
///
/// Takes a feature collection, an object with `locations`, single features one after another, and arrays of any of them.
final class GeoJSONDecoder: FormatDecoder {
    private let source: ByteSource
    private let stream: JSONStream
    private var reader: JSONReportReader
    private let isOverland: Bool
    private var containers: [Container] = []
    private var feature = 0
    private var fallback: Int32?

    private enum Container {
        /// An array of features, or of whatever may stand at top level.
        case array(hasBegun: Bool)
        /// An object whose features are read; the members kept so far may make it a feature itself.
        case object(members: [(name: String, value: JSONValue)], hasBegun: Bool)
    }

    init(source: ByteSource, context: DecodingContext, isOverland: Bool) {
        self.source = source
        self.isOverland = isOverland
        stream = JSONStream(source: source)
        // Overland's documentation gives metres a second.
        reader = JSONReportReader(options: context.options, speedUnit: isOverland ? .metresPerSecond : nil)
    }

    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool {
        while chunk.rowCount < context.options.chunkSize {
            guard let container = containers.last else {
                guard try stream.peek() != nil else {
                    if !reader.unknown.isEmpty {
                        context.note("properties not read: \(reader.unknown.sorted().joined(separator: ", "))")
                    }
                    return false
                }
                try begin()
                continue
            }
            switch container {
            case .array(let hasBegun): try continueArray(hasBegun)
            case .object(let members, let hasBegun):
                try continueObject(members, hasBegun, into: &chunk, context: &context)
            }
        }
        return true
    }

    private func begin() throws(IngestError) {
        guard containers.count < 8 else { throw try stream.fault("features are nested too deep") }
        if try stream.take("{") {
            containers.append(.object(members: [], hasBegun: false))
        } else if try stream.take("[") {
            containers.append(.array(hasBegun: false))
        } else {
            throw try stream.fault("an object or array is expected")
        }
    }

    private func continueArray(_ hasBegun: Bool) throws(IngestError) {
        if try stream.take("]") {
            containers.removeLast()
            return
        }
        if hasBegun { try stream.expect(",", "a comma is missing") }
        containers[containers.count - 1] = .array(hasBegun: true)
        try begin()
    }

    private func continueObject(
        _ members: [(name: String, value: JSONValue)],
        _ hasBegun: Bool,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) throws(IngestError) {
        if try stream.take("}") {
            containers.removeLast()
            try take(.object(members), into: &chunk, context: &context)
            return
        }
        if hasBegun { try stream.expect(",", "a comma is missing") }
        guard case .string(let name) = try stream.value() else { throw try stream.fault("a name is missing") }
        try stream.expect(":", "a colon is missing")
        if name == "features" || name == "locations", try stream.take("[") {
            containers[containers.count - 1] = .object(members: [("type", .string("collection"))], hasBegun: true)
            containers.append(.array(hasBegun: false))
            return
        }
        var members = members
        let value = try stream.value()
        if ["type", "geometry", "properties"].contains(name) { members.append((name, value)) }
        containers[containers.count - 1] = .object(members: members, hasBegun: true)
    }

    /// Takes an object that has ended, if it is a feature.
    private func take(
        _ object: JSONValue,
        into chunk: inout DecodedChunk,
        context: inout DecodingContext
    ) throws(IngestError) {
        let type = object["type"]?.text
        guard type == "Feature" || object["geometry"] != nil else {
            if type == nil || !["collection", "FeatureCollection"].contains(type ?? "") {
                context.count("objects that are no features")
            }
            return
        }
        feature += 1
        guard object["geometry"]?["type"]?.text == "Point" else {
            context.count("features that are no points, which are no positions")
            return
        }
        var report = Report()
        var named: String?
        var problem = GeoJSONDecoder.readCoordinates(object["geometry"]?["coordinates"], into: &report)
        if case .object(let properties) = object["properties"] {
            problem = reader.read(properties, into: &report, device: &named) ?? problem
        }
        if let name = reader.speedWithoutUnit {
            throw IngestError(
                kind: .needsOption,
                source: source.name,
                place: "feature \(feature)",
                message: "property \(name) names no unit; say --speed-unit kmh, mps, kn or mph"
            )
        }
        var device: Int32?
        if let named {
            device = named.withUTF8Bytes { context.table.index(of: $0) }
            if device == nil { problem = Admission.Problem(.badDevice, "\"\(named.prefix(60))\" is no device id") }
        } else {
            if fallback == nil { fallback = try context.fallbackDevice() }
            device = fallback
        }
        var position = Position(
            fixTime: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitudeE7: 0, longitudeE7: 0)
        )
        problem = problem ?? context.options.admission.admit(report, into: &position)
        if let problem {
            let place = "\(isOverland ? "location" : "feature") \(feature)"
            chunk.refusals.append(context.refusal(problem, place: place, device: device, content: report.description))
        } else if let device {
            chunk.append(position, device: device)
        }
    }

    private static func readCoordinates(_ value: JSONValue?, into report: inout Report) -> Admission.Problem? {
        guard case .array(let numbers) = value, numbers.count >= 2 else {
            return nil  // admission names what is missing
        }
        let doubles = numbers.prefix(3).map { number -> Double? in
            guard case .number(let text) = number else { return nil }
            return text.withUTF8Bytes { Number.decimal($0) }
        }
        guard let longitude = doubles[0], let latitude = doubles[1] else {
            return Admission.Problem(.badCoordinates, "coordinates must be numbers: longitude, latitude")
        }
        (report.longitude, report.hasLongitude) = (longitude, true)
        (report.latitude, report.hasLatitude) = (latitude, true)
        if doubles.count > 2, let altitude = doubles[2] { report.set(.altitude, altitude) }
        return nil
    }
}
