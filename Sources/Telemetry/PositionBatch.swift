/// Accepted positions of one device, as they enter the journal.
package struct PositionBatch: Sendable, Equatable {
    package var device: DeviceID
    /// In any order, duplicates allowed.
    package var positions: [Position]
    /// The attribute sets that the positions refer to, by reference.
    package var attributes: [UInt64: AttributeSet]

    package init(device: DeviceID, positions: [Position], attributes: [UInt64: AttributeSet] = [:]) {
        self.device = device
        self.positions = positions
        self.attributes = attributes
    }
}

/// One refused report: kept in quarantine, so that it can be read back, and counted by its reason.
package struct Refusal: Sendable, Equatable {
    /// Why a report was refused; the raw value is the name in summaries, metrics and the store.
    package enum Reason: String, CaseIterable, Sendable {
        case noDevice = "no device"
        case badDevice = "bad device"
        case noTime = "no time"
        case badTime = "bad time"
        case timeWithoutZone = "time without zone"
        case timeOutOfRange = "time out of range"
        case inTheFuture = "in the future"
        case noCoordinates = "no coordinates"
        case badCoordinates = "bad coordinates"
        case valueOutOfRange = "value out of range"
        case malformed = "malformed"
        case beforeRetention = "before retention"
        case unreadable = "unreadable"
    }

    package var reason: Reason
    /// The file, feed or peer that it came from.
    package var source: String
    /// Where in it, for people: `row 17`, `message 3, position 2`, `entity 4711`.
    package var place: String
    /// What was expected and what was found, naming the field.
    package var detail: String
    /// The device, when it was known.
    package var device: DeviceID?
    /// The report as it came, as far as it can be shown: at most 1024 bytes.
    package var content: String

    package init(
        reason: Reason,
        source: String,
        place: String,
        detail: String,
        device: DeviceID? = nil,
        content: String = ""
    ) {
        self.reason = reason
        self.source = source
        self.place = place
        self.detail = detail
        self.device = device
        self.content = content
    }
}
