package import Telemetry

/// One piece of a device's history; trips, stops and gaps tile its time from the first used position to the last.
package enum Interval: Hashable, Sendable {
    case trip(Trip)
    case stop(Stop)
    case gap(Gap)

    package var begin: Timestamp {
        switch self {
        case .trip(let trip): trip.begin
        case .stop(let stop): stop.arrival
        case .gap(let gap): gap.begin
        }
    }

    package var end: Timestamp {
        switch self {
        case .trip(let trip): trip.end
        case .stop(let stop): stop.departure
        case .gap(let gap): gap.end
        }
    }

    package var isFinal: Bool {
        switch self {
        case .trip(let trip): trip.isFinal
        case .stop(let stop): stop.isFinal
        case .gap(let gap): gap.isFinal
        }
    }
}

/// A span in which the vehicle moved from one stop to the next.
package struct Trip: Hashable, Sendable {
    package enum BeginReason: UInt8, Sendable {
        case stop, gap, firstData
    }

    package enum EndReason: UInt8, Sendable {
        case stop, gap, lastData
    }

    package enum DistanceSource: UInt8, Sendable {
        case positions, odometer
    }

    package struct Flags: OptionSet, Hashable, Sendable {
        package var rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The last row still moved with the ignition on, then nothing came.
        package static let signalLost = Flags(rawValue: 1 << 0)
        /// A silence of 300 s or more lies within.
        package static let hole = Flags(rawValue: 1 << 1)
        /// Made of one single leg.
        package static let lowQuality = Flags(rawValue: 1 << 2)
        /// The odometer was reset within the trip.
        package static let odometerReset = Flags(rawValue: 1 << 3)
        /// The odometer did not move although the vehicle did.
        package static let odometerStuck = Flags(rawValue: 1 << 4)
        /// A fix time was corrected for a week rollover.
        package static let timeCorrected = Flags(rawValue: 1 << 5)
    }

    package var begin: Timestamp
    package var end: Timestamp
    package var beginPoint: Coordinate
    package var endPoint: Coordinate
    package var beginReason: BeginReason
    package var endReason: EndReason
    /// Path over ground between used positions, in millimetres; drift at the places is not in it.
    package var positionDistance: Int64
    /// Sum of the odometer's plausible steps in millimetres; nil without at least two readings.
    package var odometerDistance: Int64?
    /// Which of the two is shown.
    package var distanceSource: DistanceSource
    /// Time in legs at or over the moving speed, in milliseconds.
    package var moving: Int64
    /// Time standing with the ignition on at both ends of a leg, in milliseconds; nil where ignition was never sent.
    package var idle: Int64?
    /// The highest plausible speed in centimetres a second: reported where sent, else of a leg.
    package var highestSpeed: Int32
    /// Used positions from begin to end, both included.
    package var positionCount: Int32
    /// The longest time between two used positions, in milliseconds.
    package var largestHole: Int64
    package var flags: Flags
    /// Only a late position can change it now.
    package var isFinal: Bool

    package init(
        begin: Timestamp,
        end: Timestamp,
        beginPoint: Coordinate,
        endPoint: Coordinate,
        beginReason: BeginReason,
        endReason: EndReason,
        positionDistance: Int64,
        odometerDistance: Int64?,
        distanceSource: DistanceSource,
        moving: Int64,
        idle: Int64?,
        highestSpeed: Int32,
        positionCount: Int32,
        largestHole: Int64,
        flags: Flags,
        isFinal: Bool
    ) {
        self.begin = begin
        self.end = end
        self.beginPoint = beginPoint
        self.endPoint = endPoint
        self.beginReason = beginReason
        self.endReason = endReason
        self.positionDistance = positionDistance
        self.odometerDistance = odometerDistance
        self.distanceSource = distanceSource
        self.moving = moving
        self.idle = idle
        self.highestSpeed = highestSpeed
        self.positionCount = positionCount
        self.largestHole = largestHole
        self.flags = flags
        self.isFinal = isFinal
    }

    /// The shown distance in millimetres.
    package var distance: Int64 {
        distanceSource == .odometer ? odometerDistance ?? positionDistance : positionDistance
    }

    /// Time in legs under the moving speed, in milliseconds.
    package var standing: Int64 { end - begin - moving }

    /// The shown distance through the moving time, in metres a second; nil when the vehicle never moved.
    package var averageSpeed: Double? { moving > 0 ? Double(distance) / Double(moving) : nil }
}

/// A span in which the vehicle stayed at one place.
package struct Stop: Hashable, Sendable {
    package struct Flags: OptionSet, Hashable, Sendable {
        package var rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Shorter than the stop time, at the first or last end of the data.
        package static let edge = Flags(rawValue: 1 << 0)
        /// Silent for at least the gap time without displacement: what happened meanwhile is not known.
        package static let unknownActivity = Flags(rawValue: 1 << 1)
    }

    package var arrival: Timestamp
    package var departure: Timestamp
    package var centre: Coordinate
    /// Time with the ignition on at both ends of a leg, in milliseconds; nil where ignition was never sent.
    package var idle: Int64?
    package var positionCount: Int32
    package var flags: Flags
    package var isFinal: Bool

    package init(
        arrival: Timestamp,
        departure: Timestamp,
        centre: Coordinate,
        idle: Int64?,
        positionCount: Int32,
        flags: Flags,
        isFinal: Bool
    ) {
        self.arrival = arrival
        self.departure = departure
        self.centre = centre
        self.idle = idle
        self.positionCount = positionCount
        self.flags = flags
        self.isFinal = isFinal
    }
}

/// A span about which nothing is known.
package struct Gap: Hashable, Sendable {
    package enum Reason: UInt8, Sendable {
        /// No used position for the gap time or longer, and displacement.
        case silence
        /// A leg faster than any vehicle that cleaning could not lay to one bad position.
        case jump
        /// Movement that is no trip and has no stop beside it.
        case tooShort
    }

    package var begin: Timestamp
    package var end: Timestamp
    package var beginPoint: Coordinate
    package var endPoint: Coordinate
    package var reason: Reason
    package var isFinal: Bool

    package init(
        begin: Timestamp,
        end: Timestamp,
        beginPoint: Coordinate,
        endPoint: Coordinate,
        reason: Reason,
        isFinal: Bool
    ) {
        self.begin = begin
        self.end = end
        self.beginPoint = beginPoint
        self.endPoint = endPoint
        self.reason = reason
        self.isFinal = isFinal
    }
}

/// A position that was accepted and not used, with the reason.
package struct SetAside: Hashable, Sendable {
    package enum Reason: UInt8, CaseIterable, Sendable {
        /// Marked invalid by the device.
        case noFix
        /// Less accurate than the worst used accuracy.
        case inaccurate
        /// Latitude and longitude zero, and not plausible there.
        case zeroCoordinates
        /// Another position of the same instant was chosen.
        case sameTime
        /// Legs to and from it are faster than any vehicle.
        case outlier
    }

    package var key: Position.Key
    package var reason: Reason

    package init(key: Position.Key, reason: Reason) {
        self.key = key
        self.reason = reason
    }
}
