package import Telemetry

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

/// What `store erase` removes.
package enum Erasure: Hashable, Sendable {
    /// A device with everything that only it used.
    case device(DeviceID)
    /// Everything of a device that overlaps a span; trips are taken whole, positions from begin to end of the span.
    case span(DeviceID, ClosedRange<Timestamp>)
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

    /// Removes positions, journal, trips, endpoints and what only they used; `compact` then clears the file's bytes.
    func erase(_ erasure: Erasure) async throws(StoreError)

    /// Removes raw positions before a horizon and keeps trips, addresses and latest state.
    ///
    /// For each device the horizon is moved back to the begin of the stop or gap in which it lies, or of the trip;
    /// nothing that is not final is touched.
    ///
    /// - Returns: how many positions went.
    func retain(from horizon: Timestamp) async throws(StoreError) -> Int64

    /// Ends the use of the store; later calls throw kind `closed`.
    func close() async
}
