import Foundation
import Ingest
import Telemetry
import Tracking
import TripStore

extension StoreBenchmark {
    /// Imports the workload again and again under other names and weeks, and asks the questions of a large store.
    func growing(copies: [Int]) async throws {
        let framed = directory.appending(path: "workload.frames")
        let count = try FramedWorkload.write(points, to: framed)
        var first: (cost: Double, memory: Int)?
        for copies in copies {
            let path = file("grown.sqlite")
            resetPeakMemory()
            let storage = try SQLiteStorage(path: path, mode: .create)
            let recorder = try await Recorder(storage: storage) { Timestamp(seconds: 1_796_126_400) }
            let clock = ContinuousClock()
            let start = clock.now
            let (_, summary) = try await recorder.importing(asOf: Timestamp(seconds: 1_796_126_400)) {
                feed throws(StoreError) in
                for copy in 0..<copies { try await Self.feed(framed, copy: copy, into: feed) }
            }
            let took = seconds(clock.now - start)
            let memory = peakMemory()
            let cost = took / Double(count * copies)
            let base = first ?? (cost, memory)
            first = base
            let (bytes, trips) = (Double(try size(path)) / Double(summary.accepted), summary.trips)
            print(
                "\(rounded(Double(count * copies) / 1e6)) M positions, \(trips) trips: \(rounded(cost * 1e9)) ns each "
                    + "(ratio \(rounded(cost / base.cost)), at most 1.2), memory \(memory) MB "
                    + "(ratio \(rounded(Double(memory) / Double(base.memory))), at most 1.3), \(rounded(bytes)) bytes each"
            )
            try await listMonths(storage, copies: copies)
            await storage.close()
        }
    }

    private static func feed(_ file: URL, copy: Int, into feed: ImportFeed) async throws(StoreError) {
        let options = ReadOptions(admission: Admission(receivedTime: Timestamp(seconds: 1_796_126_400)))
        var failure: StoreError?
        do throws(IngestError) {
            let reader = try PositionReader(path: file.path, options: options)
            var chunk = DecodedChunk()
            var devices: [DeviceID] = []
            feed.beginInput()
            // A hundred weeks, one after the other, and other vehicles for each round of them.
            let shift = Int64(copy % 100 - 100) * 7 * 86_400_000
            while failure == nil, try reader.read(into: &chunk) {
                for device in chunk.devices.dropFirst(devices.count) {
                    devices.append(DeviceID("\(device.text)-\(copy / 100)") ?? device)
                }
                var positions = chunk.positions
                for index in positions.indices { positions[index].fixTime.milliseconds += shift }
                do throws(StoreError) {
                    try await feed.append(positions, runs: chunk.runs, devices: devices)
                } catch {
                    failure = error
                }
            }
        } catch {
            failure = StoreError(kind: .other, message: "\(error)")
        }
        if let failure { throw failure }
    }

    /// One vehicle's month, again and again.
    private func listMonths(_ storage: SQLiteStorage, copies: Int) async throws {
        let devices = try await storage.vehicles().all()
        var random = SystemRandomNumberGenerator()
        var times: [Double] = []
        var found = 0
        let clock = ContinuousClock()
        for _ in 0..<2000 {
            guard let vehicle = devices.randomElement(using: &random), let first = vehicle.first,
                let latest = vehicle.latest
            else { continue }
            let span = max(1, latest.fixTime - first.fixTime)
            var query = HistoryQuery()
            query.device = vehicle.device
            query.since = first.fixTime + Int64.random(in: 0..<span, using: &random)
            query.until = query.since.map { $0 + 30 * 86_400_000 }
            let start = clock.now
            found += try await storage.trips(query).all().count
            times.append((clock.now - start) / .milliseconds(1))
        }
        times.sort()
        print(
            "one vehicle's month of trips: p50 \(rounded(times[times.count / 2])) ms, "
                + "p99 \(rounded(times[times.count * 99 / 100])) ms (under 1), \(found / times.count) trips each"
        )
    }
}
