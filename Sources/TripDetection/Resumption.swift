package import Telemetry

/// A settled boundary from which a derivation can go on without the positions before it.
///
/// Everything before `from` has been taken in: its set-aside positions and the intervals that begin before
/// `intervalBegin` cannot change any more, whatever comes at or after `from`.
///
/// How a store uses it. It keeps the resumptions of a device with its intervals. New positions, the earliest at time t:
/// take the last kept resumption with `from` at or before t (none: everything is read again), read the positions from
/// `from` on, derive, and replace the intervals that begin at or after `intervalBegin` and the set-aside positions at
/// or after `from`. To stop early after late data, read only up to some later time: as soon as one of the new
/// resumptions equals a kept one, all that was kept from its `intervalBegin` and its `from` on is still right.
package struct Resumption: Hashable, Sendable {
    /// The first instant whose positions have to be read again.
    package let from: Timestamp
    /// Where the first interval begins that a derivation from here gives.
    package let intervalBegin: Timestamp

    /// The last row that was taken in.
    let anchor: Position
    /// The stop that the vehicle was in; nil where a gap had just ended.
    let stay: Stay?

    /// A stop in progress.
    struct Stay: Hashable, Sendable {
        var stop: OpenStop
        var place: Place
    }

    init(anchor: Row, stay: Stay?) {
        var position = Position(fixTime: anchor.timestamp, coordinate: anchor.coordinate)
        position.odometerDecimetres = anchor.odometerDecimetres
        position.speedCentimetresPerSecond = anchor.speedCentimetresPerSecond
        position.fields = anchor.fields.intersection(Resumption.keptFields)
        // Turns around the globe are counted from the anchor on, however often it was circled before.
        var stay = stay
        stay?.place.all.refer(to: anchor)
        stay?.place.core.refer(to: anchor)
        stay?.place.beside.refer(to: anchor)
        stay?.stop.earlier.refer(to: anchor)
        stay?.stop.counted = 0
        stay?.place.besideSince = 0
        self.anchor = position
        self.stay = stay
        from = anchor.timestamp + 1
        intervalBegin = stay.map { Timestamp(milliseconds: $0.stop.arrival) } ?? anchor.timestamp
    }
}

extension Resumption {
    /// The version of `bytes`, its first byte.
    private static let version: UInt8 = 2
    private static let wordCount = 20
    private static let keptFields: Position.Fields = [.speed, .odometer, .ignition, .ignitionOn, .timeCorrected]

    /// All of it as a store keeps it: a version and little-endian 64-bit words.
    package var bytes: [UInt8] {
        let position = anchor
        var words: [Int64] = [
            position.fixTime.milliseconds, Int64(position.coordinate.latitudeE7),
            Int64(position.coordinate.longitudeE7), position.odometerDecimetres,
            Int64(position.speedCentimetresPerSecond), Int64(position.fields.rawValue),
        ]
        if let stay {
            let (stop, place) = (stay.stop, stay.place)
            words += [
                stop.arrival, stop.positionCount, stop.idle,
                (stop.hasIgnition ? 1 : 0) | (stop.isUnknown ? 2 : 0) | (stop.isEdge ? 4 : 0),
            ]
            for sum in [place.all, place.core, stop.earlier] { words += [sum.count, sum.latitude, sum.longitude] }
            words.append(Int64(bitPattern: place.lastDistance.bitPattern))
        }
        return [Resumption.version]
            + words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// Reads what `bytes` wrote; nil for anything else, such as what another version wrote.
    package init?(bytes: [UInt8]) {
        guard bytes.first == Resumption.version, bytes.count == 1 + 8 * 6 || bytes.count == 1 + 8 * Resumption.wordCount
        else { return nil }
        let words = stride(from: 1, to: bytes.count, by: 8).map { start in
            (0..<8).reduce(Int64(0)) { $0 | Int64(bytes[start + $1]) << (8 * $1) }
        }
        guard let latitude = Int32(exactly: words[1]), let longitude = Int32(exactly: words[2]),
            let speed = UInt16(exactly: words[4]), let fields = UInt16(exactly: words[5])
        else { return nil }
        var position = Position(
            fixTime: Timestamp(milliseconds: words[0]),
            coordinate: Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        )
        position.odometerDecimetres = words[3]
        position.speedCentimetresPerSecond = speed
        position.fields = Position.Fields(rawValue: fields)
        anchor = position
        from = position.fixTime + 1
        guard words.count == Resumption.wordCount else {
            stay = nil
            intervalBegin = position.fixTime
            return
        }
        func sum(_ index: Int) -> PlaceSum {
            PlaceSum(
                count: words[index],
                latitude: words[index + 1],
                longitude: words[index + 2],
                reference: Int64(longitude)
            )
        }
        var stop = OpenStop(arrival: words[6])
        stop.positionCount = words[7]
        stop.idle = words[8]
        stop.hasIgnition = words[9] & 1 != 0
        stop.isUnknown = words[9] & 2 != 0
        stop.isEdge = words[9] & 4 != 0
        stop.earlier = sum(16)
        var place = Place()
        place.all = sum(10)
        place.core = sum(13)
        place.beside.reference = Int64(longitude)
        place.lastDistance = Double(bitPattern: UInt64(bitPattern: words[19]))
        guard place.all.count > 0, place.core.count > 0 else { return nil }
        stay = Stay(stop: stop, place: place)
        intervalBegin = Timestamp(milliseconds: stop.arrival)
    }
}
