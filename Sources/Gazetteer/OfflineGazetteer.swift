package import Telemetry

/// One source of offline answers: the towns of the world, or the streets and houses of one extract.
package protocol AnswerSource: Sendable {
    /// The credit that the source's licence wants shown.
    var attribution: String { get }

    /// What the source says about a point; nil when it knows nothing near enough.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - language: BCP 47 tag of the wanted language; names fall back to what the source has.
    ///   - level: nothing finer than this is looked for.
    /// - Returns: the finest that the source knows, at `level` or coarser.
    /// - Throws: `GazetteerError` of kind `damaged`; asking again does not help.
    func answer(
        at point: Coordinate,
        language: String,
        level: AnswerLevel
    ) throws(GazetteerError) -> GazetteerAnswer?
}

/// Names points without a network: of all its sources the finest answer wins.
///
/// A value without state: safe from any thread, and as cheap to copy as an array.
package struct OfflineGazetteer: Sendable {
    package let sources: [any AnswerSource]

    package init(sources: [any AnswerSource]) { self.sources = sources }

    /// The credits of all sources, each once, in order.
    package var attributions: [String] {
        sources.reduce(into: []) { if !$0.contains($1.attribution) { $0.append($1.attribution) } }
    }

    /// The finest answer of all sources, the nearer object on a tie; nil when none knows anything near enough.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - language: BCP 47 tag of the wanted language; names fall back to what the sources have.
    ///   - level: nothing finer than this is looked for.
    /// - Returns: the finest that the source knows, at `level` or coarser.
    /// - Throws: `GazetteerError` of kind `damaged`; asking again does not help.
    package func answer(
        at point: Coordinate,
        language: String = "en",
        level: AnswerLevel = .house
    ) throws(GazetteerError) -> GazetteerAnswer? {
        var best: GazetteerAnswer?
        for source in sources {
            guard let answer = try source.answer(at: point, language: language, level: level) else { continue }
            if let known = best, (known.level, known.distance) <= (answer.level, answer.distance) { continue }
            best = answer
        }
        return best
    }
}
