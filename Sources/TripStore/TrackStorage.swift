package import Telemetry
package import TripDetection

/// Where tracks and what was drawn from them are kept; every conformance passes the same contract tests.
///
/// One process at a time writes; readers are never blocked by it. What `commit` was given is durable, all or nothing,
/// when it returns. Every operation throws `StoreError`; when `isTransient`, the same call may pass later.
package protocol TrackStorage: HistoryReading, GeocodeStorage, UpkeepStorage, ExportStorage {
    /// Makes a transaction durable, all of it or nothing.
    ///
    /// New trips get their ids, changed trips their change numbers, endpoints their places and new places their
    /// geocode tasks, all in the same commit.
    ///
    /// - Returns: the numbers of new journal rows, in the order given, and the store's last change number.
    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitReceipt

    /// What is known of a device, registering it when it is new.
    ///
    /// - Returns: one state for each id, in the order given.
    func states(of devices: [DeviceID]) async throws(StoreError) -> [DeviceState]

    /// What is known of devices by their numbers; unknown numbers are left out.
    func states(numbered numbers: [DeviceNumber]) async throws(StoreError) -> [DeviceState]

    /// What is known of devices, nil for those that are new.
    func knownStates(of devices: [DeviceID]) async throws(StoreError) -> [DeviceState?]

    /// The devices whose history has to be derived: data came that it does not show yet, or their last interval
    /// becomes final by `asOf`.
    func outstandingDevices(asOf: Timestamp) async throws(StoreError) -> [DeviceState]

    /// The whole journal in the order of its commits, for the replay after a start.
    func journal() async throws(StoreError) -> RecordStream<JournalRow>

    /// The folded positions of a device, chunk by chunk in key order.
    ///
    /// - Parameters:
    ///   - device: its number in the store.
    ///   - span: chunks that have no position in it are left out; positions outside may be among those given.
    /// - Returns: chunks in the order of their first positions.
    /// - Throws: `StoreError`.
    func chunks(
        of device: DeviceNumber,
        in span: ClosedRange<Timestamp>
    ) async throws(StoreError)
        -> RecordStream<StoredChunk>

    /// The chunks into which new positions belong, each once and in order; for many devices in one call.
    ///
    /// A position belongs to the last chunk that begins at or before it; to none when it is before all.
    ///
    /// - Parameter requests: devices, and the times of their new positions in ascending order.
    /// - Returns: an answer for each request, in the order given.
    /// - Throws: `StoreError`.
    func chunks(holding requests: [ChunkRequest]) async throws(StoreError) -> [HeldChunks]

    /// How many trips devices have that are not removed.
    func tripCount(of devices: [DeviceNumber]) async throws(StoreError) -> Int

    /// What was drawn for a device so far, from a boundary up to another.
    ///
    /// - Parameters:
    ///   - device: its number in the store.
    ///   - from: intervals that begin before it are left out.
    ///   - until: intervals that begin at it or later are left out; nil for no end.
    /// - Returns: trips that are not removed, and everything else, each in time order.
    /// - Throws: `StoreError`.
    func history(of device: DeviceNumber, from: Timestamp, until: Timestamp?) async throws(StoreError) -> StoredHistory

    /// The last settled boundaries at or before an instant, the latest first.
    ///
    /// Without any, a derivation must begin at the first position.
    func lastResumptions(
        of device: DeviceNumber,
        atOrBefore instant: Timestamp,
        limit: Int
    )
        async throws(StoreError) -> [Resumption]

    /// Settings of detection for all devices and overrides by device, by the names of `DetectionSettings`.
    func settings() async throws(StoreError) -> StoredSettings

    /// Changes one setting and marks the devices that it touches for a new derivation.
    ///
    /// - Parameters:
    ///   - name: a name of `DetectionSettings`.
    ///   - value: in the unit of the name; nil takes the setting back.
    ///   - device: only for this device; nil for all.
    /// - Throws: `StoreError`.
    func setSetting(_ name: String, to value: Double?, device: DeviceID?) async throws(StoreError)

    /// Marks a device, or all of them when nil, for a derivation of the whole history.
    func markForDerivation(_ device: DeviceID?) async throws(StoreError)
}

/// Reading of history; consistent within one stream, and never blocking the writer.
package protocol HistoryReading: Sendable {
    /// Trips ordered by device and begin, or by change number when the query has `afterChange`.
    func trips(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<TripRecord>

    /// Stops ordered by device and arrival; `afterChange` and `includesRemoved` are ignored.
    func stops(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<StopRecord>

    /// Gaps ordered by device and begin; `afterChange` and `includesRemoved` are ignored.
    func gaps(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<GapRecord>

    /// Devices ordered by id, without touching their history.
    func vehicles() async throws(StoreError) -> RecordStream<VehicleRecord>

    /// One trip, removed ones included; nil when the id was never given.
    func trip(_ id: TripID) async throws(StoreError) -> TripRecord?

    /// The used positions from a trip's begin to its end, read from its chunks alone; nil when there is no such trip.
    ///
    /// Empty when retention took the positions.
    func path(of id: TripID) async throws(StoreError) -> [Position]?

    /// The accepted positions of a device in key order, used or not.
    func positions(
        of device: DeviceID,
        in span: ClosedRange<Timestamp>?
    ) async throws(StoreError)
        -> RecordStream<Position>

    /// Accepted positions that were not used, by device and key.
    func setAside(_ query: HistoryQuery) async throws(StoreError) -> RecordStream<SetAsideRecord>

    /// Refused reports in the order of their first refusal.
    func refusals() async throws(StoreError) -> RecordStream<Refusal>

    /// How many reports are kept in quarantine, by reason; reasons without any are left out.
    func refusalCounts() async throws(StoreError) -> [Refusal.Reason: Int]

    /// Texts of attribute sets by reference; unknown references are left out.
    func attributes(_ references: [UInt64]) async throws(StoreError) -> [UInt64: AttributeSet]

    /// Sizes of the store in numbers, for summaries; counts trips that are not removed.
    func totals() async throws(StoreError) -> StoreTotals

    /// The last change number given; 0 in a new store.
    func lastChange() async throws(StoreError) -> Int64
}
