import Telemetry
import TripDetection
import TripStore

/// Finds what changed between the history that is stored and the one that was drawn anew.
enum HistoryDifference {
    /// - Parameters:
    ///   - device: the device.
    ///   - old: what is stored in the span that was drawn anew.
    ///   - intervals: what was drawn.
    ///   - setAside: positions that were not used, in the same span.
    ///   - resumptions: what shall be kept of the settled boundaries in it.
    /// - Returns: rows that go and come; nothing when both are the same.
    static func change(
        of device: DeviceNumber,
        from old: StoredHistory,
        to intervals: [Interval],
        setAside: [SetAside],
        resumptions: [Resumption]
    ) -> HistoryChange {
        var change = HistoryChange(device: device)
        var trips: [Trip] = []
        var stops: [Stop] = []
        var gaps: [Gap] = []
        for interval in intervals {
            switch interval {
            case .trip(let trip): trips.append(trip)
            case .stop(let stop): stops.append(stop)
            case .gap(let gap): gaps.append(gap)
            }
        }
        matchTrips(old.trips, trips, &change)
        (change.removedStops, change.putStops) = keyed(old.stops, stops, \.arrival)
        (change.removedGaps, change.putGaps) = keyed(old.gaps, gaps, \.begin)
        (change.removedSetAside, change.putSetAside) = keyed(old.setAside, setAside, \.key)
        let (gone, new) = keyed(old.resumptions, resumptions, \.from)
        change.removedResumptions = old.resumptions.filter { gone.contains($0.from) }
        change.putResumptions = new
        return change
    }

    /// Compares rows in the order of a key that is theirs alone.
    private static func keyed<Row: Equatable, Key: Comparable & Hashable>(
        _ old: [Row],
        _ new: [Row],
        _ key: (Row) -> Key
    ) -> (removed: [Key], put: [Row]) {
        var (removed, put): ([Key], [Row]) = ([], [])
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if j == new.count || (i < old.count && key(old[i]) < key(new[j])) {
                removed.append(key(old[i]))
                i += 1
            } else if i == old.count || key(new[j]) < key(old[i]) {
                put.append(new[j])
                j += 1
            } else {
                if old[i] != new[j] { put.append(new[j]) }
                i += 1
                j += 1
            }
        }
        return (removed, put)
    }

    /// Gives each new trip the id of the old one of greatest overlap in time, of equal ones the earlier.
    private static func matchTrips(_ old: [StoredTrip], _ new: [Trip], _ change: inout HistoryChange) {
        // Trips that did not change overlap nothing better: they go first.
        var oldLeft: [StoredTrip] = []
        var newLeft: [Trip] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, old[i].trip == new[j] {
                i += 1
                j += 1
            } else if j == new.count || (i < old.count && old[i].trip.begin <= new[j].begin) {
                oldLeft.append(old[i])
                i += 1
            } else {
                newLeft.append(new[j])
                j += 1
            }
        }
        var pairs: [(overlap: Int64, old: Int, new: Int)] = []
        var from = 0
        for (index, trip) in newLeft.enumerated() {
            while from < oldLeft.count, oldLeft[from].trip.end <= trip.begin { from += 1 }
            var candidate = from
            while candidate < oldLeft.count, oldLeft[candidate].trip.begin < trip.end {
                let known = oldLeft[candidate].trip
                let overlap = min(known.end, trip.end) - max(known.begin, trip.begin)
                if overlap > 0 { pairs.append((overlap, candidate, index)) }
                candidate += 1
            }
        }
        pairs.sort { ($1.overlap, $0.old, $0.new) < ($0.overlap, $1.old, $1.new) }
        var oldTaken = Set<Int>()
        var newTaken = Set<Int>()
        for pair in pairs where !oldTaken.contains(pair.old) && !newTaken.contains(pair.new) {
            oldTaken.insert(pair.old)
            newTaken.insert(pair.new)
            change.revisedTrips.append(StoredTrip(id: oldLeft[pair.old].id, trip: newLeft[pair.new]))
        }
        change.revisedTrips.sort { $0.trip.begin < $1.trip.begin }
        change.removedTrips = oldLeft.indices.filter { !oldTaken.contains($0) }.map { oldLeft[$0].id }
        change.newTrips = newLeft.indices.filter { !newTaken.contains($0) }.map { newLeft[$0] }
    }
}
