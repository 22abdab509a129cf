import Arguments
import Foundation
import Reports
import TripStore

/// One trip in full.
enum TripCommand {
    static let format = Option(
        "format",
        value: "FORMAT",
        help: "One of \(TripFormat.allCases.map(\.rawValue).joined(separator: ", ")); default table. geojson and gpx "
            + "carry the path, and so does json of a single trip."
    )

    static let command = Command<Action>(
        "trip",
        summary: "show one trip in full, with its path",
        operands: [Operand("ID", help: "As odograph trips shows it.")],
        options: [format, .zone, .separator, .byteOrderMark],
        examples: [
            Example("odograph trip 0k3v9", "All that is known of a trip, for people."),
            Example("odograph trip 0k3v9 --format gpx > trip.gpx", "Its path for a map."),
        ]
    ) { context in
        let zone = try context.zone()
        let format: TripFormat = try context.choice(format) ?? .table
        let csv = try context.csvStyle(for: format.rawValue)
        guard let id = TripID(context.operands[0]) else {
            throw CommandFailure(.noInput, "\(context.operands[0]) is no id of a trip; odograph trips shows them")
        }
        let store = try await context.openStore()
        guard let record = try await store.trip(id) else {
            throw CommandFailure(.noInput, "there is no trip \(id.text)")
        }
        let trip = TripPath(record: record, path: try await store.path(of: id) ?? [])
        switch format {
        case .table: try context.write(trip.sheet(zone: zone))
        case .json, .ndjson: try context.write(JSON.trip(trip, zone: zone).text + "\n")
        case .csv:
            try context.write(
                [record],
                by: CSVFormatter(columns: Column.trips, style: csv, zone: zone)
            )
        case .geojson: try context.write([trip], by: GeoJSONFormatter(zone: zone))
        case .gpx: try context.write([trip], by: GPXFormatter())
        }
        if format == .table { context.sayAttributions(of: [record.beginAddress, record.endAddress]) }
        await store.close()
        return .success
    }
}
