package import Telemetry

/// Decides whether one report is accepted, looking at it alone: its values, when it was received, how it came.
///
/// Never at other reports: the set of accepted positions must not depend on order of arrival.
package struct Admission: Sendable {
    package enum Transport: Sendable {
        /// A file keeps its dates.
        case file
        /// A device that reports now: a date moved back by 1024 weeks, as old receivers send, is put right.
        case live
    }

    /// When the reports were received; it goes into each position.
    package var receivedTime: Timestamp
    package var transport: Transport
    /// How far after `receivedTime` a fix may be, in milliseconds; equality is accepted.
    package var futureTolerance: Int64

    /// - Parameters:
    ///   - receivedTime: the clock, or what a forwarder says about it.
    ///   - transport: whether the reports come from a recording or live.
    ///   - futureToleranceSeconds: the setting `future tolerance`.
    package init(receivedTime: Timestamp, transport: Transport = .file, futureToleranceSeconds: Int64 = 300) {
        self.receivedTime = receivedTime
        self.transport = transport
        futureTolerance = futureToleranceSeconds * 1000
    }

    /// Why a report is refused.
    package struct Problem: Equatable, Sendable {
        package var reason: Refusal.Reason
        /// What was expected and what was found, naming the field.
        package var detail: String

        package init(_ reason: Refusal.Reason, _ detail: String) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// The span by which a GPS week counter of ten bits rolls over once, in milliseconds: 7168 days.
    static let rollover: Int64 = 7168 * 86_400_000

    /// Judges a fix time.
    ///
    /// - Parameters:
    ///   - milliseconds: UTC since 1970-01-01; any value.
    ///   - position: takes the time and the received time, and the flag when the time was corrected.
    /// - Returns: why it is refused, if it is.
    @inline(__always)
    func admit(time milliseconds: Int64, into position: inout Position) -> Problem? {
        position.receivedTime = receivedTime
        position.fixTime = Timestamp(milliseconds: milliseconds)
        let latest = receivedTime.milliseconds + futureTolerance
        guard milliseconds >= Timestamp.earliest.milliseconds, milliseconds <= latest else {
            return Admission.timeProblem(position.fixTime, latest: latest)
        }
        if transport == .live {
            let corrected = milliseconds + Admission.rollover
            if corrected >= receivedTime.milliseconds - 7 * 86_400_000, corrected <= latest {
                position.fixTime = Timestamp(milliseconds: corrected)
                position.fields.rawValue |= Position.Fields.timeCorrected.rawValue
            }
        }
        return nil
    }

    @inline(never)
    private static func timeProblem(_ time: Timestamp, latest: Int64) -> Problem {
        if time < .earliest || time > .latest {
            return Problem(
                .timeOutOfRange,
                "the fix time must lie between 1900 and 9999, found \(time.milliseconds) ms"
            )
        }
        return Problem(
            .inTheFuture,
            "the fix time \(time.iso8601()) is after \(Timestamp(milliseconds: latest).iso8601()), "
                + "the received time and the tolerance"
        )
    }

    /// Judges a whole report and writes it in stored precision.
    ///
    /// - Returns: nil when it was accepted into `position`, which it then describes completely.
    func admit(_ report: Report, into position: inout Position) -> Problem? {
        guard report.hasTime else { return Problem(.noTime, "the report has no fix time") }
        guard report.hasLatitude, report.hasLongitude else {
            return Problem(.noCoordinates, "the report has no \(report.hasLatitude ? "longitude" : "latitude")")
        }
        guard let coordinate = Coordinate(latitude: report.latitude, longitude: report.longitude) else {
            return Admission.coordinateProblem(latitude: report.latitude, longitude: report.longitude)
        }
        position = Position(fixTime: Timestamp(milliseconds: 0), coordinate: coordinate)
        if let problem = admit(time: report.fixTimeMilliseconds, into: &position) { return problem }
        position.attributes = report.attributes
        position.fields.rawValue |= report.present & Report.flags
        guard report.present & Report.numbers != 0 else { return nil }
        return admitNumbers(of: report, into: &position)
    }

    // Written without the set operations of `Position.Fields`, which are not specialised across modules and would cost
    // more than everything else.
    private func admitNumbers(of report: Report, into position: inout Position) -> Problem? {
        let present = report.present
        var kept: UInt16 = 0
        if present & Report.speed != 0, !(report.speed < 0) {
            guard report.speed <= Position.highestSpeed else {
                return Admission.outOfRange("speed", report.speed, "0 to 655.35 m/s")
            }
            position.speedCentimetresPerSecond = UInt16((report.speed * 100).rounded())
            kept |= Report.speed
        }
        if present & Report.heading != 0, !(report.heading < 0) {
            guard report.heading <= 360 else {
                return Admission.outOfRange("heading", report.heading, "0 to 360 degrees")
            }
            let decidegrees = UInt16((report.heading * 10).rounded())
            position.headingDecidegrees = decidegrees == 3600 ? 0 : decidegrees
            kept |= Report.heading
        }
        if present & Report.altitude != 0 {
            guard report.altitude >= -100_000, report.altitude <= 100_000_000 else {
                return Admission.outOfRange("altitude", report.altitude, "-100 000 to 100 000 000 m")
            }
            position.altitudeDecimetres = Int32((report.altitude * 10).rounded())
            kept |= Report.altitude
        }
        if present & Report.accuracy != 0, !(report.accuracy < 0) {
            guard report.accuracy <= 100_000_000 else {
                return Admission.outOfRange("accuracy", report.accuracy, "0 to 100 000 000 m")
            }
            position.accuracyDecimetres = UInt32((report.accuracy * 10).rounded())
            kept |= Report.accuracy
        }
        if present & Report.hdop != 0, !(report.hdop < 0) {
            guard report.hdop <= 655.35 else { return Admission.outOfRange("hdop", report.hdop, "0 to 655.35") }
            position.hdopHundredths = UInt16((report.hdop * 100).rounded())
            kept |= Report.hdop
        }
        if present & Report.satellites != 0, !(report.satellites < 0) {
            guard report.satellites <= 255 else {
                return Admission.outOfRange("satellites", report.satellites, "0 to 255")
            }
            position.satelliteCount = UInt8(report.satellites)
            kept |= Report.satellites
        }
        if present & Report.odometer != 0 {
            guard report.odometer >= 0, report.odometer <= 1e12 else {
                return Admission.outOfRange("odometer", report.odometer, "0 to 1e12 m")
            }
            position.odometerDecimetres = Int64((report.odometer * 10).rounded())
            kept |= Report.odometer
        }
        position.fields.rawValue |= kept
        return nil
    }

    @inline(never)
    static func outOfRange(_ field: String, _ value: Double, _ range: String) -> Problem {
        Problem(.valueOutOfRange, "\(field) must be \(range), found \(value)")
    }

    @inline(never)
    static func coordinateProblem(latitude: Double, longitude: Double) -> Problem {
        latitude.magnitude <= 90
            ? Problem(.badCoordinates, "longitude must be -180 to 180 degrees, found \(longitude)")
            : Problem(.badCoordinates, "latitude must be -90 to 90 degrees, found \(latitude)")
    }
}
