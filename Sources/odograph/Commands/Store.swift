import Arguments
import CivilTime
import Foundation
import Reports
import Telemetry
import Tracking
import TripStore

/// The commands that keep a store in order.
enum StoreCommands {
    static let all = [check, compact, backup, restore, erase, retain, migrate]

    static let check = Command<Action>(
        "store check",
        summary: "look for damage and broken promises in the store",
        discussion: [
            "Checks the file's structure, checksums, that trips, stops and gaps tile each vehicle's time, and that "
                + "every end of a trip has an address or a task. Prints what is wrong, a line each, and ends with "
                + "exit code 65; prints nothing when all is well."
        ],
        examples: [Example("odograph store check && echo sound", "For a nightly job.")]
    ) { context in
        let store = try await context.openStore()
        let findings = try await store.check()
        await store.close()
        for finding in findings { try context.write("\(finding.kind.rawValue): \(finding.message)\n") }
        if findings.isEmpty, context.terminal.errorWidth != nil { Terminal.say("The store is sound.") }
        return findings.isEmpty ? .success : .badData
    }

    static let compact = Command<Action>(
        "store compact",
        summary: "make the store's file as small as it can be",
        discussion: ["Also clears what was erased from the file's bytes. Needs as much free space as the file has."],
        examples: [Example("odograph store compact", "After a large import or an erasure.")]
    ) { context in
        let store = try await context.openStore(.write)
        let before = try context.size()
        try await store.compact()
        await store.close()
        let after = try context.size()
        Terminal.say("\(Measure.bytes(before)) before, \(Measure.bytes(after)) now.")
        return .success
    }

    static let backup = Command<Action>(
        "store backup",
        summary: "write a consistent copy of the store, also while others write to it",
        operands: [Operand("FILE", help: "The copy; must not exist.")],
        examples: [Example("odograph store backup /backup/trips-$(date +%F).sqlite", "A copy for each day.")]
    ) { context in
        let store = try await context.openStore()
        try context.requireFolder(of: context.operands[0])
        try await store.backUp(to: context.operands[0])
        await store.close()
        return .success
    }

    static let replace = Option("replace", help: "Replace the store that is there.")

    static let restore = Command<Action>(
        "store restore",
        summary: "put a backup in the place of the store, after it was checked",
        discussion: ["A store that is there already is replaced only with --replace."],
        operands: [Operand("FILE", help: "What odograph store backup wrote.")],
        options: [replace],
        examples: [Example("odograph store restore /backup/trips-2026-03-29.sqlite --replace", "Back to that day.")]
    ) { context in
        let backup = context.operands[0]
        do throws(StoreError) {
            try await SQLiteStorage.restore(backup, to: context.storePath, replacing: context.invocation.has(replace))
        } catch {
            switch error.kind {
            case .exists:
                throw CommandFailure(.cannotCreate, "\(context.storePath) is there already; --replace replaces it")
            case .corrupt, .foreign, .missing:
                // The store was not touched: it is the backup that is wrong.
                throw CommandFailure(error, storePath: backup)
            default: throw error
            }
        }
        return .success
    }

    static let span = [Option.since, Option.until]
    static let yes = Option("yes", help: "Do not ask.")

    static let erase = Command<Action>(
        "store erase",
        summary: "remove a vehicle, or a span of its time, for good",
        discussion: [
            "Removes positions, trips, stops and the addresses that nothing else uses, and clears their bytes from "
                + "the file. Trips that overlap the span go as a whole. Exports are not told of it: what they delivered "
                + "before has to be removed where it went. Without a terminal it does nothing but with --yes."
        ],
        operands: [Operand("VEHICLE", help: "Its name or device.")],
        options: span + [.zone, yes],
        examples: [
            Example("odograph store erase 'Van 7'", "Everything about one vehicle."),
            Example("odograph store erase 'Van 7' --since 2026-03-01 --until 2026-03-07 --yes", "One week of it."),
        ]
    ) { context in
        let zone = try context.zone()
        let query = try context.historyQuery(zone: zone)
        let store = try await context.openStore(.write)
        let device = try await context.device(ofVehicle: context.operands[0], in: store)
        let erasure: Erasure
        if query.since == nil, query.until == nil {
            erasure = .device(device)
        } else {
            let last = query.until.map { $0 + -1 } ?? .latest
            erasure = .span(device, (query.since ?? .earliest)...last)
        }
        if !context.invocation.has(yes) {
            guard context.confirms("Remove this of \(context.operands[0]) for good?") else { return .usage }
        }
        let summary = try await context.recorder(for: store).erase(erasure, asOf: context.now)
        try await store.compact()
        await store.close()
        Terminal.say(
            "Removed: \(Measure.count(Int64(summary.positions), "position")), \(Measure.count(Int64(summary.trips), "trip"))."
        )
        return .success
    }

    static let retain = Command<Action>(
        "store retain",
        summary: "remove raw positions that are older, and keep trips, stops and addresses",
        operands: [Operand("TIME", help: "Positions before it go: 2026-01, -365d.")],
        options: [.zone],
        examples: [Example("odograph store retain -365d", "Keep a year of raw positions.")]
    ) { context in
        let zone = try context.zone()
        guard let time = TimeExpression(context.operands[0], zone: zone, now: context.now) else {
            throw CommandFailure(.usage, "\"\(context.operands[0])\" is no time; try \(TimeExpression.forms)")
        }
        let store = try await context.openStore(.write)
        let count = try await context.recorder(for: store).retain(from: time.begin, asOf: context.now)
        await store.close()
        Terminal.say("\(Measure.count(Int64(count), "position")) before \(zone.text(time.begin)) removed.")
        return .success
    }

    static let migrate = Command<Action>(
        "store migrate",
        summary: "bring a store of an older version up to this one",
        discussion: ["Every command that writes does it by itself; this one does nothing else."],
        examples: [Example("odograph store backup old.sqlite && odograph store migrate", "After an upgrade.")]
    ) { context in
        let store = try await context.openStore(.write)
        await store.close()
        return .success
    }
}
