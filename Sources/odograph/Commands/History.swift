import Arguments
import Foundation
import Reports
import Telemetry
import TripStore

/// The commands that list what was drawn from the positions.
enum HistoryCommands {
    static let all = [trips, stops, gaps, setAside]

    static let trips = Command<Action>(
        "trips",
        summary: "list trips with their begin and end",
        discussion: [
            "Lists the trips that overlap the span, all there are without one, ordered by device and begin. "
                + "An open trip is shown up to its latest position. While an address is still looked for, the table "
                + "shows coordinates; an address that may become finer has a ~ before it.",
            "The columns of CSV are a contract: new ones are only appended. CSV is UTF-8 by RFC 4180, its lines end "
                + "in CR LF, and a text that begins with = + - @ ' tab or carriage return gets one apostrophe before "
                + "it. JSON has the same keys, with the addresses in parts.",
        ] + .timeForms,
        options: Option.history + [TripCommand.format] + Option.report.filter { $0 != .format },
        examples: [
            Example("odograph trips --day yesterday --zone Europe/Berlin", "Yesterday's trips, as seen in Berlin."),
            Example("odograph trips --vehicle 'Van 7' --since -7d", "The last seven days of one vehicle."),
            Example(
                "odograph trips --day 2026-03 --format csv --separator ';' --bom > march.csv",
                "A month for a spreadsheet."
            ),
            Example("odograph trips --format ndjson | jq .distance_m", "One JSON object a line, for other programs."),
            Example("odograph trips --day today --format geojson > today.geojson", "Today's ways for a map."),
        ]
    ) { context in
        let format: TripFormat = try context.choice(TripCommand.format) ?? .table
        _ = try context.csvStyle(for: format.rawValue)
        switch format {
        case .geojson: return try await context.listPaths(by: GeoJSONFormatter(zone: try context.zone()))
        case .gpx: return try await context.listPaths(by: GPXFormatter())
        case .table, .csv, .json, .ndjson: break
        }
        return try await context.list(
            "trips",
            columns: Column.trips,
            table: TableColumn.trips,
            records: { try await $0.trips($1) },
            addresses: { [$0.beginAddress, $0.endAddress] }
        )
    }

    static let stops = Command<Action>(
        "stops",
        summary: "list stops with arrival, departure and idle time",
        discussion: .timeForms,
        options: Option.history + Option.report,
        examples: [
            Example("odograph stops --day today", "Where everybody stood today."),
            Example("odograph stops --vehicle 'Van 7' --format csv", "All stops of one vehicle."),
        ]
    ) { context in
        try await context.list(
            "stops",
            columns: Column.stops,
            table: TableColumn.stops,
            records: { try await $0.stops($1) },
            addresses: { [$0.address] }
        )
    }

    static let gaps = Command<Action>(
        "gaps",
        summary: "list spans about which nothing is known",
        discussion: .timeForms,
        options: Option.history + Option.report,
        examples: [Example("odograph gaps --since -30d", "Where data were missing in the last thirty days.")]
    ) { context in
        try await context.list(
            "gaps",
            columns: Column.gaps,
            table: TableColumn.gaps,
            records: { try await $0.gaps($1) }
        )
    }

    static let setAside = Command<Action>(
        "set-aside",
        summary: "list accepted positions that no trip uses, with the reason",
        discussion: [
            "They are kept: settings or later data may bring them back. What was refused outright is listed by "
                + "odograph quarantine."
        ] + .timeForms,
        options: Option.history + Option.report,
        examples: [
            Example("odograph set-aside --vehicle 'Van 7' --day yesterday", "Why a track looks the way it does.")
        ]
    ) { context in
        try await context.list(
            "positions set aside",
            columns: Column.setAside,
            table: TableColumn.setAside,
            records: { try await $0.setAside($1) }
        )
    }
}

extension Context {
    /// Lists what overlaps the asked span, of one vehicle or all.
    fileprivate func list<Record: Sendable>(
        _ name: String,
        columns: [Column<Record>],
        table: [TableColumn<Record>],
        records: (any TrackStorage, HistoryQuery) async throws -> RecordStream<Record>,
        addresses: (Record) -> [AddressState] = { _ in [] }
    ) async throws -> ExitCode {
        let style = try style()
        var query = try historyQuery(zone: style.zone)
        let store = try await openStore()
        if let vehicle = try oneVehicle() { query.device = try await device(ofVehicle: vehicle, in: store) }
        let count = try await write(
            try await records(store, query),
            columns: columns,
            table: table,
            style: style,
            addresses: addresses
        )
        if count == 0, style.format == .table { Terminal.say("No \(name) here.") }
        await store.close()
        return .success
    }

    /// Writes the trips that overlap the asked span, each with its way.
    fileprivate func listPaths(by formatter: some RecordFormatter<TripPath>) async throws -> ExitCode {
        var query = try historyQuery(zone: try zone())
        let store = try await openStore()
        if let vehicle = try oneVehicle() { query.device = try await device(ofVehicle: vehicle, in: store) }
        let output = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output")
        var formatter = formatter
        formatter.begin(&output.buffer)
        for try await record in try await store.trips(query) {
            formatter.append(
                TripPath(record: record, path: try await store.path(of: record.id) ?? []),
                to: &output.buffer
            )
            try output.flushIfFull()
        }
        formatter.end(&output.buffer)
        try output.flush()
        await store.close()
        return .success
    }

    /// What `--vehicle` says; twice is refused, since the trips of one would be missing silently.
    private func oneVehicle() throws -> String? {
        let names = Set(invocation.all(.vehicle))
        guard names.count < 2 else {
            throw CommandFailure(.usage, "--vehicle takes one vehicle; without it all are listed")
        }
        return names.first
    }

    /// The device of a vehicle, which may be named by either.
    func device(ofVehicle name: String, in store: any TrackStorage) async throws -> DeviceID {
        var named: DeviceID?
        for try await vehicle in try await store.vehicles() {
            if vehicle.device.text == name { return vehicle.device }
            if vehicle.vehicle == name { named = vehicle.device }
        }
        guard let named else {
            throw CommandFailure(.noInput, "there is no vehicle \(name); see odograph vehicles list")
        }
        return named
    }
}
