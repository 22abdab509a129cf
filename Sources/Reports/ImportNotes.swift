/// Collects what readers note about files, so that a hundred files of one feed are spoken of once.
package struct ImportNotes: Sendable {
    private struct Group {
        var sentence: String
        /// What stood after the sentence's last colon; nil for a sentence without one.
        var details: [String?]
        var sources: [String]
    }

    private var groups: [Group] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// - Parameters:
    ///   - note: a sentence, or a sentence, a colon and a number or name.
    ///   - source: the file that it is about.
    package mutating func add(_ note: String, source: String) {
        var (sentence, detail): (String, String?) = (note, nil)
        if let colon = note.lastIndex(of: ":"), note[colon...].hasPrefix(": ") {
            (sentence, detail) = (String(note[..<colon]), String(note[note.index(colon, offsetBy: 2)...]))
        }
        if let index = indices[sentence] {
            groups[index].details.append(detail)
            groups[index].sources.append(source)
        } else {
            indices[sentence] = groups.count
            groups.append(Group(sentence: sentence, details: [detail], sources: [source]))
        }
    }

    /// One for each sentence, in the order of their first sight; numbers are added up.
    package var lines: [String] {
        groups.map { group in
            let sources = Set(group.sources).count
            let who = sources > 1 ? "\(group.sources[0]) and \(sources - 1) more" : group.sources[0]
            let numbers = group.details.compactMap { $0.flatMap(Int64.init) }
            if numbers.count == group.details.count {
                return "\(who): \(group.sentence): \(Measure.count(numbers.reduce(0, +)))"
            }
            if group.details.count == 1, let detail = group.details[0] { return "\(who): \(group.sentence): \(detail)" }
            return "\(who): \(group.sentence)"
        }
    }
}
