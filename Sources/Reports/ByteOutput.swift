#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A failure of a report or an export; `message` is for people.
package struct ReportError: Error, Equatable, Sendable {
    package enum Kind: Sendable {
        /// The system could not write or read something.
        case system
        /// The folder or file does not exist.
        case missing
        /// Nothing can be made where it should go.
        case target
        /// Somebody else is at it; the same call may pass later.
        case busy
        /// A file of ours says something else than it should.
        case damaged
        /// An export delivers into another folder.
        case elsewhere
    }

    package var kind: Kind
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// What the system just said about a place where something should be made.
    static func target(_ what: String) -> ReportError {
        var error = system(what)
        error.kind = .target
        return error
    }

    /// What the system just said about a path or stream.
    static func system(_ what: String) -> ReportError {
        let code = errno
        return ReportError(
            kind: code == ENOENT ? .missing : .system,
            message: "\(what): \(String(cString: strerror(code)))"
        )
    }
}

/// Bytes on their way to a file descriptor, gathered so that each call of the system is worth it.
package final class ByteOutput {
    /// What waits to be written; writers append to it, and call `flushIfFull` now and then.
    package var buffer: [UInt8] = []
    private let descriptor: Int32
    private let name: String

    /// - Parameters:
    ///   - descriptor: somebody else closes it.
    ///   - name: what it is called in messages.
    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(80 * 1024)
    }

    package func flushIfFull() throws(ReportError) {
        if buffer.count >= 64 * 1024 { try flush() }
    }

    package func flush() throws(ReportError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                bytes.baseAddress.map { write(descriptor, $0 + written, bytes.count - written) } ?? 0
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("writing \(name)")
            }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
