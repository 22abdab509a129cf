#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file mapped into memory for reading: nothing is copied, and pages come as they are touched.
///
/// Index files are replaced by renaming a new one over the old, never changed in place, so a mapping stays whole for
/// as long as it lives. (Cutting a mapped file short would end the process; only someone who may write the file can.)
final class MappedFile: @unchecked Sendable {
    // Unchecked: the bytes are mapped read-only before the object is shared and unmapped after its last use.
    let bytes: UnsafeRawBufferPointer

    /// Maps a whole file.
    ///
    /// - Throws: `GazetteerError` of kind `notFound` or `system`.
    init(path: String) throws(GazetteerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MappedFile.failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw MappedFile.failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GazetteerError(kind: .foreign, message: "\(path) is no regular file")
        }
        let count = Int(status.st_size)
        guard count > 0 else { throw GazetteerError(kind: .foreign, message: "\(path) is empty") }
        guard let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            throw MappedFile.failure(path, errno)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: count)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

    private static func failure(_ path: String, _ code: Int32) -> GazetteerError {
        GazetteerError(
            kind: code == ENOENT || code == ENOTDIR ? .notFound : .system,
            message: "\(path): \(String(cString: strerror(code)))"
        )
    }
}
