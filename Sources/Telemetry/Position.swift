/// One fix of a device, normalised to the precision in which it is stored: integers only, so that it can be compared
/// and kept exactly.
///
/// A field that was not sent is absent, never zero: `fields` says which are present, and the computed properties in SI
/// units are nil for the rest. The stored integers of absent fields are zero. 64 bytes, no references.
@frozen
package struct Position: Hashable, Sendable {
    /// The time of the fix, by the receiver's clock.
    package var fixTime: Timestamp
    /// When Odograph first received it; never part of what trips depend on.
    package var receivedTime: Timestamp
    package var coordinate: Coordinate
    /// Content hash of the attributes that came with it (`AttributeSet.reference`), 0 for none.
    package var attributes: UInt64
    /// The device's own counter, in decimetres.
    package var odometerDecimetres: Int64
    /// Above the ellipsoid or the sea, as the device has it, in decimetres.
    package var altitudeDecimetres: Int32
    /// Radius within which the device believes itself to be, in decimetres.
    package var accuracyDecimetres: UInt32
    /// In centimetres a second.
    package var speedCentimetresPerSecond: UInt16
    /// Clockwise from true north in tenths of a degree, 0 to 3599.
    package var headingDecidegrees: UInt16
    /// Horizontal dilution of precision in hundredths.
    package var hdopHundredths: UInt16
    package var satelliteCount: UInt8
    /// Which of the optional fields are present, and the values of the two-valued ones.
    package var fields: Fields

    @inlinable
    package init(fixTime: Timestamp, coordinate: Coordinate, receivedTime: Timestamp = Timestamp(milliseconds: 0)) {
        self.fixTime = fixTime
        self.coordinate = coordinate
        self.receivedTime = receivedTime
        attributes = 0
        odometerDecimetres = 0
        altitudeDecimetres = 0
        accuracyDecimetres = 0
        speedCentimetresPerSecond = 0
        headingDecidegrees = 0
        hdopHundredths = 0
        satelliteCount = 0
        fields = []
    }

    /// Presence of optional fields, and two-valued facts.
    @frozen
    package struct Fields: OptionSet, Hashable, Sendable {
        package var rawValue: UInt16
        @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

        @inlinable package static var speed: Fields { Fields(rawValue: 1 << 0) }
        @inlinable package static var heading: Fields { Fields(rawValue: 1 << 1) }
        @inlinable package static var altitude: Fields { Fields(rawValue: 1 << 2) }
        @inlinable package static var accuracy: Fields { Fields(rawValue: 1 << 3) }
        @inlinable package static var hdop: Fields { Fields(rawValue: 1 << 4) }
        @inlinable package static var satellites: Fields { Fields(rawValue: 1 << 5) }
        @inlinable package static var odometer: Fields { Fields(rawValue: 1 << 6) }
        /// The device said whether the ignition is on.
        @inlinable package static var ignition: Fields { Fields(rawValue: 1 << 7) }
        /// The ignition is on; only together with `ignition`.
        @inlinable package static var ignitionOn: Fields { Fields(rawValue: 1 << 8) }
        /// The device said that this is no valid fix.
        @inlinable package static var invalidFix: Fields { Fields(rawValue: 1 << 9) }
        /// The fix time was moved forward by 7168 days because the receiver's week counter had rolled over.
        @inlinable package static var timeCorrected: Fields { Fields(rawValue: 1 << 10) }
    }
}

extension Position {
    /// The largest speed that can be stored, in metres a second.
    @inlinable package static var highestSpeed: Double { 655.35 }

    /// In metres a second; values are rounded to the nearest 0.01 and must be 0 to `highestSpeed`.
    @inlinable package var speed: Double? {
        get { fields.contains(.speed) ? Double(speedCentimetresPerSecond) / 100 : nil }
        set { speedCentimetresPerSecond = UInt16(set(newValue, .speed, scale: 100)) }
    }

    /// In degrees clockwise from true north; values are rounded to the nearest 0.1 and taken modulo 360.
    @inlinable package var heading: Double? {
        get { fields.contains(.heading) ? Double(headingDecidegrees) / 10 : nil }
        set { headingDecidegrees = UInt16(set(newValue, .heading, scale: 10).truncatingRemainder(dividingBy: 3600)) }
    }

    /// In metres, rounded to the nearest 0.1; -100 000 to 100 000 000.
    @inlinable package var altitude: Double? {
        get { fields.contains(.altitude) ? Double(altitudeDecimetres) / 10 : nil }
        set { altitudeDecimetres = Int32(set(newValue, .altitude, scale: 10)) }
    }

    /// In metres, rounded to the nearest 0.1; 0 to 100 000 000.
    @inlinable package var accuracy: Double? {
        get { fields.contains(.accuracy) ? Double(accuracyDecimetres) / 10 : nil }
        set { accuracyDecimetres = UInt32(set(newValue, .accuracy, scale: 10)) }
    }

    /// Rounded to the nearest 0.01; 0 to 655.35.
    @inlinable package var hdop: Double? {
        get { fields.contains(.hdop) ? Double(hdopHundredths) / 100 : nil }
        set { hdopHundredths = UInt16(set(newValue, .hdop, scale: 100)) }
    }

    @inlinable package var satellites: Int? {
        get { fields.contains(.satellites) ? Int(satelliteCount) : nil }
        set { satelliteCount = UInt8(set(newValue.map(Double.init), .satellites, scale: 1)) }
    }

    /// In metres, rounded to the nearest 0.1; 0 to 1e12.
    @inlinable package var odometer: Double? {
        get { fields.contains(.odometer) ? Double(odometerDecimetres) / 10 : nil }
        set { odometerDecimetres = Int64(set(newValue, .odometer, scale: 10)) }
    }

    @inlinable package var ignition: Bool? {
        get { fields.contains(.ignition) ? fields.contains(.ignitionOn) : nil }
        set {
            fields.subtract([.ignition, .ignitionOn])
            if let newValue { fields.formUnion(newValue ? [.ignition, .ignitionOn] : .ignition) }
        }
    }

    /// Notes presence and scales to the stored unit; 0 when absent.
    @inlinable
    mutating func set(_ value: Double?, _ field: Fields, scale: Double) -> Double {
        guard let value else {
            fields.remove(field)
            return 0
        }
        fields.insert(field)
        return (value * scale).rounded()
    }
}

extension Position {
    /// What makes two reports the same position of a device: the millisecond and the place.
    @frozen
    package struct Key: Hashable, Comparable, Sendable {
        package var fixTime: Timestamp
        package var coordinate: Coordinate

        @inlinable
        package init(fixTime: Timestamp, coordinate: Coordinate) {
            self.fixTime = fixTime
            self.coordinate = coordinate
        }

        @inlinable
        package static func < (left: Key, right: Key) -> Bool {
            left.fixTime != right.fixTime ? left.fixTime < right.fixTime : left.coordinate < right.coordinate
        }
    }

    @inlinable package var key: Key { Key(fixTime: fixTime, coordinate: coordinate) }
}
