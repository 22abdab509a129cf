extension Position {
    /// Joins another report of the same key into this one, with the same result in any order.
    ///
    /// Field by field, present beats absent, and of two present values the better accuracy (the smaller) or else the
    /// greater value stays; a valid fix beats one marked invalid; the first received time stays.
    package mutating func merge(_ other: Position) {
        precondition(key == other.key, "only reports of one key merge")
        let onlyOther = other.fields.subtracting(fields)
        let both = other.fields.intersection(fields)
        func joined<T: Comparable>(_ own: T, _ theirs: T, _ field: Fields) -> T {
            if onlyOther.contains(field) { return theirs }
            return both.contains(field) ? max(own, theirs) : own
        }
        if onlyOther.contains(.accuracy) {
            accuracyDecimetres = other.accuracyDecimetres
        } else if both.contains(.accuracy) {
            accuracyDecimetres = min(accuracyDecimetres, other.accuracyDecimetres)
        }
        speedCentimetresPerSecond = joined(speedCentimetresPerSecond, other.speedCentimetresPerSecond, .speed)
        headingDecidegrees = joined(headingDecidegrees, other.headingDecidegrees, .heading)
        altitudeDecimetres = joined(altitudeDecimetres, other.altitudeDecimetres, .altitude)
        hdopHundredths = joined(hdopHundredths, other.hdopHundredths, .hdop)
        satelliteCount = joined(satelliteCount, other.satelliteCount, .satellites)
        odometerDecimetres = joined(odometerDecimetres, other.odometerDecimetres, .odometer)
        attributes = max(attributes, other.attributes)
        receivedTime = min(receivedTime, other.receivedTime)
        let isInvalid = both.contains(.invalidFix)
        let isCorrected = both.contains(.timeCorrected)
        fields.formUnion(other.fields)
        if !isInvalid { fields.remove(.invalidFix) }
        if !isCorrected { fields.remove(.timeCorrected) }
    }
}
