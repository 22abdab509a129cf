import CivilTime
import Foundation
import Ingest
import Reports
import Telemetry
import Tracking
import TripStore

/// Reads files one after the other, feeds what is good in them, and says what is not.
struct ImportReading {
    private let options: ReadOptions
    /// Columns of the terminal at standard error, nil when it is none.
    private let width: Int?
    /// Bytes of all files; nil when one has no end that is known.
    private let total: Int64?
    private(set) var code = ExitCode.success
    private var notes = ImportNotes()
    private var bytesBefore: Int64 = 0
    private var positionCount: Int64 = 0
    private let begin = ContinuousClock.now
    private var shown = ContinuousClock.now

    init(options: ReadOptions, width: Int?, paths: [String]) {
        self.options = options
        self.width = width
        total = ImportReading.totalBytes(of: paths)
    }

    /// Reads one file to its end, or to what is wrong with it; what came before that is fed.
    mutating func read(_ path: String, into feed: ImportFeed) async throws(StoreError) {
        guard path == "-" || FileManager.default.isReadableFile(atPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            say("\(path): \(isThere ? "it cannot be read" : "there is no such file")")
            note(.noInput)
            return
        }
        var isFolder: ObjCBool = false
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue else {
            say("\(path): this is a folder; name the files in it")
            note(.noInput)
            return
        }
        let reader: PositionReader
        do {
            reader = try PositionReader(path: path, options: options)
        } catch {
            note(error)
            return
        }
        feed.beginInput()
        var chunk = DecodedChunk()
        while true {
            do throws(IngestError) {
                guard try reader.read(into: &chunk) else { break }
            } catch {
                note(error)
                break
            }
            try await feed.append(
                chunk.positions,
                runs: chunk.runs,
                devices: chunk.devices,
                attributes: chunk.attributes
            )
            if !chunk.refusals.isEmpty { try await feed.append(chunk.refusals) }
            positionCount += Int64(chunk.positions.count)
            show(path, reader.byteCount)
        }
        for note in reader.summary.notes { notes.add(note, source: path) }
        bytesBefore += Int64(reader.byteCount)
    }

    /// Says what was noted about the files.
    func finish() {
        for line in notes.lines { say(line) }
    }

    private mutating func note(_ error: IngestError) {
        say(error.description)
        note(error.kind == .needsOption ? .usage : .badData)
    }

    /// What is wrong with the data counts more than what is missing.
    private mutating func note(_ fault: ExitCode) {
        if code == .success || fault == .badData { code = fault }
    }

    private func say(_ line: String) {
        if let width { Terminal.show("", width: width) }
        Terminal.say(line.printable)
    }

    private mutating func show(_ path: String, _ bytes: Int) {
        guard let width, ContinuousClock.now - shown >= .milliseconds(200) else { return }
        shown = .now
        let elapsed = (shown - begin).components
        let line = ProgressLine(name: URL(filePath: path).lastPathComponent, total: total).text(
            bytes: bytesBefore + Int64(bytes),
            positions: positionCount,
            elapsed: elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000,
            width: width
        )
        Terminal.show(line, width: width)
    }

    private static func totalBytes(of paths: [String]) -> Int64? {
        var total: Int64 = 0
        for path in paths {
            // A pipe or standard input has no size, and neither has what is not there.
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int64
            else { return nil }
            total += size
        }
        return total
    }
}
