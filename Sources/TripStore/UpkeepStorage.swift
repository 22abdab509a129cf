/// One thing that a check of the store found wrong.
package struct StoreFinding: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case structure, checksum, tiling, endpoint, orphan, count
    }

    package var kind: Kind
    /// For people; names tables and numbers, never stored values.
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Upkeep of a store.
package protocol UpkeepStorage: Sendable {
    /// Looks for damage and broken promises: structure, checksums, tiling, endpoints without address and task, orphans.
    ///
    /// - Returns: what is wrong; empty when all is well.
    func check() async throws(StoreError) -> [StoreFinding]

    /// Merges short chunks, removes what erasure left behind in the file, and gives free pages back.
    func compact() async throws(StoreError)

    /// Writes a consistent copy while writing goes on; the file is whole or absent.
    ///
    /// - Throws: `StoreError` with kind `exists` when the path is taken.
    func backUp(to path: String) async throws(StoreError)

    /// Ends the use of the store; later calls throw kind `closed`.
    func close() async
}
