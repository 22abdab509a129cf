import Telemetry

extension Interval: CustomStringConvertible {
    /// One line for people: kind, times, length and what is notable.
    package var description: String {
        switch self {
        case .trip(let trip):
            "trip \(trip.begin.iso8601()) \(trip.beginPoint.text) to \(trip.end.iso8601()) \(trip.endPoint.text), "
                + "\(trip.distance / 1000) m, \(trip.positionCount) positions, \(trip.beginReason) to \(trip.endReason)"
                + ", flags \(trip.flags.rawValue), \(trip.isFinal ? "final" : "open")"
        case .stop(let stop):
            "stop \(stop.arrival.iso8601()) to \(stop.departure.iso8601()) at \(stop.centre.text), "
                + "\((stop.departure - stop.arrival) / 1000) s, \(stop.positionCount) positions"
                + ", flags \(stop.flags.rawValue), \(stop.isFinal ? "final" : "open")"
        case .gap(let gap):
            "gap  \(gap.begin.iso8601()) \(gap.beginPoint.text) to \(gap.end.iso8601()) \(gap.endPoint.text), "
                + "\(gap.reason), \(gap.isFinal ? "final" : "open")"
        }
    }
}

extension Coordinate {
    fileprivate var text: String { "\(latitude),\(longitude)" }
}
