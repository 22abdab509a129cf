#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lock that one writing process holds, in a file beside the store.
///
/// The system gives it back when the process ends, however it ends. The file says who holds it and stays when it is
/// given back: a process that waits for it may have it open.
struct StoreLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: `busy` when another process holds it; `readOnly` or `missing` when the file cannot be made.
    init(path: String) throws(StoreError) {
        let name = path + ".lock"
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let reason = errno
            let kind: StoreError.Kind =
                switch reason {
                case EROFS, EACCES, EPERM: .readOnly
                case ENOENT, ENOTDIR: .missing
                case ENOSPC, EDQUOT: .full
                default: .other
                }
            throw StoreError(kind: kind, message: "cannot open \(name): \(String(cString: strerror(reason)))")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let holder = StoreLock.holder(descriptor)
            close(descriptor)
            throw StoreError(
                kind: .busy,
                message: "another process writes to the store" + (holder.map { " (\($0))" } ?? "")
            )
        }
        let text = "process \(getpid())\n"
        // Only people read it: the lock holds without.
        _ = ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    deinit { close(descriptor) }

    private static func holder(_ descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 >= 0x20 }, as: UTF8.self)
    }
}
