import Telemetry

extension Row {
    func isReportedMoving(_ settings: DetectionSettings) -> Bool {
        has(.speed) && Double(speedCentimetresPerSecond) >= settings.movingSpeed * 100
    }

    /// The device says that the ignition is off, and not that the vehicle moves.
    func isParked(_ settings: DetectionSettings) -> Bool {
        hasIgnition && !isIgnitionOn && !isReportedMoving(settings)
    }
}

extension DetectionSettings {
    /// Whether the engine ran over a leg while the vehicle stood.
    ///
    /// Ignition on at both ends and no movement: by the reported speeds where both were sent, else by the leg.
    func isIdle(from: Row, to: Row) -> Bool {
        guard from.isIgnitionOn, to.isIgnitionOn else { return false }
        if from.has(.speed), to.has(.speed) {
            return !from.isReportedMoving(self) && !to.isReportedMoving(self)
        }
        return from.speed(to: to) < movingSpeed
    }

    /// Whether a row was still under way: by its reported speed, else by the leg that leads to it.
    func isMoving(at index: Int, in rows: ContiguousArray<Row>) -> Bool {
        if rows[index].has(.speed) { return rows[index].isReportedMoving(self) }
        return index > 0 && rows[index - 1].speed(to: rows[index]) >= movingSpeed
    }
}

/// The path of a trip, while its rows are gone through.
///
/// A row that is hardly away from the last counted one is taken for drift and left out; what truly was way is counted
/// from there by a later row.
struct Path {
    /// How near, in metres; where the device says that it stands, and else.
    static let (driftStanding, drift) = (15.0, 3.0)
    private(set) var millimetres: Int64 = 0
    /// The last counted row.
    private(set) var last: Row

    init(from first: Row) { last = first }

    mutating func add(_ row: Row, isLast: Bool, settings: DetectionSettings) {
        let distance = last.distance(to: row)
        let isStanding = row.has(.speed) && !row.isReportedMoving(settings)
        guard distance >= (isStanding ? Path.driftStanding : Path.drift) || isLast else { return }
        millimetres += Int64((distance * 1000).rounded())
        last = row
    }
}

/// The odometer over a trip: the sum of its plausible steps, and what was wrong with it.
struct OdometerSum {
    private(set) var decimetres: Int64 = 0
    private(set) var readings = 0
    private(set) var wasReset = false
    private var last: Row?
    private var beginsWithReading: Bool?
    private var endsWithReading = false

    /// Read at the first row and at the last.
    var coversTrip: Bool { readings >= 2 && beginsWithReading == true && endsWithReading }

    /// A step back is a reset; a step farther than the plausible speed allows counts for nothing, as after one.
    mutating func add(_ row: Row, highestSpeed: Double) {
        endsWithReading = row.has(.odometer)
        if beginsWithReading == nil { beginsWithReading = endsWithReading }
        guard endsWithReading else { return }
        readings += 1
        defer { last = row }
        guard let last else { return }
        let step = row.odometerDecimetres - last.odometerDecimetres
        if step < 0 || Double(step) * 100 > highestSpeed * Double(max(1000, row.time - last.time)) {
            wasReset = true
        } else {
            decimetres += step
        }
    }
}

/// Everything that is told about a trip, as the aggregate of its rows.
struct TripFigures {
    var millimetres: Int64 = 0
    var moving: Int64 = 0
    var idle: Int64 = 0
    var hasIgnition: Bool { fields.contains(.ignition) }
    var highestSpeed: Int32 = 0
    var largestHole: Int64 = 0
    var fields: Position.Fields = []
    var odometer = OdometerSum()

    /// - Parameters:
    ///   - range: from the first row of the trip to its last.
    ///   - begin: the first row, at the begin point.
    ///   - end: the last row, at the end point.
    ///   - rows: all used rows.
    ///   - settings: the limits.
    init(
        _ range: ClosedRange<Int>,
        begin: Row,
        end: Row,
        in rows: ContiguousArray<Row>,
        settings: DetectionSettings
    ) {
        var path = Path(from: begin)
        take(begin, settings: settings)
        var previous = begin
        var mark = begin
        for index in range.dropFirst() {
            let row = index == range.upperBound ? end : rows[index]
            path.add(row, isLast: index == range.upperBound, settings: settings)
            take(row, settings: settings)
            let time = row.time - previous.time
            largestHole = max(largestHole, time)
            if previous.speed(to: row) >= settings.movingSpeed { moving += time }
            if settings.isIdle(from: previous, to: row) { idle += time }
            takeSpeed(from: &mark, over: previous, to: row, settings: settings)
            previous = row
        }
        millimetres = path.millimetres
    }

    /// Where no speed was sent, measures it over five seconds at least, since noise makes short legs fast; a leg that
    /// no vehicle can have gone starts the measuring anew.
    private mutating func takeSpeed(
        from mark: inout Row,
        over previous: Row,
        to row: Row,
        settings: DetectionSettings
    ) {
        if row.has(.speed) && previous.has(.speed) || previous.speed(to: row) > settings.highestPlausibleSpeed {
            mark = row
        } else if row.time - mark.time >= 5000 {
            let speed = mark.speed(to: row)
            if speed <= settings.highestPlausibleSpeed {
                highestSpeed = max(highestSpeed, Int32((speed * 100).rounded()))
            }
            mark = row
        }
    }

    private mutating func take(_ row: Row, settings: DetectionSettings) {
        fields.formUnion(row.fields)
        odometer.add(row, highestSpeed: settings.highestPlausibleSpeed)
        if row.has(.speed),
            Double(row.speedCentimetresPerSecond) <= settings.highestPlausibleSpeed * 100
        {
            highestSpeed = max(highestSpeed, Int32(row.speedCentimetresPerSecond))
        }
    }

    /// The odometer stood still although the vehicle did not.
    private var isOdometerStuck: Bool { odometer.readings >= 2 && odometer.decimetres == 0 && millimetres > 0 }

    func flags(_ settings: DetectionSettings) -> Trip.Flags {
        var flags: Trip.Flags = []
        if largestHole >= settings.stopTime { flags.insert(.hole) }
        if odometer.wasReset { flags.insert(.odometerReset) }
        if isOdometerStuck { flags.insert(.odometerStuck) }
        if fields.contains(.timeCorrected) { flags.insert(.timeCorrected) }
        return flags
    }

    /// The odometer is shown where it lives: read at both ends, neither reset nor stuck, and in accord with the path;
    /// over a hole it may have seen more of the way.
    func source(_ settings: DetectionSettings) -> Trip.DistanceSource {
        guard odometer.coversTrip, !odometer.wasReset, !isOdometerStuck else { return .positions }
        let ratio = Double(odometer.decimetres) * 100 / Double(max(1, millimetres))
        return ratio >= 0.8 && ratio <= (largestHole >= settings.stopTime ? 4 : 1.25) ? .odometer : .positions
    }
}
