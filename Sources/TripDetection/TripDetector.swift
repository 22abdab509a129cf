package import Telemetry

/// What a device's positions amount to.
package struct Derivation: Equatable, Sendable {
    /// Trips, stops and gaps in time order, without overlap or hole.
    package var intervals: [Interval]
    /// Positions that were not used, in key order.
    package var setAside: [SetAside]
    /// Settled boundaries in time order: one soon after the vehicle came to rest at a stop, one for each further gap
    /// time that it stays, one after each gap; not the one that was resumed.
    package var resumptions: [Resumption]
    /// Where a later derivation may begin, nil when everything has to be read again.
    package var resumption: Resumption?
}

/// Draws trips, stops and gaps from the positions of one device: a function of them, the settings and the as-of time.
package struct TripDetector: Sendable {
    package var settings: DetectionSettings

    package init(settings: DetectionSettings) { self.settings = settings }

    /// Derives the intervals from accepted positions.
    ///
    /// Deriving from a resumption gives, byte for byte, what deriving everything gives from its `intervalBegin` on.
    ///
    /// - Parameters:
    ///   - positions: all accepted positions of the device from the resumption on, in key order, each key once.
    ///   - asOf: decides only what is final after the last settled boundary: all of it once the gap time has passed
    ///     since the last used position.
    ///   - resumption: where an earlier derivation said to begin; nil for the whole history.
    /// - Returns: intervals from the resumption on.
    /// - Complexity: linear in the number of positions.
    package func derive(
        _ positions: [Position],
        asOf: Timestamp,
        resuming resumption: Resumption? = nil
    ) -> Derivation {
        let anchor = resumption.map { Row($0.anchor, after: nil) }
        var cleaning = Cleaning(positions, settings: settings, after: anchor)
        var history = History(cleaning.takeRows(), settings: settings, resuming: resumption)
        history.draw(asOf: asOf)
        return Derivation(
            intervals: history.intervals,
            setAside: cleaning.setAside,
            resumptions: history.resumptions,
            resumption: history.resumptions.last ?? resumption
        )
    }
}
