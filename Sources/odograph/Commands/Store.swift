import Arguments
import CivilTime
import Foundation
import Reports
import Telemetry
import TripStore

/// The commands that keep a store in order.
enum StoreCommands {
    static let all = [check, compact, backup, restore, migrate]

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
        try await SQLiteStorage.restore(
            context.operands[0],
            to: context.storePath,
            replacing: context.invocation.has(replace)
        )
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
