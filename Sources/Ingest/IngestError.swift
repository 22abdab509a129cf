/// A file, feed or stream that cannot be read on: `kind` is for code, `description` for people.
///
/// What was read before the fault stays good. The command ends with exit code 65 for every kind but `needsOption`,
/// which is bad usage (64).
package struct IngestError: Error, Equatable, Sendable {
    package enum Kind: Sendable {
        /// It cannot be opened or read.
        case unreadable
        /// Nothing is in it.
        case empty
        /// It is none of the known formats, or not the one that was asked for.
        case notWhatItSeems
        /// It ends in the middle.
        case truncated
        /// It breaks the rules of its format.
        case damaged
        /// A part of it is larger than the limit that keeps memory bounded.
        case tooLarge
        /// What it means must be said by an option, such as the unit of a speed.
        case needsOption
    }

    package var kind: Kind
    /// The file or stream.
    package var source: String
    /// Where in it, for people: `byte 1234`, `row 17`, `line 53`; empty for all of it.
    package var place: String
    /// What was expected and what was found.
    package var message: String

    package init(kind: Kind, source: String, place: String = "", message: String) {
        self.kind = kind
        self.source = source
        self.place = place
        self.message = message
    }
}

extension IngestError: CustomStringConvertible {
    package var description: String {
        place.isEmpty ? "\(source): \(message)" : "\(source), \(place): \(message)"
    }
}
