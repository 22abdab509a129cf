extension Program {
    /// Help about a command, a group of commands, or the program when there are no words, 80 columns wide.
    ///
    /// - Returns: nil when the words name nothing.
    package func help(_ words: [String]) -> String? {
        let found = commands(under: words)
        if words.isEmpty { return overview() }
        if found.count == 1, let command = found.first, command.words == words { return help(on: command) }
        guard !found.isEmpty else { return nil }
        return """
            Usage: \(name) \(words.joined(separator: " ")) COMMAND [options]

            Commands:
            \(HelpTable(found.map { ($0.name, $0.summary) }).text)
            Help on one of them: \(name) COMMAND --help

            """
    }

    private func overview() -> String {
        """
        \(name): \(summary)

        Usage: \(name) [--store PATH] COMMAND [options] [operands]

        Commands:
        \(HelpTable(commands.map { ($0.name, $0.summary) }).text)
        Options of every command:
        \(HelpTable(options: commonOptions).text)
        Environment:
        \(HelpTable(environment.map { ($0.name, $0.meaning) }).text)
        Exit codes:
        \(HelpTable(exitCodes.map { (String($0.code), $0.meaning) }).text)
        Help on a command, with examples: \(name) COMMAND --help

        """
    }

    private func help(on command: Command<Action>) -> String {
        let operands = command.operands.map { " " + $0.usage }.joined()
        var text = wrapped("\(name) \(command.name): \(command.summary)", width: 80) + "\n\n"
        text += "Usage: \(name) \(command.name) [options]\(operands)\n\n"
        for paragraph in command.discussion { text += wrapped(paragraph, width: 80) + "\n\n" }
        if !command.operands.isEmpty {
            text += "Operands:\n\(HelpTable(command.operands.map { ($0.name, $0.help) }).text)\n"
        }
        if !command.options.isEmpty { text += "Options:\n\(HelpTable(options: command.options).text)\n" }
        text += "Options of every command:\n\(HelpTable(options: commonOptions).text)\n"
        text += "Examples:\n"
        for example in command.examples {
            text += "  \(example.line)\n" + wrapped(example.meaning, width: 80, indent: 6) + "\n"
        }
        return text
    }
}

/// Two columns: what is typed, and what it means.
private struct HelpTable {
    var rows: [(String, String)]

    init(_ rows: [(String, String)]) { self.rows = rows }

    init(options: [Option]) {
        rows = options.map { ("\($0.letter.map { "-\($0), " } ?? "    ")\($0.usage)", $0.help) }
    }

    /// Each row on lines of its own, with a new line after the last.
    var text: String {
        let width = min(26, rows.map(\.0.count).max() ?? 0)
        var text = ""
        for (name, meaning) in rows {
            let lines = wrapped(meaning, width: 80, indent: width + 4)
            if name.count > width {
                text += "  \(name)\n\(lines)\n"
            } else {
                let padding = String(repeating: " ", count: width - name.count + 2)
                text += "  \(name)\(padding)\(lines.dropFirst(width + 4))\n"
            }
        }
        return text
    }
}

/// Breaks a paragraph between words.
private func wrapped(_ text: String, width: Int, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
        if line.count > indent, line.count + 1 + word.count > width {
            lines.append(line)
            line = margin
        }
        line += (line.count > indent ? " " : "") + word
    }
    return (lines + [line]).joined(separator: "\n")
}
