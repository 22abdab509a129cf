import Arguments
import Foundation
import Reports
import Telemetry
import TripDetection
import TripStore

/// The commands about the limits by which trips are drawn.
enum SettingsCommands {
    static let all = [get, set]

    static let device = Option("device", value: "ID", help: "The settings of one device, instead of those of all.")

    private static let discussion = [
        "The settings are kept in the store, so that everything that writes to it draws the same trips. A change "
            + "recomputes: the trips are those of a fresh import with the new settings."
    ]

    static let get = Command<Action>(
        "settings get",
        summary: "show the limits by which trips are drawn",
        discussion: discussion,
        operands: [Operand("NAME", .optional, help: "Only the value of this one.")],
        options: [device] + Option.report.filter { $0 != .zone },
        examples: [
            Example("odograph settings get", "All settings, their values and meanings."),
            Example("odograph settings get stop_time_s --device 356938035643809", "One value, for a script."),
        ]
    ) { context in
        let device = try context.device(device)
        let store = try await context.openStore()
        let stored = try await store.settings()
        await store.close()
        let rows = SettingRow.all(stored, device: device)
        if let name = context.operands.first {
            let setting = try SettingsCommands.setting(name)
            guard let row = rows.first(where: { $0.setting == setting }) else { return .software }
            try context.write(row.valueText + "\n")
            return .success
        }
        try await context.write(
            RecordStream(rows),
            columns: Column.settings,
            table: TableColumn.settings,
            style: try context.style()
        )
        return .success
    }

    static let set = Command<Action>(
        "settings set",
        summary: "change a limit by which trips are drawn, and recompute",
        discussion: discussion,
        operands: [
            Operand("NAME", help: "As odograph settings get shows it."),
            Operand("VALUE", help: "In the unit of the name, or default to take the setting back."),
        ],
        options: [device],
        examples: [
            Example("odograph settings set stop_time_s 420", "Only a stay of seven minutes ends a trip."),
            Example("odograph settings set stop_radius_m 60 --device 356938035643809", "For one device."),
            Example("odograph settings set stop_time_s default", "Back to what Odograph comes with."),
        ]
    ) { context in
        let setting = try SettingsCommands.setting(context.operands[0])
        let text = context.operands[1]
        let value: Double?
        if text == "default" {
            value = nil
        } else {
            guard let number = Double(text), setting.range.contains(number) else {
                let range = "\(Measure.plain(setting.range.lowerBound)) to \(Measure.plain(setting.range.upperBound))"
                throw CommandFailure(.usage, "\(setting.name) is \(range), or default; found \(text)")
            }
            value = number
        }
        let device = try context.device(device)
        let store = try await context.openStore(.write)
        if let device, value != nil { try await context.sayIfUnknown(device, in: store) }
        try await store.setSetting(setting.name, to: value, device: device)
        try await context.derive(in: store)
        await store.close()
        return .success
    }

    private static func setting(_ name: String) throws -> DetectionSetting {
        if let setting = DetectionSetting(rawValue: name) { return setting }
        let names = DetectionSetting.allCases.map(\.name)
        let hint = closest(to: name, among: names).map { "did you mean \($0)?" } ?? names.joined(separator: ", ")
        throw CommandFailure(.usage, "there is no setting \(name); \(hint)")
    }
}

extension Context {
    /// A setting may come before its device; a mistyped device would be silent for ever.
    fileprivate func sayIfUnknown(_ device: DeviceID, in store: any TrackStorage) async throws {
        for try await vehicle in try await store.vehicles() where vehicle.device == device { return }
        Terminal.say("The store has no device \(device.text) yet; the setting waits for it.".printable)
    }
}
