package import Telemetry

/// What a device's positions amount to.
package struct Derivation: Equatable, Sendable {
    /// Trips, stops and gaps in time order, without overlap or hole.
    package var intervals: [Interval]
    /// Positions that were not used, in key order.
    package var setAside: [SetAside]
    /// Every settled boundary found, in time order: where a later derivation may begin.
    ///
    /// Each is the begin of an interval of `intervals`. Positions before it can no longer influence what comes after
    /// it, and positions from it on cannot influence what lies before it, however many follow on either side of it in
    /// their order. Two derivations that both have a resumption give, over the same positions from it on, the same
    /// intervals, set-aside positions and resumptions from it on: the store keeps them, reads no further back than the
    /// last one before a late position, and stops where a new one meets an old one behind the last late position.
    package var resumptions: [Resumption]
}

/// A settled boundary from which a derivation can go on without the positions before it.
package struct Resumption: Hashable, Sendable {
    /// The first position that has to be read again.
    package var from: Timestamp
    package init(from: Timestamp) { self.from = from }
}

/// Draws trips, stops and gaps from the positions of one device: a function of them, the settings and the as-of time.
package struct TripDetector: Sendable {
    package var settings: DetectionSettings

    package init(settings: DetectionSettings) { self.settings = settings }

    /// Derives the intervals from accepted positions.
    ///
    /// - Parameters:
    ///   - positions: all accepted positions of the device from the resumption on, in key order, each key once.
    ///   - asOf: decides only whether the last interval is final.
    ///   - resumption: where an earlier derivation said to begin; nil for the whole history.
    /// - Returns: intervals from the resumption on.
    package func derive(
        _ positions: [Position],
        asOf: Timestamp,
        resuming resumption: Resumption? = nil
    ) -> Derivation {
        Derivation(intervals: [], setAside: [], resumptions: [])
    }
}
