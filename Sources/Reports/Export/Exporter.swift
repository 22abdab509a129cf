package import CivilTime
package import TripStore

/// What an export writes, and where.
package struct ExportRequest: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case csv, ndjson
    }

    /// Begins the names of its files; its memory in the store goes by it.
    package var name: String
    package var folder: String
    package var format: Format
    package var zone: Zone
    package var csv: CSVStyle
    /// Forgets what was delivered, and takes the folder as its own.
    package var startsAgain = false

    package init(
        name: String,
        folder: String,
        format: Format = .csv,
        zone: Zone = .utc,
        csv: CSVStyle = CSVStyle()
    ) {
        self.name = name
        var path = folder[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.folder = String(path)
        self.format = format
        self.zone = zone
        self.csv = csv
    }

    /// Whether a name can begin a file's name: letters, digits, dash and underscore.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "-_".unicodeScalars.contains(scalar))
            }
    }
}

/// One delivery of an export: a file and the manifest beside it.
package struct Delivery: Hashable, Sendable {
    /// The data file's name in the folder.
    package var file: String
    package var manifest: String
    package var digest: String
    package var manifestDigest: String
    /// Changes up to this number are in it, or in deliveries before it.
    package var change: Int64
    /// Trips that are there, new or changed.
    package var trips: Int
    package var removed: Int
}

/// Delivers what changed since the last delivery of a named export, each change once, in whole files.
///
/// A delivery is written under names that begin with a dot and made durable; then the store notes that it is prepared,
/// which is the point of no return; then the files are renamed into place, the manifest last, and the store notes that
/// they were delivered. A run that finds a prepared delivery ends it before it begins another one.
///
/// What was delivered lies in one folder: with another one, or when it is gone, nothing is delivered, since the changes
/// of before would be missing there.
package struct Exporter: Sendable {
    private let store: any HistoryReading & ExportStorage
    private let request: ExportRequest

    package init(_ request: ExportRequest, from store: any HistoryReading & ExportStorage) {
        self.store = store
        self.request = request
    }

    /// Delivers until there is nothing left to deliver.
    ///
    /// - Returns: what was delivered, in order; empty when nothing changed.
    /// - Throws: `ReportError` or `StoreError`; the next run goes on where this one ended.
    package func run() async throws -> [Delivery] {
        var cursor = try await store.exportCursor(named: request.name)
        if let cursor, !request.startsAgain { try check(cursor.folder) }
        let folder = try ExportFolder(path: request.folder, name: request.name)
        if request.startsAgain, let known = cursor {
            cursor = try await move(known, to: ExportCursor(change: 0, folder: request.folder))
        }
        var deliveries: [Delivery] = []
        if let known = cursor, !known.prepared.isEmpty {
            if let delivery = PreparedDelivery(known.prepared)?.delivery(in: request.folder),
                try finish(delivery, in: folder)
            {
                cursor = try await move(known, to: ExportCursor(change: delivery.change, folder: known.folder))
                deliveries.append(delivery)
            } else {
                // Its parts are gone: its changes are delivered anew.
                cursor = try await move(known, to: ExportCursor(change: known.change, folder: known.folder))
            }
        }
        for name in try folder.names() where name.hasPrefix(".\(request.name)-") && name.hasSuffix(".part") {
            try folder.removePart(of: String(name.dropFirst().dropLast(5)))
        }
        if let delivery = try await prepare(after: cursor?.change ?? 0, in: folder) {
            let prepared = PreparedDelivery(delivery, folder: request.folder).text
            cursor = try await move(
                cursor,
                to: ExportCursor(change: cursor?.change ?? 0, folder: request.folder, prepared: prepared)
            )
            guard try finish(delivery, in: folder) else {
                throw ReportError(kind: .damaged, message: "\(request.folder): a file changed while it was written")
            }
            cursor = try await move(cursor, to: ExportCursor(change: delivery.change, folder: request.folder))
            deliveries.append(delivery)
        }
        return deliveries
    }

    /// Refuses to go on elsewhere than where the deliveries before are.
    private func check(_ known: String) throws(ReportError) {
        let name = request.name
        if known != request.folder {
            throw ReportError(
                kind: .elsewhere,
                message:
                    "the export \(name) delivers into \(known), not \(request.folder): --again delivers everything "
                    + "anew there, another --name makes a second export"
            )
        }
        if try !ExportFolder.exists(known) {
            throw ReportError(
                kind: .elsewhere,
                message: "\(known), where the export \(name) delivered, is gone: bring it back, or deliver everything "
                    + "anew with --again"
            )
        }
    }

    private func move(_ known: ExportCursor?, to cursor: ExportCursor) async throws -> ExportCursor {
        guard try await store.moveExportCursor(to: cursor, from: known, named: request.name) else {
            throw ReportError(kind: .busy, message: "another export \(request.name) is running")
        }
        return cursor
    }

    /// Renames what is not yet in its place.
    ///
    /// - Returns: false when a file is neither in its place nor prepared.
    private func finish(_ delivery: Delivery, in folder: borrowing ExportFolder) throws(ReportError) -> Bool {
        for (name, digest) in [(delivery.file, delivery.digest), (delivery.manifest, delivery.manifestDigest)] {
            if try folder.digest(of: name) == digest { continue }
            guard try folder.digest(of: ExportFolder.partName(name)) == digest else { return false }
            try folder.publish(name)
            try folder.sync()
        }
        return true
    }

    /// Writes the parts of the next delivery; nil when nothing changed.
    private func prepare(after change: Int64, in folder: borrowing ExportFolder) async throws -> Delivery? {
        let stem = try nextStem(in: folder)
        let file = try ExportFile("\(stem).\(request.format.rawValue)", in: folder)
        var delivery = Delivery(
            file: file.name,
            manifest: "\(stem).manifest.json",
            digest: "",
            manifestDigest: "",
            change: change,
            trips: 0,
            removed: 0
        )
        var attributions = Attributions()
        var formatter = formatter()
        var buffer: [UInt8] = []
        formatter.begin(&buffer)
        var query = HistoryQuery()
        query.afterChange = change
        query.includesRemoved = true
        // Also what is not in it lies behind: a removal of which there is nothing to tell.
        delivery.change = max(change, try await store.lastChange())
        for try await trip in try await store.trips(query) {
            delivery.change = max(delivery.change, trip.change)
            if trip.isRemoved { delivery.removed += 1 } else { delivery.trips += 1 }
            formatter.append(trip, to: &buffer)
            attributions.add(trip.beginAddress)
            attributions.add(trip.endAddress)
            if buffer.count >= 64 * 1024 { try file.take(&buffer) }
        }
        formatter.end(&buffer)
        guard delivery.trips + delivery.removed > 0 else {
            try folder.removePart(of: file.name)
            return nil
        }
        try file.take(&buffer)
        delivery.digest = try file.finish()

        let manifest = try ExportFile(delivery.manifest, in: folder)
        self.manifest(of: delivery, bytes: file.byteCount, attributions: attributions.lines).write(to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
        try manifest.take(&buffer)
        delivery.manifestDigest = try manifest.finish()
        return delivery
    }

    private func formatter() -> any RecordFormatter<TripRecord> {
        switch request.format {
        case .csv: CSVFormatter(columns: Column.trips, style: request.csv, zone: request.zone)
        case .ndjson: NDJSONFormatter(columns: Column.trips, zone: request.zone)
        }
    }

    /// The name after the highest number that stands in the folder: `daily-000007`.
    private func nextStem(in folder: borrowing ExportFolder) throws(ReportError) -> String {
        var highest = 0
        for name in try folder.names() where name.hasPrefix("\(request.name)-") {
            let digits = name.dropFirst(request.name.count + 1).prefix { $0 != "." }
            if digits.count >= 6, let number = Int(digits) { highest = max(highest, number) }
        }
        let number = String(highest + 1)
        return "\(request.name)-\(String(repeating: "0", count: max(0, 6 - number.count)))\(number)"
    }

    /// The same delivery gives the same bytes: nothing in it tells when it was written.
    private func manifest(of delivery: Delivery, bytes: Int, attributions: [String]) -> JSON {
        .object([
            ("export", .string(request.name)),
            ("format", .string(request.format.rawValue)),
            ("zone", .string(request.zone.name)),
            ("cursor", .string(String(delivery.change))),
            (
                "files",
                .array([
                    .object([
                        ("name", .string(delivery.file)),
                        ("bytes", .integer(Int64(bytes))),
                        ("sha256", .string(delivery.digest)),
                        ("trips", .integer(Int64(delivery.trips))),
                        ("removed", .integer(Int64(delivery.removed))),
                    ])
                ])
            ),
            ("columns", .array(Column.trips.map { .string($0.name) })),
            ("attribution", .array(attributions.map { .string($0) })),
        ])
    }
}

/// A delivery as the store remembers it: lines of text.
private struct PreparedDelivery {
    private let lines: [String]

    init(_ delivery: Delivery, folder: String) {
        lines = [
            folder, delivery.file, delivery.digest, delivery.manifest, delivery.manifestDigest,
            String(delivery.change), String(delivery.trips), String(delivery.removed),
        ]
    }

    init?(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.count != 8 { return nil }
    }

    var text: String { lines.joined(separator: "\n") }

    /// Nil when it was meant for another folder.
    func delivery(in folder: String) -> Delivery? {
        guard lines[0] == folder, let change = Int64(lines[5]), let trips = Int(lines[6]), let removed = Int(lines[7])
        else { return nil }
        return Delivery(
            file: lines[1],
            manifest: lines[3],
            digest: lines[2],
            manifestDigest: lines[4],
            change: change,
            trips: trips,
            removed: removed
        )
    }
}
