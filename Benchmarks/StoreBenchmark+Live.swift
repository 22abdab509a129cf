import Foundation
import Synchronization
import Telemetry
import Tracking
import TripStore

extension StoreBenchmark {
    private static let producers = 8
    private static let batchSize = 100

    /// Batches of 100 positions from 8 producers, each acknowledged when it is durable.
    func appending() async throws {
        let seconds = 4.0
        let rows = try await appendRows(seconds: seconds)
        print("row store, a commit each: \(millions(rows.rate)) M positions/s, p99 \(rounded(rows.p99)) ms")
        let tracks = try await appendTracks(seconds: seconds)
        print("track store: \(millions(tracks.rate)) M positions/s, p99 \(rounded(tracks.p99)) ms (under 50 ms)")
        print("ratio \(rounded(tracks.rate / rows.rate)) (at least 5)")
    }

    private struct Figures {
        var rate: Double
        var p99: Double
    }

    private func batch(_ producer: Int, _ number: Int) -> [Position] {
        (0..<Self.batchSize).map { index in
            let second = Int64(number * Self.batchSize + index)
            var position = Position(
                fixTime: Timestamp(milliseconds: 1_790_000_000_000 + second * 1000),
                coordinate: Coordinate(
                    latitudeE7: 481_000_000 + Int32(second % 400_000) * 130,
                    longitudeE7: 115_000_000 + Int32(producer) * 10_000 + Int32(second % 977)
                ),
                receivedTime: Timestamp(milliseconds: 1_790_000_000_000 + second * 1000 + 40)
            )
            position.speed = 13 + Double(second % 50) / 10
            position.heading = Double(second % 360)
            position.ignition = true
            return position
        }
    }

    private func measure(
        seconds: Double,
        _ append: @escaping @Sendable (Int, [Position]) async throws -> Void
    ) async throws -> Figures {
        let clock = ContinuousClock()
        let start = clock.now
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for producer in 0..<Self.producers {
                group.addTask {
                    var own: [Double] = []
                    var number = 0
                    while clock.now - start < .seconds(seconds) {
                        let positions = batch(producer, number)
                        let begin = clock.now
                        try await append(producer, positions)
                        own.append((clock.now - begin) / .milliseconds(1))
                        number += 1
                    }
                    return own
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let took = (clock.now - start) / .seconds(1)
        let sorted = latencies.sorted()
        return Figures(
            rate: Double(sorted.count * Self.batchSize) / took,
            p99: sorted.isEmpty ? 0 : sorted[sorted.count * 99 / 100]
        )
    }

    private func appendRows(seconds: Double) async throws -> Figures {
        let store = RowAppender(store: try RowStore(path: file("live-rows.sqlite"), groupSize: .max))
        return try await measure(seconds: seconds) { producer, positions in
            guard let device = DeviceID("producer \(producer)") else { return }
            try await store.append(positions, device: device)
        }
    }

    private func appendTracks(seconds: Double) async throws -> Figures {
        let storage = try SQLiteStorage(path: file("live-tracks.sqlite"), mode: .create)
        let recorder = try await Recorder(storage: storage) { Timestamp(seconds: 1_796_126_400) }
        let figures = try await measure(seconds: seconds) { producer, positions in
            guard let device = DeviceID("producer \(producer)") else { return }
            _ = try await recorder.record([PositionBatch(device: device, positions: positions)])
        }
        await storage.close()
        return figures
    }
}

/// The row store behind an actor, as several producers use it.
private actor RowAppender {
    private let executor = BlockingExecutor(label: "rows")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let store: RowStore

    init(store: sending RowStore) { self.store = store }

    func append(_ positions: [Position], device: DeviceID) throws {
        for position in positions { try store.add(position, device: device) }
        try store.commit()
    }
}
