#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lock that one writing process holds, in a file beside the store.
///
/// Beside the file itself, whatever links lead to it: a store with two names would have two locks, so a store that
/// has hard links is not written to. The store's own file is never opened here, since closing it would drop the locks
/// that SQLite holds in this process ("POSIX Advisory Locks Are Broken By Design" in SQLite's os_unix.c).
///
/// The system gives it back when the process ends, however it ends. The file says who holds it and stays when it is
/// given back: a process that waits for it may have it open.
struct StoreLock: ~Copyable {
    private var descriptor: Int32 = -1

    /// - Throws: `busy` when another process holds it; `readOnly` or `missing` when the file cannot be made; `foreign`
    ///   when the store is no regular file or has several names.
    init(path: String) throws(StoreError) {
        let name = try StoreLock.resolved(path) + ".lock"
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

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The store's own path without links; it may not exist yet.
    private static func resolved(_ path: String) throws(StoreError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return path }
        guard stat(path, &status) == 0, let real = realpath(path, nil) else {
            throw StoreError(kind: .missing, message: "the store is a link that leads nowhere")
        }
        defer { free(real) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(kind: .foreign, message: "the store must be a regular file")
        }
        guard status.st_nlink == 1 else {
            throw StoreError(
                kind: .foreign,
                message: "the store's file has \(status.st_nlink) names (hard links); two programs could write to it "
                    + "without knowing of each other: leave it one"
            )
        }
        return String(cString: real)
    }

    private static func holder(_ descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 >= 0x20 }, as: UTF8.self)
    }
}
