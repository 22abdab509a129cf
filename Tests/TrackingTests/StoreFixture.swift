import Telemetry
import TestSupport
import Testing
import Tracking
import TripDetection
import TripStore

/// A store in a file of its own, with what tests ask of it.
struct StoreFixture {
    let folder: TemporaryFolder
    let storage: SQLiteStorage
    var path: String { storage.path }

    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.path("store.sqlite"), mode: .create)
    }

    static let device = named("car 1")

    /// A device; the name must be a valid id.
    static func named(_ text: String) -> DeviceID {
        guard let device = DeviceID(text) else { preconditionFailure("no device id: \(text)") }
        return device
    }

    static let now = Tape.day + 30 * 86_400_000

    func recorder(
        _ configuration: Recorder.Configuration = Recorder.Configuration()
    ) async throws -> Recorder {
        try await Recorder(storage: storage, configuration: configuration) { StoreFixture.now }
    }

    /// What the store shows of a device, as one derivation.
    func history(of device: DeviceID = StoreFixture.device) async throws -> Drawn { try await Drawn(storage, device) }
}

/// A history without what may differ between two ways to it: ids, revisions, change numbers, addresses.
struct Drawn: Equatable {
    var intervals: [Interval]
    var setAside: [SetAside]

    /// What the detector draws from all positions at once.
    init(_ positions: [Position], settings: DetectionSettings = DetectionSettings(), asOf: Timestamp = StoreFixture.now)
    {
        var track = positions
        Position.sortAndMerge(&track)
        let derivation = TripDetector(settings: settings).derive(track, asOf: asOf)
        (intervals, setAside) = (derivation.intervals, derivation.setAside)
    }

    /// What a store shows.
    init(_ storage: SQLiteStorage, _ device: DeviceID) async throws {
        var query = HistoryQuery()
        query.device = device
        intervals = []
        for try await record in try await storage.trips(query) { intervals.append(.trip(record.trip)) }
        for try await record in try await storage.stops(query) { intervals.append(.stop(record.stop)) }
        for try await record in try await storage.gaps(query) { intervals.append(.gap(record.gap)) }
        intervals.sort { ($0.begin, $0.end) < ($1.begin, $1.end) }
        setAside = try await storage.setAside(query).all().map(\.setAside)
    }
}
