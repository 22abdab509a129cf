package import Telemetry
package import TripDetection

/// A device's number in one store.
package struct DeviceNumber: RawRepresentable, Hashable, Comparable, Sendable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: DeviceNumber, right: DeviceNumber) -> Bool { left.rawValue < right.rawValue }
}

/// What the writer has to know of a device, kept apart from its history.
package struct DeviceState: Hashable, Sendable {
    package var number: DeviceNumber
    package var device: DeviceID
    /// Accepted positions, in chunks and in the journal, each key once.
    package var positionCount: Int64 = 0
    /// Those of them that are in chunks.
    package var foldedCount: Int64 = 0
    package var first: Position?
    /// The greatest key; not every position is used.
    package var last: Position?
    /// The latest used position, as vehicle lists show it.
    package var latest: Position?
    package var lastContact: Timestamp?
    package var watermark: Timestamp?
    /// Accepted positions that the history does not show yet lie in here.
    package var outstanding: ClosedRange<Timestamp>?
    /// When the last interval becomes final if nothing more comes; nil when it is.
    package var openUntil: Timestamp?
    /// Positions before it were removed by retention, and are refused.
    package var horizon: Timestamp?
    /// Above 0 when the whole history is to be drawn anew; only a `HistoryChange` of this mark takes it off.
    package var mark: Int64 = 0

    package init(number: DeviceNumber, device: DeviceID) {
        self.number = number
        self.device = device
    }
}

/// Accepted positions of a device that are to enter the journal.
package struct JournalEntry: Sendable {
    package var device: DeviceNumber
    /// New or changed positions in key order.
    package var positions: [Position]
    /// How many keys the device did not have; the others add fields to what it had.
    package var newCount: Int

    package init(device: DeviceNumber, positions: [Position], newCount: Int) {
        self.device = device
        self.positions = positions
        self.newCount = newCount
    }
}

/// A row of the journal as it is replayed.
package struct JournalRow: Sendable {
    package var sequence: Int64
    package var device: DeviceNumber
    package var positions: [Position]
    package var newCount: Int

    package init(sequence: Int64, device: DeviceNumber, positions: [Position], newCount: Int) {
        self.sequence = sequence
        self.device = device
        self.positions = positions
        self.newCount = newCount
    }
}

/// Some hundred folded positions of a device, encoded by the track codec.
package struct StoredChunk: Sendable {
    package var first: Timestamp
    package var last: Timestamp
    package var count: Int
    package var bytes: [UInt8]

    package init(first: Timestamp, last: Timestamp, count: Int, bytes: [UInt8]) {
        self.first = first
        self.last = last
        self.count = count
        self.bytes = bytes
    }
}

/// Asks for the chunks into which new positions of a device belong.
package struct ChunkRequest: Sendable {
    package var device: DeviceNumber
    /// In ascending order.
    package var times: [Timestamp]

    package init(device: DeviceNumber, times: [Timestamp]) {
        self.device = device
        self.times = times
    }
}

/// The chunks into which new positions of a device belong.
package struct HeldChunks: Sendable {
    /// In the order of their first positions.
    package var chunks: [StoredChunk] = []
    /// For each of them, the first time of the chunk that follows it in the store; nil for the last chunk.
    package var followers: [Timestamp?] = []

    package init() {}
}

/// Changes of a device's folded positions.
package struct TrackChange: Sendable {
    package var device: DeviceNumber
    /// First times of chunks that go.
    package var removed: [Timestamp] = []
    package var added: [StoredChunk] = []
    /// Rows of the journal that the chunks now hold.
    package var foldedRows: [Int64] = []

    package init(device: DeviceNumber) { self.device = device }
}

/// A trip of a device as the store keeps it.
package struct StoredTrip: Hashable, Sendable {
    package var id: TripID
    package var trip: Trip

    package init(id: TripID, trip: Trip) {
        self.id = id
        self.trip = trip
    }
}

/// What was drawn for a device in a span.
package struct StoredHistory: Hashable, Sendable {
    package var trips: [StoredTrip] = []
    package var stops: [Stop] = []
    package var gaps: [Gap] = []
    package var setAside: [SetAside] = []
    package var resumptions: [Resumption] = []

    package init() {}
}

/// Changes of what is drawn for a device; unchanged rows are not named.
package struct HistoryChange: Sendable {
    package var device: DeviceNumber
    /// The mark of the device when the derivation began, which is taken off if it is still the same.
    package var mark: Int64 = 0
    package var removedTrips: [TripID] = []
    /// Trips that keep their id; each gets the next revision and a change number.
    package var revisedTrips: [StoredTrip] = []
    /// Trips that get a new id.
    package var newTrips: [Trip] = []
    /// Arrivals of stops that go.
    package var removedStops: [Timestamp] = []
    /// New stops, and stops with a known arrival that changed.
    package var putStops: [Stop] = []
    /// Begins of gaps that go.
    package var removedGaps: [Timestamp] = []
    package var putGaps: [Gap] = []
    package var removedSetAside: [Position.Key] = []
    package var putSetAside: [SetAside] = []
    package var removedResumptions: [Resumption] = []
    package var putResumptions: [Resumption] = []

    package init(device: DeviceNumber) { self.device = device }
}

/// Everything that one commit makes durable.
package struct StoreTransaction: Sendable {
    /// The clock: when geocode tasks of new places were made.
    package var now: Timestamp
    package var journal: [JournalEntry] = []
    package var attributes: [UInt64: AttributeSet] = [:]
    package var refusals: [Refusal] = []
    package var tracks: [TrackChange] = []
    package var histories: [HistoryChange] = []
    /// New states of the devices named above; their identity does not change.
    package var states: [DeviceState] = []

    package init(now: Timestamp) { self.now = now }
}

/// What a commit gave.
package struct CommitReceipt: Sendable {
    /// Sequence numbers of the journal entries, in the order given.
    package var journalSequences: [Int64] = []
    /// How many refusals were not yet in quarantine.
    package var newRefusals = 0
    package var lastChange: Int64 = 0

    package init() {}
}

/// Settings of detection as they are kept: only what differs from the defaults.
package struct StoredSettings: Hashable, Sendable {
    package var common: [String: Double] = [:]
    package var devices: [DeviceID: [String: Double]] = [:]

    package init() {}
}

/// Counts over the whole store.
package struct StoreTotals: Hashable, Sendable {
    package var vehicles: Int64 = 0
    package var positions: Int64 = 0
    package var trips: Int64 = 0
    package var stops: Int64 = 0
    package var gaps: Int64 = 0
    package var refusals: Int64 = 0

    package init() {}
}
