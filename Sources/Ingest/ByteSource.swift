#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes of a file or stream through one buffer that grows only up to what a decoder asks to see at once.
final class ByteSource {
    /// What it is called in messages.
    let name: String
    private let descriptor: Int32
    private let closesDescriptor: Bool
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// The offset in the input of the first byte in `bytes`.
    private(set) var offset = 0
    private(set) var isAtEnd = false

    static let step = 256 * 1024

    /// Opens a file for reading.
    init(path: String) throws(IngestError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw IngestError(kind: .unreadable, source: path, message: String(cString: strerror(errno)))
        }
        name = path
        self.descriptor = descriptor
        closesDescriptor = true
        storage = .allocate(byteCount: ByteSource.step, alignment: 16)
    }

    /// Reads a descriptor that somebody else closes.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
        closesDescriptor = false
        storage = .allocate(byteCount: ByteSource.step, alignment: 16)
    }

    /// Reads a copy of bytes in memory.
    init(bytes: UnsafeRawBufferPointer, name: String) {
        self.name = name
        descriptor = -1
        closesDescriptor = false
        storage = .allocate(byteCount: max(bytes.count, 16), alignment: 16)
        storage.copyMemory(from: bytes)
        end = bytes.count
        isAtEnd = true
    }

    deinit {
        storage.deallocate()
        if closesDescriptor { close(descriptor) }
    }

    /// What was read and not yet consumed; valid until the next call.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

    var count: Int { end - start }

    /// Passes over bytes of `bytes`.
    func consume(_ count: Int) {
        precondition(count >= 0 && count <= end - start, "only what was read can be consumed")
        start += count
        offset += count
    }

    /// Reads until at least `count` bytes are there or the input ends.
    ///
    /// - Returns: whether they are there.
    func require(_ count: Int) throws(IngestError) -> Bool {
        while end - start < count, !isAtEnd { try readMore(room: count - (end - start)) }
        return end - start >= count
    }

    /// Reads once more, growing the buffer when it is full.
    func readMore(room: Int = 1) throws(IngestError) {
        guard !isAtEnd else { return }
        let kept = end - start
        if storage.count - end < max(room, ByteSource.step / 4) {
            if kept + max(room, ByteSource.step / 4) > storage.count {
                let grown = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: max(storage.count * 2, kept + room),
                    alignment: 16
                )
                grown.copyMemory(from: bytes)
                storage.deallocate()
                storage = grown
            } else if start > 0, let base = storage.baseAddress {
                memmove(base, base + start, kept)
            }
            start = 0
            end = kept
        }
        guard let base = storage.baseAddress else { return }
        while true {
            let got = read(descriptor, base + end, storage.count - end)
            if got > 0 {
                end += got
                return
            }
            if got == 0 {
                isAtEnd = true
                return
            }
            if errno == EINTR { continue }
            throw IngestError(
                kind: .unreadable,
                source: name,
                place: offset + kept == 0 ? "" : "byte \(offset + kept)",
                message: String(cString: strerror(errno))
            )
        }
    }
}
