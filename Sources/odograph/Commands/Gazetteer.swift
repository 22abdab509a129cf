import Arguments
import Foundation
import Gazetteer
import Reports
import Telemetry

/// The commands about the offline index.
enum GazetteerCommands {
    static let all = [lookup]

    static let language = Option(
        "language",
        value: "TAG",
        help: "Language of names where the source has them: en, de, ru; default en."
    )
    static let format = Option("format", value: "FORMAT", help: "table or json; default table.")

    enum LookupFormat: String, CaseIterable {
        case table, json
    }

    static let lookup = Command<Action>(
        "gazetteer lookup",
        summary: "say what the offline index knows about a point",
        discussion: [
            "Asks no network and no store. Beyond 50 km from the nearest town nothing is known: exit code 0, and null "
                + "in JSON."
        ],
        operands: [
            Operand("LAT", help: "Latitude in degrees, north positive."),
            Operand("LON", help: "Longitude in degrees, east positive."),
        ],
        options: [language, format],
        examples: [
            Example("odograph gazetteer lookup 60.2055 24.6559", "The town at a point in Finland."),
            Example("odograph gazetteer lookup -33.86 151.21 --language ru", "South is negative; names in Russian."),
        ]
    ) { context in
        let format: LookupFormat = try context.choice(format) ?? .table
        guard let latitude = Double(context.operands[0]), let longitude = Double(context.operands[1]),
            let point = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw CommandFailure(.usage, "LAT is -90 to 90 and LON is -180 to 180 degrees, with a decimal point")
        }
        let gazetteer = OfflineGazetteer(sources: [try GazetteerFiles.openTowns()])
        let answer = try gazetteer.answer(at: point, language: context.invocation[language] ?? "en")
        switch format {
        case .json: try context.write((answer.map(GazetteerCommands.json) ?? .null).text + "\n")
        case .table:
            guard let answer else {
                Terminal.say("Nothing is known at \(Measure.point(point)).")
                return .success
            }
            try context.write(GazetteerCommands.sheet(answer))
            Terminal.say(answer.attribution)
        }
        return .success
    }

    private static func sheet(_ answer: GazetteerAnswer) -> String {
        let parts: [(String, String?)] = [
            ("Line", answer.line),
            ("House", answer.house),
            ("Street", answer.street),
            ("District", answer.district),
            ("Town", answer.town),
            ("Region", answer.region),
            ("Country", answer.country),
            ("Code", answer.countryCode),
            ("Postcode", answer.postcode),
            ("Time zone", answer.timeZone),
            ("Level", "\(answer.level)"),
            ("Distance", Measure.distance(millimetres: Int64((answer.distance * 1000).rounded()))),
            ("Point", Measure.point(answer.point)),
            ("People", answer.population.map { Measure.count(Int64($0)) }),
        ]
        return Sheet(parts).text
    }

    private static func json(_ answer: GazetteerAnswer) -> JSON {
        .object([
            ("line", .string(answer.line)),
            ("level", .string("\(answer.level)")),
            ("house", .string(answer.house)),
            ("street", .string(answer.street)),
            ("district", .string(answer.district)),
            ("town", .string(answer.town)),
            ("region", .string(answer.region)),
            ("country", .string(answer.country)),
            ("country_code", .string(answer.countryCode)),
            ("postcode", .string(answer.postcode)),
            ("time_zone", .string(answer.timeZone)),
            ("language", .string(answer.nameLanguage)),
            ("distance_m", .thousandths(Int64((answer.distance * 1000).rounded()))),
            ("bearing", .thousandths(Int64((answer.bearing * 1000).rounded()))),
            ("latitude", .degrees(answer.point.latitudeE7)),
            ("longitude", .degrees(answer.point.longitudeE7)),
            ("population", answer.population.map { .integer(Int64($0)) } ?? .null),
            ("attribution", .string(answer.attribution)),
        ])
    }
}
