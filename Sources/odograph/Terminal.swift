import CTerminal
import Glibc
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
    static func say(_ line: String) { write(line + "\n") }

    /// Writes to standard error; where that cannot be written, work goes on without words.
    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Replaces the line at the cursor, of a terminal at standard error; an empty one clears it.
    static func show(_ line: String, width: Int) {
        write("\r\u{1B}[K\(line.cut(toWidth: max(1, width - 1)))")
    }
}
