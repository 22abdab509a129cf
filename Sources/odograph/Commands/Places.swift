import Arguments
import Foundation
import Reports
import Telemetry
import TripStore

/// The commands about names that the user gives to places.
enum PlaceCommands {
    static let all = [add, list, remove, importing]

    static let at = Option("at", value: "LAT,LON", help: "Centre of a circle, in degrees.")
    static let radius = Option("radius", value: "METRES", help: "Radius of the circle, 1 to 100000; default 100.")
    static let polygon = Option("polygon", value: "FILE", help: "A GeoJSON polygon, or a feature that is one.")

    static let add = Command<Action>(
        "places add",
        summary: "give a circle or a polygon a name, which is shown instead of addresses",
        discussion: ["A place of that name is replaced. Trips that are there already are shown with it, too."],
        operands: [Operand("NAME", help: "What is shown: 'Depot North'.")],
        options: [at, radius, polygon],
        examples: [
            Example("odograph places add 'Depot North' --at 60.2055,24.6559 --radius 150", "A circle."),
            Example("odograph places add Harbour --polygon harbour.geojson", "A polygon drawn on a map."),
        ]
    ) { context in
        let shape = try PlaceCommands.shape(context)
        guard !context.operands[0].allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.usage, "a place needs a name that can be seen")
        }
        let store = try await context.openStore(.share)
        let count = try await store.setUserPlaces([UserPlace(name: context.operands[0], shape: shape)])
        await store.close()
        Terminal.say("Shown for \(Measure.count(Int64(count), "trip")).")
        return .success
    }

    static let list = Command<Action>(
        "places list",
        summary: "list the places that have a name",
        options: Option.report.filter { $0 != .zone },
        examples: [Example("odograph places list", "All of them with their size.")]
    ) { context in
        let style = try context.style()
        let store = try await context.openStore()
        let places = try await store.userPlaces()
        await store.close()
        try await context.write(
            RecordStream(places),
            columns: Column.places,
            table: TableColumn.places,
            style: style
        )
        if places.isEmpty, style.format == .table { Terminal.say("No place has a name yet.") }
        return .success
    }

    static let remove = Command<Action>(
        "places remove",
        summary: "take a place's name away; addresses are shown again",
        operands: [Operand("NAME", help: "As odograph places list shows it.")],
        examples: [Example("odograph places remove 'Depot North'", "Trips there show the address again.")]
    ) { context in
        let store = try await context.openStore(.share)
        let count = try await store.removeUserPlace(named: context.operands[0])
        await store.close()
        guard let count else { throw CommandFailure(.noInput, "there is no place \(context.operands[0])") }
        Terminal.say("The address is shown again for \(Measure.count(Int64(count), "trip")).")
        return .success
    }

    static let importing = Command<Action>(
        "places import",
        summary: "read places with names from GeoJSON",
        discussion: [
            "Of each feature: the name from its property name, and a polygon with its holes, or a point with the property "
                + "radius in metres (100 without). Places of the same names are replaced."
        ],
        operands: [Operand("FILE", help: "A feature collection, as drawing tools on maps write it.")],
        examples: [Example("odograph places import depots.geojson", "All at once.")]
    ) { context in
        let path = context.operands[0]
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "\(path) cannot be read")
        }
        guard let reading = GeoJSONPlaces(Array(data)) else {
            throw CommandFailure(.badData, "\(path) is no GeoJSON")
        }
        for note in reading.notes { Terminal.say("\(path): \(note)") }
        guard !reading.places.isEmpty else { throw CommandFailure(.badData, "\(path) has no place with a name") }
        let store = try await context.openStore(.share)
        let count = try await store.setUserPlaces(reading.places)
        await store.close()
        Terminal.say(
            "\(Measure.count(Int64(reading.places.count), "place")), shown for \(Measure.count(Int64(count), "trip"))."
        )
        return .success
    }

    private static func shape(_ context: Context) throws -> UserPlace.Shape {
        switch (context.invocation[at], context.invocation[polygon]) {
        case (let text?, nil):
            let radius = context.invocation[radius].map(Double.init) ?? 100
            guard let radius, (1...100_000).contains(radius) else {
                throw CommandFailure(.usage, "--radius is 1 to 100000 metres")
            }
            let parts = text.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
                let centre = Coordinate(latitude: latitude, longitude: longitude)
            else { throw CommandFailure(.usage, "--at takes latitude and longitude in degrees: 60.2055,24.6559") }
            return .circle(centre: centre, radius: radius)
        case (nil, let path?):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(.noInput, "\(path) cannot be read")
            }
            guard let rings = GeoJSONPolygon.rings(Array(data)) else {
                throw CommandFailure(.badData, "\(path) is no GeoJSON polygon")
            }
            return .polygon(rings)
        case (_?, _?): throw CommandFailure(.usage, "a place is a circle or a polygon: --at or --polygon, not both")
        default: throw CommandFailure(.usage, "say where: --at LAT,LON or --polygon FILE")
        }
    }
}
