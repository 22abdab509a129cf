internal import CSodium

/// SHA-256 of bytes that come piece by piece.
struct Digest {
    private var state = crypto_hash_sha256_state()

    // The three functions cannot fail: libsodium returns 0 always (crypto_hash_sha256 in its manual).
    init() { crypto_hash_sha256_init(&state) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        crypto_hash_sha256_update(&state, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    /// In hexadecimal digits, as sha256sum writes it.
    var text: String {
        var copy = state
        var bytes = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256_final(&copy, &bytes)
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
