/// Where the vehicle stays, while rows come in.
struct Place: Hashable, Sendable {
    /// All rows of the stay: a further one belongs to it within the stop radius of their mean.
    var all = PlaceSum()
    /// The rows at the place itself: within the edge radius of their mean.
    var core = PlaceSum()
    /// Rows beside the core since the last one in it; when they last, they are the place from then on.
    var beside = PlaceSum()
    /// The time of the first of them.
    var besideSince: Int64 = 0
    /// How far the last row was from the core, in metres.
    var lastDistance = 0.0
}

/// A window of rows that may turn out to be a stay: each within the stop radius of the mean of those before it.
struct Window {
    /// The first row.
    var first: Int
    /// One past the last row.
    var end: Int
    var sum = PlaceSum()
    /// No fewer rows are worth another examination.
    var examinedAgainAt = 0

    init(at index: Int) {
        first = index
        end = index
    }

    var isEmpty: Bool { first == end }
    var count: Int { end - first }

    mutating func add(_ row: Row) {
        sum.add(row)
        end += 1
    }

    /// Lets go of the oldest rows: a sixteenth, so that long windows cost no more than short ones.
    mutating func shrink(_ rows: ContiguousArray<Row>) {
        for _ in 0..<max(1, count / 16) {
            sum.remove(rows[first])
            first += 1
        }
        examinedAgainAt = 0
    }
}

/// What a window is.
enum Finding {
    /// The vehicle is creeping on: no stay begins with the first row.
    case travelling
    /// Not at one place for the stop time, so far.
    case notYet
    /// A stay: the rows at the place have this sum, and at this one the vehicle came to rest.
    case stay(core: PlaceSum, arrival: Int)
}

extension DetectionSettings {
    /// Judges whether a window of rows that lasts the stop time is a stay.
    ///
    /// - Parameters:
    ///   - window: the rows to judge.
    ///   - earliest: no row before it can belong to a stay.
    ///   - rows: all used rows.
    /// - Returns: what it is as far as its rows tell.
    func examine(_ window: Window, earliest: Int, in rows: ContiguousArray<Row>) -> Finding {
        if isTravelling(window, in: rows) { return .travelling }
        var centre = window.sum
        var core = PlaceSum()
        var (first, last) = (window.first, window.end - 1)
        for _ in 0..<3 {
            var next = PlaceSum()
            core = PlaceSum()
            (first, last) = (-1, -1)
            for index in window.first..<window.end where centre.distance(to: rows[index]) <= edgeRadius {
                core.add(rows[index])
                next.add(rows[index], weight: weight(of: index, in: window, rows))
                if first < 0 { first = index }
                last = index
            }
            if core.count == 0 { return .notYet }
            centre = next
        }
        let arrival = arrival(at: core, first: max(first, earliest), last: last, earliest: earliest, in: rows)
        let departure = departure(from: core, last: last, first: arrival, in: rows)
        return rows[departure].time - rows[arrival].time >= stopTime ? .stay(core: core, arrival: arrival) : .notYet
    }

    /// The seconds for which a row stands: half of the time from the one before to the one after; at least one.
    ///
    /// A red light near the place, seen by a device that reports more often under way, must not weigh more than the
    /// place itself.
    private func weight(of index: Int, in window: Window, _ rows: ContiguousArray<Row>) -> Int64 {
        let before = rows[max(window.first, index - 1)].time
        let after = rows[min(window.end - 1, index + 1)].time
        return max(1, min(after - before, 2 * stopTime) / 2000)
    }

    /// Compares the means of the first and the last third of the first stop time; an empty third proves nothing.
    private func isTravelling(_ window: Window, in rows: ContiguousArray<Row>) -> Bool {
        let begin = rows[window.first].time
        var early = PlaceSum()
        var late = PlaceSum()
        for index in window.first..<window.end {
            let elapsed = rows[index].time - begin
            if elapsed > stopTime { break }
            if 3 * elapsed <= stopTime { early.add(rows[index]) }
            if 3 * elapsed >= 2 * stopTime { late.add(rows[index]) }
        }
        if early.count == 0 || late.count == 0 { return false }
        return early.distance(to: late, cosine: rows[window.first].cosine) > stopRadius / 2
    }
}
