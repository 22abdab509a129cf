package import Telemetry

/// When a task that failed is tried again, and when it is given up.
package struct RetryPolicy: Hashable, Sendable {
    /// Milliseconds before the second try; doubled for each one after.
    package var first: Int64 = 30_000
    /// Milliseconds; no pause is longer.
    package var longest: Int64 = 6 * 3_600_000
    /// Tries until a task is dead.
    package var highestAttempts = 8
    /// Milliseconds a provider rests that said "too fast" without a time.
    package var throttlePause: Int64 = 60_000

    package init() {}

    /// The next try after a number of failed ones: exponential, between half and all of the pause.
    ///
    /// - Parameters:
    ///   - attempts: failed tries, at least one.
    ///   - now: when the last one failed.
    ///   - jitter: 0 up to 1, so that tasks that failed together do not come back together.
    /// - Returns: nil when the task is to be given up.
    package func nextTry(after attempts: Int, now: Timestamp, jitter: Double) -> Timestamp? {
        guard attempts < highestAttempts else { return nil }
        let doublings = min(max(0, attempts - 1), 40)
        let pause = min(Double(longest), Double(first) * Double(sign: .plus, exponent: doublings, significand: 1))
        return now + Int64((pause * (0.5 + jitter / 2)).rounded())
    }
}
