import CTerminal
import Foundation
import Reports

/// What is known of the ends of the command: whether people look at them, and how wide they are.
struct Terminal {
    /// Columns of the terminal at standard output, nil when it is none.
    let outputWidth: Int?
    /// Columns of the terminal at standard error, nil when it is none.
    let errorWidth: Int?
    let hasColours: Bool

    init(environment: [String: String]) {
        func width(_ descriptor: Int32) -> Int? {
            guard isatty(descriptor) == 1 else { return nil }
            let columns = Int(odograph_terminal_columns(descriptor))
            return columns > 0 ? columns : environment["COLUMNS"].flatMap(Int.init) ?? 80
        }
        outputWidth = width(STDOUT_FILENO)
        errorWidth = width(STDERR_FILENO)
        // https://no-color.org: any value but an empty one.
        hasColours = outputWidth != nil && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes a line for people.
    static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Replaces the line at the cursor, of a terminal at standard error; an empty one clears it.
    static func show(_ line: String, width: Int) {
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line.cut(toWidth: max(1, width - 1)))".utf8))
    }
}
