import Telemetry

/// Goes through the used rows once and draws the intervals.
///
/// The vehicle either stays at the place of the open stop, or is under way since its departure from it, or since the
/// segment's first row when a gap or nothing at all lies before.
struct History {
    let rows: ContiguousArray<Row>
    let settings: DetectionSettings
    var intervals: [Interval] = []
    var resumptions: [Resumption] = []

    /// The first row after the last gap, or of the data.
    var segmentBegin = 0
    var beginsWithData = true
    /// The stop that the vehicle is in or has left last in this segment.
    var stop: OpenStop?
    /// The place of that stop.
    var place = Place()
    var isStaying = false
    /// The last row at the place: the departure, unless a later row is there too.
    var departure = 0
    /// The farthest from the place since it was left, in metres.
    var reach = 0.0
    var window = Window(at: 0)
    /// The time of the last resumption in the open stop.
    var resumedAt: Int64?

    init(_ rows: ContiguousArray<Row>, settings: DetectionSettings, resuming resumption: Resumption?) {
        self.rows = rows
        self.settings = settings
        beginsWithData = resumption == nil
        guard let stay = resumption?.stay else { return }
        stop = stay.stop
        place = stay.place
        isStaying = true
        resumedAt = rows[0].time
    }

    mutating func draw(asOf: Timestamp) {
        guard let last = rows.last else { return }
        if !isStaying { window.add(rows[0]) }
        for index in rows.indices.dropFirst() { take(index) }
        close(at: rows.count - 1, isEndOfData: true)
        let isQuiet = asOf.milliseconds - last.time >= settings.gapTime
        let settled = resumptions.last?.intervalBegin.milliseconds ?? .min
        for index in intervals.indices {
            intervals[index].settle(isQuiet || intervals[index].begin.milliseconds < settled)
        }
        if isQuiet { markLostSignal(at: rows.count - 1) }
    }

    private mutating func take(_ index: Int) {
        if isStaying {
            if place.all.isWithin(settings.stopRadius, of: rows[index]) {
                stay(index)
                return
            }
            isStaying = false
            reach = 0
            window = Window(at: index)
        }
        let previous = rows[index - 1]
        let isSilent = rows[index].time - previous.time >= settings.gapTime
        if settings.isJump(to: rows[index], since: previous.time) {
            breakOff(at: index, reason: .jump)
            return
        }
        if stop != nil {
            let distance = place.core.distance(to: rows[index])
            if distance <= settings.edgeRadius, reach < settings.stopRadius + settings.edgeRadius {
                isStaying = true
                stay(index)
                return
            }
            reach = max(reach, distance)
        }
        if isSilent {
            if rows[index].leg > settings.stopRadius {
                breakOff(at: index, reason: .silence)
            } else {
                window = Window(at: index - 1)
                window.add(previous)
                window.add(rows[index])
                let first = max(index - 1, earliest)
                let arrival = settings.arrival(at: window.sum, first: first, last: index, earliest: earliest, in: rows)
                settle(core: window.sum, arrival: arrival, isKnownSince: index)
            }
            return
        }
        while !window.isEmpty, !window.sum.isWithin(settings.stopRadius, of: rows[index]) {
            if lasts(window), case .stay(let core, let arrival) = settings.examine(window, earliest: earliest, in: rows)
            {
                settle(core: core, arrival: arrival, isKnownSince: index)
                take(index)
                return
            }
            window.shrink(rows)
        }
        if window.isEmpty { window = Window(at: index) }
        window.add(rows[index])
        examineWindow()
    }

    /// The first row that a new stay may have.
    private var earliest: Int { stop == nil ? segmentBegin : departure + 1 }

    private func lasts(_ window: Window) -> Bool {
        !window.isEmpty && rows[window.end - 1].time - rows[window.first].time >= settings.stopTime
    }

    /// Makes a stay of the window if it is one by now.
    private mutating func examineWindow() {
        while window.count >= window.examinedAgainAt, lasts(window) {
            switch settings.examine(window, earliest: earliest, in: rows) {
            case .stay(let core, let arrival):
                settle(core: core, arrival: arrival, isKnownSince: window.end - 1)
                return
            case .travelling:
                window.shrink(rows)
            case .notYet:
                window.examinedAgainAt = window.count + window.count / 4 + 1
            }
        }
    }

    /// Takes a further row of the stay.
    private mutating func stay(_ index: Int) {
        let row = rows[index]
        place.all.add(row)
        let distance = place.core.distance(to: row)
        if distance <= settings.edgeRadius {
            place.core.add(row)
            place.beside = PlaceSum()
            let time = row.time - rows[index - 1].time
            if !settings.isReceding(from: place.lastDistance, to: distance, in: time) { departure = index }
        } else {
            if place.beside.count == 0 || place.beside.distance(to: row) > settings.edgeRadius {
                place.beside = PlaceSum()
                place.besideSince = row.time
            }
            place.beside.add(row)
            if row.isParked(settings) { departure = index }
            if row.time - place.besideSince >= settings.stopTime { moveBeside(index) }
        }
        place.lastDistance = distance
        offerResumption(at: index)
    }

    /// The vehicle has moved within the stop radius and rests there.
    private mutating func moveBeside(_ index: Int) {
        stop?.earlier += place.core
        place.core = place.beside
        place.beside = PlaceSum()
        departure = index
    }

    private mutating func offerResumption(at index: Int) {
        guard rows[index].isSettled, departure == index, place.beside.count == 0 else { return }
        if let resumedAt, rows[index].time - resumedAt < settings.gapTime { return }
        guard var stop else { return }
        stop.advance(through: index, in: rows, settings: settings)
        self.stop = stop
        resumedAt = rows[index].time
        resumptions.append(Resumption(anchor: rows[index], stay: Resumption.Stay(stop: stop, place: place)))
    }

    /// The vehicle came to rest: ends what was before, and begins or continues a stop.
    ///
    /// - Parameters:
    ///   - core: the rows at the place.
    ///   - arrival: the row at which it came to rest.
    ///   - evidence: the row that showed it; nothing is settled before it.
    private mutating func settle(core: PlaceSum, arrival: Int, isKnownSince evidence: Int) {
        drawPiece(before: arrival, core: core)
        place = Place()
        place.core = core
        for index in arrival..<window.end {
            place.all.add(rows[index])
            let distance = core.distance(to: rows[index])
            if distance <= settings.edgeRadius, index > arrival {
                let time = rows[index].time - rows[index - 1].time
                if !settings.isReceding(from: place.lastDistance, to: distance, in: time) { departure = index }
            } else if index == arrival {
                departure = index
            }
            place.lastDistance = distance
        }
        isStaying = true
        if evidence < window.end { offerResumption(at: window.end - 1) }
    }
}
