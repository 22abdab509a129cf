/// Departure and arrival themselves, not the moments at which they were noticed.
extension DetectionSettings {
    /// Walks from a row at a place to the row of the arrival.
    ///
    /// Backwards over rows that are at the place too, then forwards while the vehicle still comes nearer at the moving
    /// speed.
    ///
    /// - Parameters:
    ///   - core: the rows at the place.
    ///   - first: a row at the place.
    ///   - last: the last row at the place that is known.
    ///   - earliest: no row before it may be taken.
    ///   - rows: all used rows.
    /// - Returns: the row at which the vehicle came to rest.
    func arrival(at core: PlaceSum, first: Int, last: Int, earliest: Int, in rows: ContiguousArray<Row>) -> Int {
        var index = first
        while index > earliest, core.distance(to: rows[index - 1]) <= edgeRadius { index -= 1 }
        var distance = core.distance(to: rows[index])
        while index < last {
            let next = core.distance(to: rows[index + 1])
            guard (distance - next) * 1000 >= movingSpeed * Double(rows[index + 1].time - rows[index].time) else {
                break
            }
            index += 1
            distance = next
        }
        return index
    }

    /// Walks back from a row at a place to the row of the departure: while the vehicle was going away already.
    func departure(from core: PlaceSum, last: Int, first: Int, in rows: ContiguousArray<Row>) -> Int {
        var index = last
        while index > first,
            isReceding(
                from: core.distance(to: rows[index - 1]),
                to: core.distance(to: rows[index]),
                in: rows[index].time - rows[index - 1].time
            )
        { index -= 1 }
        return index
    }

    /// Whether the vehicle goes away from a place at the moving speed between two rows.
    func isReceding(from distance: Double, to next: Double, in milliseconds: Int64) -> Bool {
        (next - distance) * 1000 >= movingSpeed * Double(milliseconds)
    }

    /// The still rows at the beginning of a piece at the first end of the data: the last of them, and their sum.
    ///
    /// - Returns: nil when they last less than a tenth of the stop time.
    func stillness(from first: Int, through last: Int, in rows: ContiguousArray<Row>) -> (end: Int, core: PlaceSum)? {
        var core = PlaceSum()
        core.add(rows[first])
        var end = first
        while end < last, core.distance(to: rows[end + 1]) <= edgeRadius {
            end += 1
            core.add(rows[end])
        }
        while end > first, end < last,
            isReceding(
                from: core.distance(to: rows[end - 1]),
                to: core.distance(to: rows[end]),
                in: rows[end].time - rows[end - 1].time
            )
        {
            core.remove(rows[end])
            end -= 1
        }
        return rows[end].time - rows[first].time >= stopTime / 10 ? (end, core) : nil
    }

    /// The still rows at the end of a piece at the last end of the data: the first of them, and their sum.
    ///
    /// - Returns: nil when they last less than a tenth of the stop time.
    func stillness(backFrom last: Int, to first: Int, in rows: ContiguousArray<Row>) -> (begin: Int, core: PlaceSum)? {
        var core = PlaceSum()
        core.add(rows[last])
        var begin = last
        while begin > first, core.distance(to: rows[begin - 1]) <= edgeRadius {
            begin -= 1
            core.add(rows[begin])
        }
        while begin < last, begin > first,
            isReceding(
                from: core.distance(to: rows[begin + 1]),
                to: core.distance(to: rows[begin]),
                in: rows[begin + 1].time - rows[begin].time
            )
        {
            core.remove(rows[begin])
            begin += 1
        }
        return rows[last].time - rows[begin].time >= stopTime / 10 ? (begin, core) : nil
    }
}
