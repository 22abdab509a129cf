package import Telemetry

/// Makes the index of an OpenStreetMap extract.
package struct ExtractImport: Sendable {
    /// How an import is done.
    package struct Configuration: Sendable {
        /// Languages in which names are kept besides the one that the map gives first: tags as in `name:ru`.
        package var languages = ["en", "ru"]
        /// Used for region, country and zone where the extract cuts their outlines; nil leaves them out.
        package var towns: TownIndex?

        package init() {}
    }

    /// What an import did.
    package struct Summary: Sendable {
        package var counts: ImportCounts
        package var size: Int
        package var dataTime: Timestamp
        package var path: String
    }

    private let configuration: Configuration

    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// The name of the index that belongs to an extract: that of the file without folder, `.osm.pbf` or `.pbf`, and
    /// without `-latest` or a date of six or eight digits, so that a newer extract replaces its older self.
    ///
    /// - Parameter path: path of the extract.
    /// - Returns: a file name that ends in `.gazetteer`.
    package static func indexName(forExtract path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? "extract"
        for ending in [".osm.pbf", ".pbf"] where name.hasSuffix(ending) && name.utf8.count > ending.utf8.count {
            name.removeLast(ending.count)
            break
        }
        if let dash = name.lastIndex(of: "-"), dash > name.startIndex {
            let mark = name[name.index(after: dash)...]
            let isDate = (mark.count == 6 || mark.count == 8) && mark.allSatisfy { ("0"..."9").contains($0) }
            if mark == "latest" || isDate { name = String(name[..<dash]) }
        }
        return name + GazetteerFiles.extractEnding
    }

    /// Reads an extract and writes its index, replacing an older one as a whole.
    ///
    /// - Parameters:
    ///   - extract: path of the PBF file.
    ///   - output: path of the index.
    /// - Returns: what was read and written.
    /// - Throws: `GazetteerError`; the older index is then untouched.
    package func run(extract: String, output: String) throws(GazetteerError) -> Summary {
        guard configuration.languages.count <= 200 else {
            throw GazetteerError(kind: .foreign, message: "at most 200 languages can be kept")
        }
        var scan = ExtractScan(languages: configuration.languages)
        try scan.read(path: extract)
        var builder = ExtractBuilder(scan: scan, towns: configuration.towns)
        let name = ExtractImport.indexName(forExtract: extract)
        var credits = "© OpenStreetMap contributors (openstreetmap.org/copyright), ODbL"
        if let towns = configuration.towns { credits += "; regions and zones: \(towns.attribution)" }
        let writer = try builder.build(info: [
            ("name", String(name.dropLast(GazetteerFiles.extractEnding.count)).replacingLineEnds),
            ("source", "OpenStreetMap"),
            ("attribution", credits),
            ("licence", "ODbL-1.0"),
        ])
        let size = try writer.write(to: output)
        return Summary(counts: builder.counts, size: size, dataTime: scan.dataTime, path: output)
    }
}

extension String {
    /// On one line: the file's own description has one entry a line.
    fileprivate var replacingLineEnds: String { String(map { $0.isNewline ? " " : $0 }) }
}
