package import Telemetry

/// One source of offline answers: the towns of the world, or the streets and houses of one extract.
package protocol AnswerSource: Sendable {
    /// The credit that the source's licence wants shown.
    var attribution: String { get }

    /// The finest level that the source can answer.
    var finestLevel: AnswerLevel { get }

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

/// Names points without a network: of all its sources the finest answer wins, of equally fine ones the nearer object.
///
/// A value without state: safe from any thread, and as cheap to copy as an array.
package struct OfflineGazetteer: Sendable {
    package let sources: [any AnswerSource]

    package init(sources: [any AnswerSource]) {
        self.sources = sources.sorted { $0.finestLevel < $1.finestLevel }
    }

    /// Opens the towns of the world and every index of a folder of extracts.
    ///
    /// - Parameter folder: where extracts were imported to; one that does not exist holds none.
    /// - Returns: the gazetteer, and the files of the folder that could not be opened.
    /// - Throws: `GazetteerError` when there are no towns, or the folder cannot be read.
    package static func open(
        extracts folder: String
    ) throws(GazetteerError) -> (gazetteer: OfflineGazetteer, failures: [GazetteerError]) {
        let towns = try GazetteerFiles.openTowns()
        let (extracts, failures) = try GazetteerFiles.openExtracts(in: folder)
        return (OfflineGazetteer(sources: extracts + [towns] as [any AnswerSource]), failures)
    }

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
    /// - Returns: an answer of the level or of a coarser one.
    /// - Throws: `GazetteerError` of kind `damaged`; asking again does not help.
    package func answer(
        at point: Coordinate,
        language: String = "en",
        level: AnswerLevel = .house
    ) throws(GazetteerError) -> GazetteerAnswer? {
        var best: GazetteerAnswer?
        for source in sources {
            // A source that can only be coarser has nothing to add but the zone.
            if let known = best, known.level < source.finestLevel {
                guard known.timeZone == nil else { break }
                best?.timeZone = try source.answer(at: point, language: language, level: .place)?.timeZone
                continue
            }
            guard let answer = try source.answer(at: point, language: language, level: level) else { continue }
            if var known = best, (known.level, known.distance) <= (answer.level, answer.distance) {
                known.timeZone = known.timeZone ?? answer.timeZone
                best = known
                continue
            }
            best = answer
        }
        return best
    }
}
