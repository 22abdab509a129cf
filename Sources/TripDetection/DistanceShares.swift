package import Telemetry

extension Trip {
    /// Splits the distance of a trip at instants, such as the midnights of a report's zone.
    ///
    /// The path is the trip's own; a leg over an instant is shared by time. Where the odometer is shown, its distance is
    /// shared as the path is.
    ///
    /// - Parameters:
    ///   - instants: in ascending order; those outside the trip give empty parts.
    ///   - used: the used positions from the begin to the end of the trip, both included, in time order.
    ///   - settings: the limits by which the trip was drawn.
    /// - Returns: one more part than instants, in millimetres; their sum is the trip's `distance`.
    package func distanceShares(
        at instants: [Timestamp],
        along used: [Position],
        settings: DetectionSettings
    ) -> [Int64] {
        var parts = [Double](repeating: 0, count: instants.count + 1)
        var path: Path?
        var last = begin.milliseconds
        for (index, position) in used.enumerated() {
            var row = Row(position, after: path?.last.longitude)
            let isLast = index == used.count - 1
            if index == 0 || isLast { row.move(to: index == 0 ? beginPoint : endPoint) }
            guard let before = path?.millimetres else {
                path = Path(from: row)
                continue
            }
            path?.add(row, isLast: isLast, settings: settings)
            guard let leg = path.map({ $0.millimetres - before }), leg > 0 else { continue }
            Trip.share(Double(leg), from: last, to: row.time, at: instants, among: &parts)
            last = row.time
        }
        return whole(parts)
    }

    private static func share(
        _ millimetres: Double,
        from begin: Int64,
        to end: Int64,
        at instants: [Timestamp],
        among parts: inout [Double]
    ) {
        var from = begin
        for (index, instant) in instants.enumerated() where instant.milliseconds > from {
            let until = min(instant.milliseconds, end)
            parts[index] += millimetres * Double(until - from) / Double(end - begin)
            from = until
            if from == end { return }
        }
        parts[instants.count] += millimetres * Double(end - from) / Double(end - begin)
    }

    /// Whole millimetres whose sum is the distance, each part rounded so that the sum up to it is nearest.
    private func whole(_ parts: [Double]) -> [Int64] {
        let sum = parts.reduce(0, +)
        var upToHere = 0.0
        var given: Int64 = 0
        return parts.indices.map { index in
            upToHere += parts[index]
            let target =
                index == parts.count - 1
                ? distance : Int64((sum > 0 ? Double(distance) * upToHere / sum : 0).rounded())
            defer { given = target }
            return target - given
        }
    }
}
