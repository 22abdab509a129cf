package import Telemetry

/// What an import did, for people and for programs.
package struct ImportOutcome: Hashable, Sendable {
    /// Positions that are in the store now and were not before.
    package var accepted: Int64 = 0
    /// Positions that were there already, in the store or earlier in the input.
    package var duplicate: Int64 = 0
    package var refused: [Refusal.Reason: Int64] = [:]
    /// Devices of which something was accepted or there already.
    package var vehicles: Int64 = 0
    /// Trips that those devices have now.
    package var trips: Int64 = 0

    package init() {}

    package var refusedCount: Int64 { refused.values.reduce(0, +) }

    package var json: JSON {
        .object([
            ("accepted", .integer(accepted)),
            ("duplicate", .integer(duplicate)),
            (
                "refused",
                .object(
                    refused.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, .integer($0.value)) }
                )
            ),
            ("vehicles", .integer(vehicles)),
            ("trips", .integer(trips)),
        ])
    }

    /// What to do about what was refused, a sentence each.
    package var advice: [String] {
        guard refusedCount > 0 else { return [] }
        var lines: [String] = []
        if refused[.timeWithoutZone, default: 0] > 0 {
            lines.append(
                "Times without a zone: import the file again with --assume-zone UTC, or the zone it was written in."
            )
        }
        lines.append("odograph quarantine shows what was refused.")
        return lines
    }

    /// Sentences for people.
    package var text: String {
        var parts = ["\(Measure.count(accepted, "position")) accepted"]
        if duplicate > 0 { parts.append("\(Measure.count(duplicate, "position")) there already") }
        if refusedCount > 0 {
            let reasons = refused.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
                .map { "\($0.key.rawValue) \(Measure.count($0.value))" }
            parts.append("\(Measure.count(refusedCount)) refused (\(reasons.joined(separator: ", ")))")
        }
        if accepted == 0, duplicate > 0 { return "Nothing new: \(parts.dropFirst().joined(separator: ", "))." }
        return
            "\(parts.joined(separator: ", ")); \(Measure.count(vehicles, "vehicle")), \(Measure.count(trips, "trip"))."
    }
}

/// How far a long import has come, as one line of a terminal.
package struct ProgressLine: Sendable {
    /// What is being read.
    package var name: String
    /// Bytes of all input; nil when it is not known.
    package var total: Int64?

    package init(name: String, total: Int64?) {
        self.name = name
        self.total = total
    }

    /// The line.
    ///
    /// - Parameters:
    ///   - bytes: read so far.
    ///   - positions: read so far.
    ///   - elapsed: milliseconds since the begin.
    ///   - width: columns of the terminal.
    /// - Returns: at most `width` columns; without a new line.
    package func text(bytes: Int64, positions: Int64, elapsed: Int64, width: Int) -> String {
        var parts: [String] = []
        if let total, total > 0 { parts.append("\(min(100, bytes * 100 / total)) %") }
        parts.append(Measure.count(positions, "position"))
        if elapsed >= 1000 {
            parts.append("\(Measure.count(positions * 1000 / elapsed))/s")
            if let total, bytes > 0, bytes < total {
                let left = Int64(Double(elapsed) * Double(total - bytes) / Double(bytes))
                parts.append("\(Measure.duration(milliseconds: left)) left")
            }
        }
        return "\(name): \(parts.joined(separator: ", "))".printable.cut(toWidth: max(1, width - 1))
    }
}

extension Measure {
    /// `12.3 MB`: in powers of ten, as disks are sold.
    package static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 999.5 { return unit == "B" ? "\(count) B" : "\(plain((value * 10).rounded() / 10)) \(unit)" }
            value /= 1000
        }
        return "\(plain((value * 10).rounded() / 10)) TB"
    }
}
