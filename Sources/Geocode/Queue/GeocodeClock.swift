import Foundation
package import Telemetry

/// What time it is, and waiting; injected, so that days pass in tests.
package protocol GeocodeClock: Sendable {
    func now() -> Timestamp
    /// Waits until an instant.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until instant: Timestamp) async throws
}

/// The clock of the machine.
package struct WallClock: GeocodeClock {
    package init() {}

    package func now() -> Timestamp { Timestamp(date: Date()) }

    package func sleep(until instant: Timestamp) async throws {
        // A wall clock may be set: no step sleeps so long that it would matter.
        while case let left = instant - now(), left > 0 {
            try await Task.sleep(for: .milliseconds(min(left, 10_000)))
        }
    }
}

/// Random numbers of 0 up to 1; injected, so that tests repeat.
package struct Jitter: Sendable {
    package let next: @Sendable () -> Double

    package init(_ next: @escaping @Sendable () -> Double) { self.next = next }

    package static let random = Jitter { Double.random(in: 0..<1) }
}
