/// A failure of the store: code switches on `kind`; `message` is for people and never holds stored values.
package struct StoreError: Error, Sendable {
    package enum Kind: Sendable {
        /// Another process holds what is needed; the same call may pass later.
        case busy
        /// No space left on the disk, or too much is waiting; the same call may pass later.
        case full
        /// The disk or the file cannot be written.
        case readOnly
        /// The file or folder does not exist.
        case missing
        /// The file is damaged.
        case corrupt
        /// The file is no store, or one that a newer version wrote.
        case foreign
        /// What should be written is already there.
        case exists
        /// The store was closed.
        case closed
        case other
    }

    package var kind: Kind
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    package var isTransient: Bool { kind == .busy || kind == .full }
}
