import Arguments
import Reports
import TripStore

/// The commands about vehicles.
enum VehicleCommands {
    static let list = Command<Action>(
        "vehicles list",
        summary: "list vehicles with their latest position",
        discussion: ["A device that is not registered is its own vehicle."],
        options: Option.report,
        examples: [
            Example("odograph vehicles list", "Every vehicle, how many positions it sent, and where it was last."),
            Example("odograph vehicles list --format json", "An array for other programs."),
        ]
    ) { context in
        let style = try context.style()
        let store = try await context.openStore()
        let count = try await context.write(
            try await store.vehicles(),
            columns: Column.vehicles,
            table: TableColumn.vehicles,
            style: style
        )
        if count == 0, style.format == .table { Terminal.say("No vehicle has sent anything yet.") }
        await store.close()
        return .success
    }
}
