package import Telemetry
package import TripDetection

/// A trip's opaque name: [0-9a-z], at most 26 characters, never reused.
package struct TripID: Hashable, Comparable, Sendable {
    package let text: String

    package init?(_ text: String) {
        guard (1...26).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Takes a text that is known to be right.
    init(unchecked text: String) { self.text = text }

    package static func < (left: TripID, right: TripID) -> Bool { left.text < right.text }
}

/// A trip as readers see it.
package struct TripRecord: Hashable, Sendable {
    package var id: TripID
    package var device: DeviceID
    /// The registered name, or else the device.
    package var vehicle: String
    package var trip: Trip
    package var revision: Int64
    package var change: Int64
    /// The trip was removed: late data or settings no longer give it; `trip` is its last state.
    package var isRemoved: Bool
    package var beginAddress: AddressState
    package var endAddress: AddressState
    /// What else is known of the two ends.
    package var beginPlace = EndpointPlace()
    package var endPlace = EndpointPlace()

    package init(
        id: TripID,
        device: DeviceID,
        vehicle: String,
        trip: Trip,
        revision: Int64,
        change: Int64,
        isRemoved: Bool,
        beginAddress: AddressState,
        endAddress: AddressState
    ) {
        self.id = id
        self.device = device
        self.vehicle = vehicle
        self.trip = trip
        self.revision = revision
        self.change = change
        self.isRemoved = isRemoved
        self.beginAddress = beginAddress
        self.endAddress = endAddress
    }
}

/// What is known of the place of an endpoint beside its address.
package struct EndpointPlace: Hashable, Sendable {
    /// The name that the user gave to where the endpoint is; shown before the address.
    package var name: String?
    /// How many ends of trips and stops share the stop place.
    package var visitCount: Int64?

    package init(name: String? = nil, visitCount: Int64? = nil) {
        self.name = name
        self.visitCount = visitCount
    }
}

package struct StopRecord: Hashable, Sendable {
    package var device: DeviceID
    package var vehicle: String
    package var stop: Stop
    package var address: AddressState
    package var place = EndpointPlace()

    package init(
        device: DeviceID,
        vehicle: String,
        stop: Stop,
        address: AddressState
    ) {
        self.device = device
        self.vehicle = vehicle
        self.stop = stop
        self.address = address
    }
}

package struct GapRecord: Hashable, Sendable {
    package var device: DeviceID
    package var vehicle: String
    package var gap: Gap

    package init(
        device: DeviceID,
        vehicle: String,
        gap: Gap
    ) {
        self.device = device
        self.vehicle = vehicle
        self.gap = gap
    }
}

/// A device as the list of vehicles shows it: kept apart from its history.
package struct VehicleRecord: Hashable, Sendable {
    package var device: DeviceID
    package var vehicle: String
    /// Stored positions.
    package var positionCount: Int64
    package var first: Position?
    /// The latest used position by fix time.
    package var latest: Position?
    package var lastContact: Timestamp?
    /// Up to here history is not expected to change.
    package var watermark: Timestamp?

    package init(
        device: DeviceID,
        vehicle: String,
        positionCount: Int64,
        first: Position?,
        latest: Position?,
        lastContact: Timestamp?,
        watermark: Timestamp?
    ) {
        self.device = device
        self.vehicle = vehicle
        self.positionCount = positionCount
        self.first = first
        self.latest = latest
        self.lastContact = lastContact
        self.watermark = watermark
    }
}

/// An accepted position that was not used.
package struct SetAsideRecord: Hashable, Sendable {
    package var device: DeviceID
    package var vehicle: String
    package var setAside: SetAside

    package init(device: DeviceID, vehicle: String, setAside: SetAside) {
        self.device = device
        self.vehicle = vehicle
        self.setAside = setAside
    }
}

/// Which trips, stops or gaps are asked for: those that overlap the span, half open.
package struct HistoryQuery: Sendable {
    package var device: DeviceID?
    package var since: Timestamp?
    package var until: Timestamp?
    /// Only trips whose change number is greater; orders by change number.
    ///
    /// Of removed trips only those that stood at this change: who knows the changes up to here was never told of the
    /// others.
    package var afterChange: Int64?
    package var includesRemoved = false

    package init() {}
}
