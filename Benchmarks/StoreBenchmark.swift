import Foundation
import Ingest
import Telemetry
import Tracking
import TripStore

/// The track store beside a plain row store, over the same positions in the same run.
struct StoreBenchmark {
    let directory: URL
    let points: URL
    private let clock = ContinuousClock()

    init(directory: URL, workload: URL) throws {
        self.directory = directory.appending(path: "store")
        points = workload.appending(path: "points.csv")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
    }

    // MARK: Import

    /// Imports the workload framed and as CSV, and prints ratios to the baselines.
    func importing() async throws {
        let framed = directory.appending(path: "workload.frames")
        let count = try FramedWorkload.write(points, to: framed)
        let rows = try measureRows()
        let csvLoop = try measureNumbers()
        for (name, file, baseline, aim) in [
            ("framed", framed, rows.rate, "at least 4 of the row store"),
            ("csv", points, csvLoop, "at least 0.33 of the number loop"),
        ] {
            let result = try await measureImport(file)
            print(
                "import \(name): \(millions(result.rate)) M positions/s (\(result.summary.accepted) of \(count), "
                    + "\(result.summary.trips) trips), peak memory \(result.memory) MB; "
                    + "ratio \(rounded(result.rate / baseline)) (\(aim))"
            )
            if name == "framed" {
                print(
                    "bytes a position after compact: \(rounded(result.bytes)) (at most 8); "
                        + "row store \(rounded(rows.bytes))"
                )
            }
        }
    }

    private func measureRows() throws -> (rate: Double, bytes: Double) {
        let path = file("rows.sqlite")
        let reader = try reader(points)
        var chunk = DecodedChunk()
        var batches: [(DeviceID, Position)] = []
        while try reader.read(into: &chunk) {
            var index = 0
            for run in chunk.runs {
                for _ in 0..<run.count {
                    batches.append((chunk.devices[Int(run.device)], chunk.positions[index]))
                    index += 1
                }
            }
        }
        let store = try RowStore(path: path)
        let took = try clock.measure {
            for (device, position) in batches { try store.add(position, device: device) }
            try store.commit()
        }
        let rate = Double(batches.count) / seconds(took)
        print("row store: \(millions(rate)) M positions/s")
        return (rate, Double(try size(path)) / Double(batches.count))
    }

    /// A loop that parses the numbers of the file and does nothing else.
    private func measureNumbers() throws -> Double {
        let data = try Data(contentsOf: points, options: .alwaysMapped)
        var rows = 0
        var sum = 0.0
        let took = clock.measure {
            data.withUnsafeBytes { raw in
                guard let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                let end = base + raw.count
                var place = base
                while place < end, place.pointee != 10 { place += 1 }
                place += 1
                while place < end {
                    for _ in 0..<7 {
                        var next: UnsafeMutablePointer<CChar>?
                        sum += strtod(place, &next)
                        guard let next else { return }
                        place = UnsafePointer(next) + 1
                    }
                    rows += 1
                }
            }
        }
        let rate = Double(rows) / seconds(took)
        print("number loop: \(millions(rate)) M rows/s (sum \(sum.isFinite))")
        return rate
    }

    struct ImportResult {
        var rate: Double
        var bytes: Double
        var memory: Int
        var summary: ImportSummary
    }

    func measureImport(_ input: URL, keep: Bool = false, compacts: Bool = true) async throws -> ImportResult {
        let path = file("tracks.sqlite")
        resetPeakMemory()
        let storage = try SQLiteStorage(path: path, mode: .create)
        let start = clock.now
        let recorder = try await Recorder(storage: storage) { Timestamp(seconds: 1_796_126_400) }
        let (_, summary) = try await recorder.importing(asOf: Timestamp(seconds: 1_796_126_400)) {
            feed throws(StoreError) in
            try await Self.feed(input, into: feed)
        }
        let took = seconds(clock.now - start)
        let memory = peakMemory()
        if compacts { try await storage.compact() }
        await storage.close()
        let count = Double(summary.accepted + summary.duplicate)
        return ImportResult(
            rate: count / took,
            bytes: Double(try size(path)) / Double(summary.accepted),
            memory: memory,
            summary: summary
        )
    }

    private static func feed(_ file: URL, into feed: ImportFeed) async throws(StoreError) {
        let options = ReadOptions(admission: Admission(receivedTime: Timestamp(seconds: 1_796_126_400)))
        var failure: StoreError?
        do throws(IngestError) {
            let reader = try PositionReader(path: file.path, options: options)
            var chunk = DecodedChunk()
            while failure == nil, try reader.read(into: &chunk) {
                do throws(StoreError) {
                    try await feed.append(chunk.positions, runs: chunk.runs, devices: chunk.devices)
                } catch {
                    failure = error
                }
            }
        } catch {
            failure = StoreError(kind: .other, message: "\(error)")
        }
        if let failure { throw failure }
    }

    private func reader(_ file: URL) throws -> PositionReader {
        try PositionReader(
            path: file.path,
            options: ReadOptions(admission: Admission(receivedTime: Timestamp(seconds: 1_796_126_400)))
        )
    }

    // MARK: Helpers

    /// The path of a store that is not there yet.
    func file(_ name: String) -> String {
        let path = directory.appending(path: name).path
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) }
        return path
    }

    func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    func millions(_ value: Double) -> Double { rounded(value / 1e6) }

    /// Lets the kernel count the peak anew (proc(5), clear_refs).
    func resetPeakMemory() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// In megabytes.
    func peakMemory() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) / 1024
    }
}

/// The workload as framed batches in order of arrival, vehicles interleaved.
enum FramedWorkload {
    /// Rows of which the positions of each vehicle become one batch.
    private static let window = 20_000

    /// Writes `copies` of the workload, each with other devices at shifted dates.
    ///
    /// - Returns: how many positions were written.
    @discardableResult
    static func write(_ points: URL, to file: URL, copies: Int = 1) throws -> Int {
        guard let output = fopen(file.path, "w") else { throw RowStore.Failure(code: errno) }
        defer { fclose(output) }
        var count = 0
        for copy in 0..<copies {
            let options = ReadOptions(admission: Admission(receivedTime: Timestamp(seconds: 1_796_126_400)))
            let reader = try PositionReader(path: points.path, options: options)
            var chunk = DecodedChunk()
            var batches: [DeviceID: PositionBatch] = [:]
            var waiting = 0
            func flush() {
                for (_, batch) in batches.sorted(by: { $0.key < $1.key }) {
                    let bytes = BatchEncoder.frame(batch, as: .columns)
                    fwrite(bytes, 1, bytes.count, output)
                }
                batches = [:]
                waiting = 0
            }
            while try reader.read(into: &chunk) {
                for batch in chunk.batches() {
                    guard let device = DeviceID(copy == 0 ? batch.device.text : "\(batch.device.text)-\(copy)") else {
                        continue
                    }
                    // Copies lie in other weeks, as in a store that grows.
                    let shift = -Int64(copy % 50) * 7 * 86_400_000
                    let positions = batch.positions.map { position in
                        var moved = position
                        moved.fixTime = position.fixTime + shift
                        return moved
                    }
                    batches[device, default: PositionBatch(device: device, positions: [])].positions += positions
                    waiting += positions.count
                    count += positions.count
                }
                if waiting >= window { flush() }
            }
            flush()
        }
        return count
    }
}
