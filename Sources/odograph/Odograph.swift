import Arguments
import Foundation
import Gazetteer
import Ingest
import Reports
import TripStore

/// The command: what it can do, and how a line that was typed is carried out.
enum Odograph {
    static let version = "0.1.0"

    static let program = Program<Action>(
        name: "odograph",
        summary: "trip history from the positions that vehicles send",
        commands: [ImportCommand.command]
            + HistoryCommands.all
            + [TripCommand.command, VehicleCommands.list, QuarantineCommand.command, ExportCommand.command]
            + GeocodeCommands.all
            + PlaceCommands.all
            + GazetteerCommands.all
            + SettingsCommands.all
            + StoreCommands.all,
        commonOptions: [.store, .helpFlag, .versionFlag],
        exitCodes: ExitCode.allCases.map { (Int($0.rawValue), $0.meaning) },
        environment: [
            (
                "ODOGRAPH_STORE",
                "The store when --store is not given; else odograph/store.sqlite in XDG_DATA_HOME or ~/.local/share."
            ),
            ("ODOGRAPH_LANGUAGE", "Language of addresses when --language is not given; else en."),
            ("ODOGRAPH_PROVIDERS", "Sources of addresses in order, with commas; else offline."),
            ("ODOGRAPH_GAZETTEER", "The index of towns, or the folder in which it lies."),
            ("NO_COLOR", "Any value: no colours, also on a terminal."),
        ]
    )

    /// Carries out a line that was typed.
    ///
    /// - Parameter words: without the program's name.
    /// - Returns: what the shell is told.
    static func run(_ words: [String]) async -> ExitCode {
        let environment = ProcessInfo.processInfo.environment
        do throws(UsageError) {
            switch try program.parse(words) {
            case .version: return write("odograph \(version)\n")
            case .help(let words):
                guard let help = program.help(words) else {
                    throw UsageError("there is no command \(words.joined(separator: " "))")
                }
                return write(help)
            case .run(let command, let invocation):
                return await run(command, in: Context(invocation: invocation, environment: environment))
            }
        } catch {
            Terminal.say("odograph: \(error.message)")
            let words = (["odograph"] + error.words + ["--help"]).joined(separator: " ")
            Terminal.say("See \(words)")
            return .usage
        }
    }

    private static func write(_ text: String) -> ExitCode {
        let output = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output")
        output.buffer.append(text)
        do throws(ReportError) {
            try output.flush()
            return .success
        } catch {
            Terminal.say("odograph: \(error.message)")
            return .inputOutput
        }
    }

    private static func run(_ command: Command<Action>, in context: Context) async -> ExitCode {
        do {
            try context.checkStoreName()
            return try await command.action(context)
        } catch {
            let failure = CommandFailure(error, storePath: context.storePath)
            Terminal.say("odograph \(command.name): \(failure.message)")
            if failure.code == .usage { Terminal.say("See odograph \(command.name) --help") }
            return failure.code
        }
    }
}
