package import Telemetry

/// A made-up recording of one device, written row by row as a person would describe it.
package struct Tape: Sendable {
    package var positions: [Position] = []

    package init() {}

    /// 2026-05-04, a Monday; times of tapes are clock times of this day.
    package static let day = Timestamp(seconds: 1_777_852_800)

    /// An instant of the day from `hh:mm` or `hh:mm:ss`; hours may exceed 23.
    package static func time(_ clock: String) -> Timestamp {
        let parts = clock.split(separator: ":").compactMap { Int64($0) }
        precondition(parts.count == 2 || parts.count == 3, "a clock time is hh:mm or hh:mm:ss")
        return Tape.day + (parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)) * 1000
    }

    package static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("no such place: \(latitude), \(longitude)")
        }
        return coordinate
    }

    /// Adds one row.
    package mutating func row(
        _ time: Timestamp,
        _ latitude: Double,
        _ longitude: Double,
        kmh: Double? = nil,
        ignition: Bool? = nil,
        accuracy: Double? = nil
    ) {
        var position = Position(fixTime: time, coordinate: Tape.coordinate(latitude, longitude))
        position.speed = kmh.map { $0 / 3.6 }
        position.ignition = ignition
        position.accuracy = accuracy
        positions.append(position)
    }

    /// DRIVE(T,lat,lon,n): n+1 rows each 30 s, 0.0045 degrees of latitude (500.4 m) a step, 60 km/h, ignition on.
    package mutating func drive(
        _ clock: String,
        _ latitude: Double,
        _ longitude: Double,
        _ steps: Int,
        latitudeStep: Double = 0.0045,
        every seconds: Int64 = 30
    ) {
        for step in 0...steps {
            row(
                Tape.time(clock) + Int64(step) * seconds * 1000,
                latitude + Double(step) * latitudeStep,
                longitude,
                kmh: 60,
                ignition: true
            )
        }
    }

    /// PARK(T,lat,lon,m): m+1 rows each 60 s at one point, speed 0, ignition off.
    package mutating func park(
        _ clock: String,
        _ latitude: Double,
        _ longitude: Double,
        _ steps: Int,
        every seconds: Int64 = 60
    ) {
        for step in 0...steps {
            row(Tape.time(clock) + Int64(step) * seconds * 1000, latitude, longitude, kmh: 0, ignition: false)
        }
    }

    /// Base trip B: parked, ten kilometres to the north, parked.
    package static var base: Tape {
        var tape = Tape()
        tape.park("08:00", 52, 13, 5)
        tape.drive("08:06:00", 52, 13, 20)
        tape.park("08:17:00", 52.09, 13, 10)
        return tape
    }

    /// The rows in key order, reports of one key merged, as a store hands them to the detector.
    package var track: [Position] { Tape.track(of: positions) }

    /// Sorts and merges as a store does.
    package static func track(of positions: [Position]) -> [Position] {
        var result: [Position] = []
        for position in positions.sorted(by: { $0.key < $1.key }) {
            if result.last?.key == position.key {
                result[result.count - 1].merge(position)
            } else {
                result.append(position)
            }
        }
        return result
    }
}
