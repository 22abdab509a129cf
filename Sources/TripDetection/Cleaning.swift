import Telemetry

/// Decides which accepted positions are used, in the order of the stages: no fix and inaccurate, zero coordinates,
/// same time at two places, outliers.
///
/// Each stage looks at neighbours in time only, so that what is settled stays settled whatever follows.
struct Cleaning {
    private let settings: DetectionSettings
    private let worstAccuracyDecimetres: Double
    /// The used positions, in time order, never two of one instant.
    private(set) var rows: ContiguousArray<Row> = []
    /// The accuracy of the last row, in decimetres; the greatest number where it was not sent.
    private var lastAccuracy = UInt32.max
    private(set) var setAside: [SetAside] = []
    /// The last used row that is not at zero.
    private var lastElsewhere: Row?
    /// The first position after the one in hand that is a fix and not at zero, once it was looked for.
    private var nextElsewhere = 0

    init(_ positions: [Position], settings: DetectionSettings, after anchor: Row?) {
        self.settings = settings
        worstAccuracyDecimetres = settings.worstUsedAccuracy * 10
        rows.reserveCapacity(positions.count + 1)
        if let anchor { rows.append(anchor) }
        lastElsewhere = anchor
        let firstOwn = rows.count
        for index in positions.indices {
            let position = positions[index]
            if let reason = reasonAgainst(position) {
                setAside.append(SetAside(key: position.key, reason: reason))
            } else if position.coordinate.isZero, !isPlausibleZero(at: index, in: positions) {
                setAside.append(SetAside(key: position.key, reason: .zeroCoordinates))
            } else if rows.count > firstOwn, let last = rows.last, last.time == position.fixTime.milliseconds {
                choose(between: position, firstOwn: firstOwn)
            } else {
                rows.append(Row(position, after: rows.last?.longitude))
                lastAccuracy = accuracy(of: position)
                if !position.coordinate.isZero { lastElsewhere = rows.last }
            }
        }
        let outliers = Outliers(in: &rows, highestSpeed: settings.highestPlausibleSpeed, isFirstSettled: anchor != nil)
        outliers.remove(from: &rows, into: &setAside)
        setAside.sort { $0.key < $1.key }
    }

    /// Hands the used rows over.
    mutating func takeRows() -> ContiguousArray<Row> {
        defer { rows = [] }
        return rows
    }

    private func reasonAgainst(_ position: Position) -> SetAside.Reason? {
        if !position.has(.invalidFix), !position.has(.accuracy) { return nil }
        if position.has(.invalidFix) { return .noFix }
        if position.has(.accuracy), Double(position.accuracyDecimetres) > worstAccuracyDecimetres {
            return .inaccurate
        }
        return nil
    }

    /// A vehicle may truly be at zero latitude and longitude: when those before and after it were near enough to get
    /// there within the gap time at a plausible speed.
    private mutating func isPlausibleZero(at index: Int, in positions: [Position]) -> Bool {
        let zero = Row(positions[index], after: nil)
        func isPlausible(_ neighbour: Row) -> Bool {
            (neighbour.time - zero.time).magnitude <= settings.gapTime
                && zero.speed(to: neighbour) <= settings.highestPlausibleSpeed
        }
        var before = lastElsewhere
        before?.count(onFrom: 0)
        nextElsewhere = max(nextElsewhere, index + 1)
        while nextElsewhere < positions.count,
            positions[nextElsewhere].coordinate.isZero || reasonAgainst(positions[nextElsewhere]) != nil
        { nextElsewhere += 1 }
        let after = nextElsewhere < positions.count ? Row(positions[nextElsewhere], after: nil) : nil
        guard before != nil || after != nil else { return false }
        return before.map(isPlausible) ?? true && after.map(isPlausible) ?? true
    }

    /// Of two places in one instant takes the better accuracy, then the one nearer to the row before, then the lesser.
    private mutating func choose(between position: Position, firstOwn: Int) {
        let last = rows[rows.count - 1]
        let rival = Row(position, after: last.longitude)
        let key = Position.Key(fixTime: last.timestamp, coordinate: last.coordinate)
        if key == position.key { return }  // the store merges reports of one key
        let rivalAccuracy = accuracy(of: position)
        var isBetter = false
        if rivalAccuracy != lastAccuracy {
            isBetter = rivalAccuracy < lastAccuracy
        } else if rows.count > 1 {
            let before = rows[rows.count - 2]
            let (own, others) = (before.distance(to: last), before.distance(to: rival))
            isBetter = own != others ? others < own : rival.coordinate < last.coordinate
        } else {
            isBetter = rival.coordinate < last.coordinate
        }
        if isBetter {
            rows[rows.count - 1] = rival
            lastAccuracy = rivalAccuracy
            if !rival.isZero { lastElsewhere = rival }
        }
        setAside.append(SetAside(key: isBetter ? key : position.key, reason: .sameTime))
    }

    private func accuracy(of position: Position) -> UInt32 {
        position.has(.accuracy) ? position.accuracyDecimetres : .max
    }
}

extension Position {
    /// Whether a field is present, or a two-valued one is true.
    @inline(__always)
    func has(_ field: Fields) -> Bool { fields.rawValue & field.rawValue != 0 }
}
