import Telemetry

/// A stop while it lasts.
struct OpenStop: Hashable, Sendable {
    /// Milliseconds since 1970.
    var arrival: Int64
    /// Rows from the arrival to the counted one.
    var positionCount: Int64 = 1
    var idle: Int64 = 0
    var hasIgnition = false
    /// Silent for at least the gap time.
    var isUnknown = false
    var isEdge = false
    /// The rows at earlier places of the stop, from which the vehicle moved less than a trip.
    var earlier = PlaceSum()
    /// The row up to which the figures go; the anchor of a resumption is row 0.
    var counted = 0

    init(arrival: Int64) { self.arrival = arrival }

    init(arrivalAt index: Int, in rows: ContiguousArray<Row>) {
        arrival = rows[index].time
        hasIgnition = rows[index].hasIgnition
        counted = index
    }

    /// Takes the legs up to a row into the figures.
    mutating func advance(through index: Int, in rows: ContiguousArray<Row>, settings: DetectionSettings) {
        while counted < index {
            let (from, to) = (rows[counted], rows[counted + 1])
            positionCount += 1
            if to.hasIgnition { hasIgnition = true }
            if settings.isIdle(from: from, to: to) { idle += to.time - from.time }
            if to.time - from.time >= settings.gapTime { isUnknown = true }
            counted += 1
        }
    }

    /// The finished stop.
    func closed(departure: Timestamp, core: PlaceSum) -> Stop {
        var places = earlier
        places += core
        var flags: Stop.Flags = []
        if isUnknown { flags.insert(.unknownActivity) }
        if isEdge { flags.insert(.edge) }
        return Stop(
            arrival: Timestamp(milliseconds: arrival),
            departure: departure,
            centre: places.mean,
            idle: hasIgnition ? idle : nil,
            positionCount: Int32(clamping: positionCount),
            flags: flags,
            isFinal: false
        )
    }
}
