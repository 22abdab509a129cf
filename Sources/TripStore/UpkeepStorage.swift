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

/// What an erasure removes.
package enum Erasure: Hashable, Sendable {
    /// A device with everything that only it used.
    case device(DeviceID)
    /// Everything of a device that overlaps a span; trips are taken whole, with their positions.
    case span(DeviceID, ClosedRange<Timestamp>)
}

/// What an erasure removed.
package struct ErasureSummary: Hashable, Sendable {
    package var positions: Int64 = 0
    package var trips: Int64 = 0

    package init(positions: Int64 = 0, trips: Int64 = 0) {
        self.positions = positions
        self.trips = trips
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

    /// Removes positions, journal, trips, endpoints and what only they used, without a trace that an export would see;
    /// `compact` then clears the file's bytes.
    ///
    /// Belongs into `Recorder.erase` where a recorder is in use: what it erases of a span has to be drawn anew.
    func erase(_ erasure: Erasure) async throws(StoreError) -> ErasureSummary

    /// Removes raw positions before a horizon, and keeps trips, stops, addresses and the latest state.
    ///
    /// For each device the horizon is moved back to a settled boundary, within a stop or after a gap; what was drawn
    /// before it is sealed, and later positions from before it are refused. Nothing that is not final is touched.
    ///
    /// - Returns: how many positions went.
    func retain(from horizon: Timestamp) async throws(StoreError) -> Int64

    /// Ends the use of the store; later calls throw kind `closed`.
    func close() async
}
