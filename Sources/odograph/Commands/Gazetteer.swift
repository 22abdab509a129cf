import Arguments
import Foundation
import Gazetteer
import Reports
import Telemetry

/// The commands about the offline index.
enum GazetteerCommands {
    static let all = [importing, list, lookup, search]

    static let language = Option(
        "language",
        value: "TAG",
        help: "Language of names where the source has them: en, de, ru; default en."
    )
    static let format = Option("format", value: "FORMAT", help: "table or json; default table.")
    static let languages = Option(
        "languages",
        value: "TAGS",
        help: "Languages to keep names in besides the one that the map gives first; default en,ru."
    )
    static let extracts = Option(
        "extracts",
        value: "DIR",
        help: "The folder of imported extracts; default ODOGRAPH_EXTRACTS, else gazetteer beside the store."
    )
    static let explanation = Option("explain", help: "Also say what was weighed, for each extract.")

    enum LookupFormat: String, CaseIterable {
        case table, json
    }

    static let lookup = Command<Action>(
        "gazetteer lookup",
        summary: "say what the offline index knows about a point",
        discussion: [
            "Asks no network and no store: imported extracts, and the towns of the world. Beyond 50 km from the nearest "
                + "town nothing is known: exit code 0, and null in JSON."
        ],
        operands: [
            Operand("LAT", help: "Latitude in degrees, north positive."),
            Operand("LON", help: "Longitude in degrees, east positive."),
        ],
        options: [language, format, extracts, explanation],
        examples: [
            Example("odograph gazetteer lookup 60.2055 24.6559", "The town at a point in Finland."),
            Example("odograph gazetteer lookup -33.86 151.21 --language ru", "South is negative; names in Russian."),
            Example("odograph gazetteer lookup 60.1689 24.9422 --explain", "Why this house, and which others."),
        ]
    ) { context in
        let format: LookupFormat = try context.choice(format) ?? .table
        guard let latitude = Double(context.operands[0]), let longitude = Double(context.operands[1]),
            let point = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw CommandFailure(.usage, "LAT is -90 to 90 and LON is -180 to 180 degrees, with a decimal point")
        }
        let tag = context.invocation[language] ?? "en"
        let gazetteer = try context.openGazetteer()
        let answer = try gazetteer.answer(at: point, language: tag)
        if context.invocation.has(explanation) {
            for case let extract as ExtractIndex in gazetteer.sources {
                let said = try extract.explain(at: point, language: tag).explanation
                guard said.house != nil || said.street != nil || said.interpolated != nil else { continue }
                let parts: [(String, String?)] = [
                    ("House", said.house), ("Interpolated", said.interpolated), ("Street", said.street),
                    ("Verdict", said.verdict),
                ]
                Terminal.say("\(extract.file.info["name"] ?? extract.file.path)\n\(Sheet(parts).text)")
            }
        }
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

    static let importing = Command<Action>(
        "gazetteer import",
        summary: "make house addresses of OpenStreetMap extracts",
        discussion: [
            "Reads extracts in PBF, as Geofabrik and others publish them for every region, and writes an index for each: "
                + "addresses, streets, settlements. All indexes are asked together; importing a newer extract of the "
                + "same name (without -latest or a date) replaces the older index as a whole.",
            "OpenStreetMap's data are free under the ODbL, which wants the credit shown.",
        ],
        operands: [Operand("FILE", .oneOrMore, help: "An extract: region.osm.pbf.")],
        options: [languages, extracts],
        examples: [
            Example("odograph gazetteer import finland-latest.osm.pbf", "Addresses of Finland, found offline."),
            Example("odograph gazetteer import monaco.osm.pbf --languages en,ru,de", "Names in three languages too."),
        ]
    ) { context in
        var configuration = ExtractImport.Configuration()
        configuration.towns = try GazetteerFiles.openTowns()
        if let text = context.invocation[languages] {
            configuration.languages = text.split(separator: ",").map(String.init)
        }
        let folder = context.extractsFolder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in context.operands {
            let output = "\(folder)/\(ExtractImport.indexName(forExtract: file))"
            let summary = try ExtractImport(configuration).run(extract: file, output: output)
            let counts = summary.counts
            Terminal.say(
                "\(file): \(Measure.count(Int64(counts.addresses))) addresses, "
                    + "\(Measure.count(Int64(counts.streetWays))) stretches of named streets, "
                    + "\(counts.settlements) settlements, \(counts.areas) areas (\(counts.brokenAreas) cut by the border); "
                    + "\(Measure.count(Int64(summary.size))) bytes in \(output)"
            )
        }
        return .success
    }

    static let list = Command<Action>(
        "gazetteer list",
        summary: "list the offline indexes",
        discussion: ["Reads every index whole, and says when its checksum differs."],
        options: [format, extracts],
        examples: [Example("odograph gazetteer list", "What there is, from when, how large.")]
    ) { context in
        let format: LookupFormat = try context.choice(format) ?? .table
        let towns = try GazetteerFiles.openTowns()
        let (indexes, failures) = try GazetteerFiles.openExtracts(in: context.extractsFolder)
        var damage: [GazetteerError] = failures
        var entries: [JSON] = []
        for (file, count) in indexes.map({ ($0.file, $0.addressCount) }) + [(towns.file, towns.count)] {
            do throws(GazetteerError) { try file.verify() } catch { damage.append(error) }
            switch format {
            case .json:
                entries.append(
                    .object([
                        ("name", .string(file.info["name"])), ("kind", .string("\(file.kind)")),
                        ("objects", .integer(Int64(count))), ("bytes", .integer(Int64(file.size))),
                        ("data_time", .string(file.dataTime.iso8601())), ("path", .string(file.path)),
                        ("licence", .string(file.info["licence"])),
                        ("attribution", .string(file.info["attribution"])),
                    ])
                )
            case .table:
                let parts: [(String, String?)] = [
                    ("Name", file.info["name"]),
                    (file.kind == .towns ? "Towns" : "Addresses", Measure.count(Int64(count))),
                    ("Data of", file.dataTime.iso8601()), ("Bytes", Measure.count(Int64(file.size))),
                    ("File", file.path), ("Credit", file.info["attribution"]),
                ]
                try context.write(Sheet(parts).text + "\n")
            }
        }
        if format == .json { try context.write(JSON.array(entries).text + "\n") }
        for error in damage { Terminal.say(error.message) }
        return damage.isEmpty ? .success : .badData
    }

    static let search = Command<Action>(
        "gazetteer search",
        summary: "find streets, houses and settlements by name",
        discussion: [
            "Looks through the imported extracts. Words may be cut short, case and accents do not matter, a house number "
                + "stands first or last."
        ],
        operands: [Operand("TEXT", .oneOrMore, help: "A name, with a house number or without.")],
        options: [language, format, extracts],
        examples: [
            Example("odograph gazetteer search Aleksanterinkatu 52", "The house, with its place."),
            Example("odograph gazetteer search mannerheim", "Streets that begin so."),
        ]
    ) { context in
        let format: LookupFormat = try context.choice(format) ?? .table
        let question = context.operands.joined(separator: " ")
        var entries: [JSON] = []
        for case let extract as ExtractIndex in try context.openGazetteer().sources {
            for result in try extract.search(question, language: context.invocation[language] ?? "en") {
                switch format {
                case .json:
                    entries.append(
                        .object([
                            ("line", .string(result.line)), ("level", .string("\(result.level)")),
                            ("latitude", .degrees(result.point.latitudeE7)),
                            ("longitude", .degrees(result.point.longitudeE7)),
                        ])
                    )
                case .table: try context.write("\(Measure.point(result.point))  \(result.line)\n")
                }
            }
        }
        if format == .json { try context.write(JSON.array(entries).text + "\n") }
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

extension Context {
    /// `--extracts`, or ODOGRAPH_EXTRACTS, or a folder beside the store.
    var extractsFolder: String {
        if let path = invocation[GazetteerCommands.extracts] ?? environment["ODOGRAPH_EXTRACTS"], !path.isEmpty {
            return path
        }
        return URL(filePath: storePath).deletingLastPathComponent().appending(path: "gazetteer").path
    }

    /// The towns of the world and every imported extract; a file that cannot be read is named and passed over.
    func openGazetteer() throws -> OfflineGazetteer {
        let (gazetteer, failures) = try OfflineGazetteer.open(extracts: extractsFolder)
        for failure in failures { Terminal.say(failure.message) }
        return gazetteer
    }
}
