package import Telemetry

/// What a reading found, for the summary; complete when the reader has ended.
package struct ReadSummary: Sendable {
    package internal(set) var format: InputFormat
    package internal(set) var accepted: Int = 0
    package internal(set) var refused: [Refusal.Reason: Int] = [:]
    /// Sentences for people about what was assumed or passed over, each once.
    package internal(set) var notes: [String] = []

    package var refusedCount: Int { refused.values.reduce(0, +) }
}

/// Reads positions of any known format from a file, standard input or memory, a chunk at a time and in bounded memory.
///
///     let reader = try PositionReader(path: "day.csv", options: options)
///     var chunk = DecodedChunk()
///     while try reader.read(into: &chunk) { … }
///     print(reader.summary.accepted)
///
/// An error comes after the chunks that were good before it; after an error the reader gives nothing more.
package final class PositionReader {
    private let decoder: any FormatDecoder
    private let options: ReadOptions
    private var failure: IngestError?
    private var isFinished = false
    private var context: DecodingContext
    package private(set) var summary: ReadSummary
    /// Bytes of the input that were read so far.
    package var byteCount: Int { context.source.offset }

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: `IngestError` when it cannot be opened or recognised.
    package convenience init(path: String, options: ReadOptions) throws(IngestError) {
        if path == "-" {
            try self.init(source: ByteSource(descriptor: 0, name: "standard input"), options: options)
        } else {
            try self.init(source: try ByteSource(path: path), options: options)
        }
    }

    /// Reads from a descriptor that the caller closes; `name` stands for it in messages.
    package convenience init(descriptor: Int32, name: String, options: ReadOptions) throws(IngestError) {
        try self.init(source: ByteSource(descriptor: descriptor, name: name), options: options)
    }

    /// Reads bytes in memory, which are copied; `name` stands for them in messages.
    package convenience init(bytes: UnsafeRawBufferPointer, name: String, options: ReadOptions) throws(IngestError) {
        try self.init(source: ByteSource(bytes: bytes, name: name), options: options)
    }

    /// Reads bytes in memory; `name` stands for them in messages.
    package convenience init(bytes: [UInt8], name: String, options: ReadOptions) throws(IngestError) {
        try self.init(source: bytes.withUnsafeBytes { ByteSource(bytes: $0, name: name) }, options: options)
    }

    init(source: ByteSource, options: ReadOptions) throws(IngestError) {
        let format = if let forced = options.format { forced } else { try InputFormat(recognising: source) }
        summary = ReadSummary(format: format)
        context = DecodingContext(source: source, options: options)
        self.options = options
        decoder =
            switch format {
            case .framed: FramedDecoder(source: source)
            case .gtfsRealtime: try TransitDecoder(source: source)
            case .gpx: try GPXDecoder(source: source, context: &context)
            case .csv: try CSVDecoder(source: source, context: &context)
            case .geoJSON: GeoJSONDecoder(source: source, context: context, isOverland: false)
            case .overland: GeoJSONDecoder(source: source, context: context, isOverland: true)
            case .ownTracks: OwnTracksDecoder(source: source)
            }
    }

    /// Replaces the chunk's content by the next reports.
    ///
    /// - Returns: false when there are no more, and the chunk is empty.
    /// - Throws: `IngestError` when the input cannot be read on.
    package func read(into chunk: inout DecodedChunk) throws(IngestError) -> Bool {
        chunk.reset()
        if let failure {
            self.failure = nil
            isFinished = true
            throw failure
        }
        while !isFinished {
            do throws(IngestError) {
                if try !decoder.decode(into: &chunk, context: &context) { isFinished = true }
                if context.table.devices.count > DeviceTable.limit {
                    throw IngestError(
                        kind: .tooLarge,
                        source: context.source.name,
                        message: "more than \(DeviceTable.limit) devices"
                    )
                }
            } catch {
                if chunk.isEmpty {
                    isFinished = true
                    throw error
                }
                failure = error
            }
            if chunk.rowCount > 0 || failure != nil { break }
        }
        if chunk.devices.count != context.table.devices.count { chunk.devices = context.table.devices }
        summary.accepted += chunk.positions.count
        for refusal in chunk.refusals { summary.refused[refusal.reason, default: 0] += 1 }
        if isFinished || failure != nil { summary.notes = context.notes() }
        return !chunk.isEmpty
    }
}

/// One format: turns bytes into rows of a chunk.
protocol FormatDecoder: AnyObject {
    /// Appends rows until the chunk is full.
    ///
    /// - Returns: false when the input has ended.
    func decode(into chunk: inout DecodedChunk, context: inout DecodingContext) throws(IngestError) -> Bool
}

/// What all decoders share during one reading.
struct DecodingContext {
    let source: ByteSource
    let options: ReadOptions
    var table = DeviceTable()
    private var remarks: [String] = []
    private var counts: [String: Int] = [:]

    init(source: ByteSource, options: ReadOptions) {
        self.source = source
        self.options = options
    }

    /// Notes a sentence for the summary.
    mutating func note(_ sentence: String) {
        if !remarks.contains(sentence) { remarks.append(sentence) }
    }

    /// Counts something that the summary shows as `sentence: number`.
    mutating func count(_ sentence: String, by amount: Int = 1) {
        counts[sentence, default: 0] += amount
    }

    func notes() -> [String] {
        remarks + counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }

    /// The device of an input that names none.
    mutating func fallbackDevice() throws(IngestError) -> Int32 {
        if let device = options.device { return table.index(of: device) }
        let file = source.name.split(separator: "/").last ?? ""
        let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
        guard let device = DeviceID(stem.isEmpty ? file : stem), source.name != "standard input" else {
            throw IngestError(
                kind: .needsOption,
                source: source.name,
                message: "the input names no device; say which with --device"
            )
        }
        note("no device is named in the file; taken from the file's name: \(device)")
        return table.index(of: device)
    }

    /// Makes a refusal of a problem.
    func refusal(_ problem: Admission.Problem, place: String, device: Int32? = nil, content: String = "") -> Refusal {
        Refusal(
            reason: problem.reason,
            source: source.name,
            place: place,
            detail: problem.detail,
            device: device.map { table.devices[Int($0)] },
            content: String(decoding: content.utf8.prefix(1024), as: UTF8.self)
        )
    }
}
