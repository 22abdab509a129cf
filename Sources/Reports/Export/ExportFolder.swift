#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of an export: files appear in it whole, by one rename each; held by one process at a time.
struct ExportFolder: ~Copyable {
    let path: String
    private let lock: Int32

    /// Makes the folder when its parent is there, and takes the lock of the named export.
    ///
    /// - Throws: `ReportError`, of kind busy while another process holds it.
    init(path: String, name: String) throws(ReportError) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .target(path) }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            throw ReportError(kind: .target, message: "\(path): this is no folder")
        }
        self.lock = try ExportFolder.lock("\(path)/.\(name).lock")
        self.path = path
    }

    /// Whether something has the path.
    static func exists(_ path: String) throws(ReportError) -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw .system(path) }
        return false
    }

    private static func lock(_ path: String) throws(ReportError) -> Int32 {
        let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard lock >= 0 else { throw .target(path) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let error = ReportError.system(path)
            close(lock)
            throw isHeld ? ReportError(kind: .busy, message: "\(path): another export is running") : error
        }
        return lock
    }

    // The lock file stays: removing it would let two processes hold two files of one name.
    deinit { close(lock) }

    /// The name under which a file is written before it is whole.
    static func partName(_ name: String) -> String { ".\(name).part" }

    func names() throws(ReportError) -> [String] {
        guard let folder = opendir(path) else { throw .system(path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names.sorted()
    }

    /// Removes a part that an interrupted run left.
    func removePart(of name: String) throws(ReportError) {
        let part = "\(path)/\(ExportFolder.partName(name))"
        if unlink(part) != 0, errno != ENOENT { throw .system(part) }
    }

    /// Moves a whole part into its place.
    func publish(_ name: String) throws(ReportError) {
        let part = "\(path)/\(ExportFolder.partName(name))"
        guard rename(part, "\(path)/\(name)") == 0 else { throw .system(part) }
    }

    /// Makes the renames durable.
    func sync() throws(ReportError) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(path) }
    }

    /// The digest of a file, nil when it does not exist.
    func digest(of name: String) throws(ReportError) -> String? {
        let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("\(path)/\(name)")
        }
        defer { close(file) }
        var digest = Digest()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("\(path)/\(name)")
            }
            if count == 0 { return digest.text }
            buffer.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

/// A file of an export while it is written under its part's name.
final class ExportFile {
    let name: String
    private(set) var byteCount = 0
    private var digest = Digest()
    private let output: ByteOutput
    private let descriptor: Int32
    private let path: String

    init(_ name: String, in folder: borrowing ExportFolder) throws(ReportError) {
        self.name = name
        path = "\(folder.path)/\(ExportFolder.partName(name))"
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(path) }
        output = ByteOutput(descriptor: descriptor, name: path)
    }

    deinit { close(descriptor) }

    /// Writes what stands in `buffer`, and empties it.
    func take(_ buffer: inout [UInt8]) throws(ReportError) {
        buffer.withUnsafeBytes { digest.add($0) }
        byteCount += buffer.count
        output.buffer.append(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
        try output.flushIfFull()
    }

    /// Makes the content durable.
    ///
    /// - Returns: its SHA-256 in hexadecimal digits.
    func finish() throws(ReportError) -> String {
        try output.flush()
        guard fsync(descriptor) == 0 else { throw .system(path) }
        return digest.text
    }
}
