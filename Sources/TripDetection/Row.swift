import Telemetry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What detection needs to know of one used position, ready for arithmetic.
struct Row {
    /// Milliseconds since 1970.
    var time: Int64
    var coordinate: Coordinate
    /// 1e-7 degrees, counted on across the antimeridian, so that differences and means need no care.
    var longitude: Int64
    /// Of the latitude.
    var cosine: Double
    var odometerDecimetres: Int64
    var speedCentimetresPerSecond: UInt16
    var fields: Position.Fields
    /// The distance from the row before, in metres; 0 in the first row.
    var leg = 0.0
    /// No later position can put it aside, nor any row before it.
    var isSettled = false

    /// Takes a position over, its longitude counted on from the row before.
    init(_ position: Position, after previous: Int64?) {
        time = position.fixTime.milliseconds
        coordinate = position.coordinate
        longitude = Int64(position.coordinate.longitudeE7)
        cosine = Row.cosine(position.coordinate.latitudeE7)
        odometerDecimetres = position.odometerDecimetres
        speedCentimetresPerSecond = position.speedCentimetresPerSecond
        fields = position.fields
        if let previous { count(onFrom: previous) }
    }

    /// Whether a field is present, or a two-valued one is true.
    @inline(__always)
    func has(_ field: Position.Fields) -> Bool { fields.rawValue & field.rawValue != 0 }

    /// Metres in 1e-7 degrees of latitude.
    static let metres = Coordinate.earthRadius * radians
    static let radians = Double.pi / 180e7
    static let turn: Int64 = 3_600_000_000

    /// The same angle in 1e-7 degrees, by the shorter way around.
    static func lessThanHalfATurn(_ angle: Int64) -> Int64 {
        let rest = angle % turn
        return rest > turn / 2 ? rest - turn : rest <= -turn / 2 ? rest + turn : rest
    }

    static func cosine(_ latitude: Int32) -> Double { cos(Double(latitude) * radians) }

    /// Shifts the longitude by whole turns to within half a turn of another one; exactly half a turn goes east.
    mutating func count(onFrom previous: Int64) {
        longitude = previous + Row.lessThanHalfATurn(longitude - previous)
    }

    /// Puts the row at another place nearby.
    mutating func move(to place: Coordinate) {
        let previous = longitude
        coordinate = place
        longitude = Int64(place.longitudeE7)
        cosine = Row.cosine(place.latitudeE7)
        count(onFrom: previous)
    }

    /// 1e-7 degrees.
    var latitude: Int64 { Int64(coordinate.latitudeE7) }

    var isZero: Bool { coordinate.isZero }

    var timestamp: Timestamp { Timestamp(milliseconds: time) }

    /// The distance in metres: on a plane between neighbours, on the sphere for what is farther.
    func distance(to other: Row) -> Double {
        let north = Double(other.latitude - latitude)
        let east = Double(other.longitude - longitude)
        guard north.magnitude < 1e6, east.magnitude < 1e6, cosine > 0.05 else {
            return coordinate.distance(to: other.coordinate)
        }
        let x = east * (cosine + other.cosine) * 0.5
        return (north * north + x * x).squareRoot() * Row.metres
    }

    /// Whether the leg that leads here, begun at a time, is faster than a speed; less than a second counts as one.
    func isFaster(than speed: Double, since begin: Int64) -> Bool {
        leg * 1000 > speed * Double(max(1000, time - begin))
    }

    /// The speed in metres a second that it takes to another row; less than a second counts as one.
    func speed(to other: Row) -> Double {
        distance(to: other) * 1000 / Double(max(1000, (other.time - time).magnitude))
    }

    var hasIgnition: Bool { has(.ignition) }
    var isIgnitionOn: Bool { has(.ignitionOn) }
}

extension Coordinate {
    /// From 1e-7 degrees, with a longitude that may have been counted on across the antimeridian.
    init(latitude: Int64, longitude: Int64) {
        self.init(latitudeE7: Int32(latitude), longitudeE7: Int32(Row.lessThanHalfATurn(longitude)))
    }
}

/// The sum of places in whole numbers: a mean that does not depend on the order or on where summing began.
struct PlaceSum: Hashable, Sendable {
    var count: Int64 = 0
    var latitude: Int64 = 0
    /// Of the longitudes less the reference, so that it stays small.
    var longitude: Int64 = 0
    var reference: Int64 = 0

    mutating func add(_ row: Row) { add(row, weight: 1) }

    /// Adds a row as often as a whole number says.
    mutating func add(_ row: Row, weight: Int64) {
        if count == 0 { reference = row.longitude }
        count += weight
        latitude += row.latitude * weight
        longitude += (row.longitude - reference) * weight
    }

    mutating func remove(_ row: Row) {
        count -= 1
        latitude -= row.latitude
        longitude -= row.longitude - reference
    }

    static func += (left: inout PlaceSum, right: PlaceSum) {
        if left.count == 0 { left.reference = right.reference }
        left.count += right.count
        left.latitude += right.latitude
        left.longitude += right.longitude + right.count * (right.reference - left.reference)
    }

    /// Refers the sum to the longitude of a row, counted anew from the wrapped one.
    mutating func refer(to row: Row) {
        longitude += count * (reference - row.longitude)
        reference = Int64(row.coordinate.longitudeE7)
    }

    /// The distance from the mean to a row in metres, for places a few hundred kilometres apart at most.
    func distance(to row: Row) -> Double {
        let north = Double(count * row.latitude - latitude)
        let east = Double(count * (row.longitude - reference) - longitude) * row.cosine
        return (north * north + east * east).squareRoot() * Row.metres / Double(count)
    }

    /// Whether a row lies within a radius of the mean, in metres.
    func isWithin(_ radius: Double, of row: Row) -> Bool {
        let north = Double(count * row.latitude - latitude)
        let east = Double(count * (row.longitude - reference) - longitude) * row.cosine
        let limit = radius * Double(count) * (1 / Row.metres)
        return north * north + east * east <= limit * limit
    }

    /// The distance between two means in metres.
    func distance(to other: PlaceSum, cosine: Double) -> Double {
        let north = Double(roundedLatitude - other.roundedLatitude)
        let east = Double(roundedLongitude - other.roundedLongitude) * cosine
        return (north * north + east * east).squareRoot() * Row.metres
    }

    /// The mean; at least one place must have been added.
    var mean: Coordinate { Coordinate(latitude: roundedLatitude, longitude: roundedLongitude) }

    private var roundedLatitude: Int64 { PlaceSum.quotient(latitude, count) }
    private var roundedLongitude: Int64 { reference + PlaceSum.quotient(longitude, count) }

    /// The nearest whole number, halves upwards, so that shifting by whole numbers shifts the result.
    private static func quotient(_ sum: Int64, _ count: Int64) -> Int64 {
        let doubled = 2 * sum + count
        let divisor = 2 * count
        let towardsZero = doubled / divisor
        return doubled % divisor < 0 ? towardsZero - 1 : towardsZero
    }
}
