import Telemetry

/// What lies between stops: trips, gaps, and what is neither.
extension History {
    /// One end of a trip: its row, and the place when the vehicle stood there.
    struct TripEnd {
        var index: Int
        var core: PlaceSum?

        /// The row, moved to the middle of the place when enough rows show where that is.
        func row(in rows: ContiguousArray<Row>) -> Row {
            var row = rows[index]
            guard let core, core.count >= 3 else { return row }
            row.move(to: core.mean)
            return row
        }
    }

    /// Draws what lies before an arrival, and makes the stop that is open from then on.
    mutating func drawPiece(before arrival: Int, core: PlaceSum) {
        let end = TripEnd(index: arrival, core: core)
        if stop != nil {
            let begin = TripEnd(index: departure, core: place.core)
            let isBack = place.core.distance(to: core, cosine: rows[arrival].cosine) <= settings.stopRadius
            let isNear = isBack && reach < settings.stopRadius + settings.edgeRadius
            if !isNear, let trip = trip(from: begin, .stop, to: end, .stop) {
                closeStop(at: departure)
                intervals.append(.trip(trip))
                open(at: arrival)
            } else {
                stop?.earlier += place.core
            }
            return
        }
        if arrival == segmentBegin {
            open(at: arrival)
            return
        }
        let still =
            beginsWithData ? settings.stillness(from: segmentBegin, through: arrival, in: rows) : nil
        let begin = TripEnd(index: still?.end ?? segmentBegin, core: still?.core)
        let reason: Trip.BeginReason = still != nil ? .stop : beginsWithData ? .firstData : .gap
        if begin.index < arrival, let trip = trip(from: begin, reason, to: end, .stop) {
            if let still { edgeStop(segmentBegin...still.end, core: still.core) }
            intervals.append(.trip(trip))
            open(at: arrival)
        } else {
            open(at: segmentBegin)
        }
    }

    private mutating func open(at index: Int) {
        stop = OpenStop(arrivalAt: index, in: rows)
        resumedAt = nil
    }

    /// Ends the open stop at a row.
    private mutating func closeStop(at index: Int) {
        guard var stop else { return }
        stop.advance(through: index, in: rows, settings: settings)
        intervals.append(.stop(stop.closed(departure: rows[index].timestamp, core: place.core)))
        self.stop = nil
    }

    private mutating func edgeStop(_ range: ClosedRange<Int>, core: PlaceSum) {
        var stop = OpenStop(arrivalAt: range.lowerBound, in: rows)
        stop.isEdge = true
        stop.advance(through: range.upperBound, in: rows, settings: settings)
        intervals.append(.stop(stop.closed(departure: rows[range.upperBound].timestamp, core: core)))
    }

    /// Ends the segment before a row that nothing connects with the one before it.
    mutating func breakOff(at index: Int, reason: Gap.Reason) {
        close(at: index - 1, isEndOfData: false)
        if reason == .silence { markLostSignal(at: index - 1) }
        intervals.append(.gap(gap(from: index - 1, to: index, reason: reason)))
        segmentBegin = index
        beginsWithData = false
        stop = nil
        isStaying = false
        resumedAt = nil
        window = Window(at: index)
        window.add(rows[index])
        if rows[index].isSettled { resumptions.append(Resumption(anchor: rows[index], stay: nil)) }
    }

    private func gap(from first: Int, to last: Int, reason: Gap.Reason) -> Gap {
        Gap(
            begin: rows[first].timestamp,
            end: rows[last].timestamp,
            beginPoint: rows[first].coordinate,
            endPoint: rows[last].coordinate,
            reason: reason,
            isFinal: false
        )
    }

    /// Draws everything up to a row that is the last one for now.
    mutating func close(at last: Int, isEndOfData: Bool) {
        if stop != nil {
            closeAfterStop(at: last, isEndOfData: isEndOfData)
            return
        }
        let before = beginsWithData ? settings.stillness(from: segmentBegin, through: last, in: rows) : nil
        let after = isEndOfData ? settings.stillness(backFrom: last, to: segmentBegin, in: rows) : nil
        let begin = TripEnd(index: before?.end ?? segmentBegin, core: before?.core)
        let end = TripEnd(index: after?.begin ?? last, core: after?.core)
        let beginReason: Trip.BeginReason = before != nil ? .stop : beginsWithData ? .firstData : .gap
        let endReason: Trip.EndReason = after != nil ? .stop : isEndOfData ? .lastData : .gap
        if begin.index < end.index, let trip = trip(from: begin, beginReason, to: end, endReason) {
            if let before { edgeStop(segmentBegin...before.end, core: before.core) }
            intervals.append(.trip(trip))
            if let after { edgeStop(after.begin...last, core: after.core) }
            return
        }
        var whole = PlaceSum()
        for index in segmentBegin...last { whole.add(rows[index]) }
        let isAtEnd = beginsWithData || isEndOfData
        let isStill = (segmentBegin...last).allSatisfy { whole.distance(to: rows[$0]) <= settings.edgeRadius }
        if before != nil || after != nil || isAtEnd && isStill {
            // A single position beside a gap needs no stop of its own: the gap begins or ends there.
            if segmentBegin < last || beginsWithData && isEndOfData {
                edgeStop(segmentBegin...last, core: before?.core ?? after?.core ?? whole)
            }
        } else if segmentBegin < last {
            intervals.append(.gap(gap(from: segmentBegin, to: last, reason: .tooShort)))
        }
    }

    private mutating func closeAfterStop(at last: Int, isEndOfData: Bool) {
        if isStaying || departure == last {
            closeStop(at: last)
            return
        }
        let after = isEndOfData ? settings.stillness(backFrom: last, to: departure, in: rows) : nil
        let begin = TripEnd(index: departure, core: place.core)
        let end = TripEnd(index: after?.begin ?? last, core: after?.core)
        let reason: Trip.EndReason = after != nil ? .stop : isEndOfData ? .lastData : .gap
        let isNear = reach < settings.stopRadius + settings.edgeRadius
        guard !isNear, begin.index < end.index, let trip = trip(from: begin, .stop, to: end, reason) else {
            closeStop(at: last)
            return
        }
        closeStop(at: departure)
        intervals.append(.trip(trip))
        if let after { edgeStop(after.begin...last, core: after.core) }
    }

    /// The trip between two rows, if it is as long as a trip has to be.
    private func trip(
        from begin: TripEnd,
        _ beginReason: Trip.BeginReason,
        to end: TripEnd,
        _ endReason: Trip.EndReason
    ) -> Trip? {
        let (first, last) = (begin.row(in: rows), end.row(in: rows))
        guard last.time - first.time >= settings.leastTripTime else { return nil }
        let figures = TripFigures(begin.index...end.index, begin: first, end: last, in: rows, settings: settings)
        guard Double(figures.millimetres) >= settings.leastTripDistance * 1000 else { return nil }
        var trip = Trip(
            begin: first.timestamp,
            end: last.timestamp,
            beginPoint: first.coordinate,
            endPoint: last.coordinate,
            beginReason: beginReason,
            endReason: endReason,
            positionDistance: figures.millimetres,
            odometerDistance: figures.odometer.readings >= 2 ? figures.odometer.decimetres * 100 : nil,
            distanceSource: figures.source(settings),
            moving: figures.moving,
            idle: figures.hasIgnition ? figures.idle : nil,
            highestSpeed: figures.highestSpeed,
            positionCount: Int32(clamping: end.index - begin.index + 1),
            largestHole: figures.largestHole,
            flags: figures.flags(settings),
            isFinal: false
        )
        if end.index - begin.index == 1 { trip.flags.insert(.lowQuality) }
        if end.index + 1 < rows.count, rows[end.index + 1].time - last.time >= settings.gapTime,
            settings.isLost(at: end.index, in: rows)
        {
            trip.flags.insert(.signalLost)
        }
        return trip
    }

    /// Flags a trip that ends at a row after which nothing came, if the vehicle still moved there with ignition on.
    mutating func markLostSignal(at index: Int) {
        guard case .trip(var trip) = intervals.last, trip.end == rows[index].timestamp,
            settings.isLost(at: index, in: rows)
        else { return }
        trip.flags.insert(.signalLost)
        intervals[intervals.count - 1] = .trip(trip)
    }
}

extension DetectionSettings {
    func isLost(at index: Int, in rows: ContiguousArray<Row>) -> Bool {
        rows[index].isIgnitionOn && isMoving(at: index, in: rows)
    }
}

extension Interval {
    mutating func settle(_ isFinal: Bool) {
        switch self {
        case .trip(var trip):
            trip.isFinal = isFinal
            self = .trip(trip)
        case .stop(var stop):
            stop.isFinal = isFinal
            self = .stop(stop)
        case .gap(var gap):
            gap.isFinal = isFinal
            self = .gap(gap)
        }
    }
}
