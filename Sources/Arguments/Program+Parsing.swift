/// What somebody asked a program for.
package enum Request<Action: Sendable>: Sendable {
    case run(Command<Action>, Invocation)
    /// Help about the command, group or program that the words name.
    case help([String])
    case version
}

extension Option {
    package static let helpFlag = Option("help", letter: "h", help: "Show this help.")
    package static let versionFlag = Option("version", help: "Show the version.")
}

extension Program {
    /// Understands what was typed.
    ///
    /// Options may stand anywhere, those of all commands also before the command's name; `--` ends them, and a number
    /// with a sign is no option.
    ///
    /// - Parameter words: without the program's name.
    /// - Returns: a command to run, or a wish for help or the version.
    /// - Throws: `UsageError`, with a sentence that says how it goes.
    package func parse(_ words: [String]) throws(UsageError) -> Request<Action> {
        var scanner = OptionScanner(words)
        var invocation = Invocation()
        var typed: [String] = []
        var command: Command<Action>?
        var operands: [String] = []
        var wantsHelp = false
        scan: while true {
            let token: OptionScanner.Token
            do {
                token = try scanner.next(among: commonOptions + (command?.options ?? []))
            } catch {
                throw command == nil ? hint(error) : UsageError(error.message, words: typed)
            }
            switch token {
            case .end: break scan
            case .option(.helpFlag, _): wantsHelp = true
            case .option(.versionFlag, _): return .version
            case .option(let option, let value): invocation.add(value, to: option)
            case .operand("help") where typed.isEmpty: wantsHelp = true
            case .operand(let word) where command == nil:
                typed.append(word)
                command = try self.command(named: typed)
            case .operand(let word): operands.append(word)
            }
        }
        if wantsHelp || (typed.isEmpty && words.isEmpty) { return .help(typed) }
        guard let command else { throw incomplete(typed) }
        try check(operands, against: command)
        invocation.operands = operands
        return .run(command, invocation)
    }

    /// The commands whose names begin with these words.
    package func commands(under words: [String]) -> [Command<Action>] {
        commands.filter { $0.words.starts(with: words) }
    }

    private func command(named words: [String]) throws(UsageError) -> Command<Action>? {
        let under = commands(under: words)
        if let exact = under.first(where: { $0.words == words }) { return exact }
        guard under.isEmpty else { return nil }
        let parent = Array(words.dropLast())
        let names = commands(under: parent).map { $0.words[parent.count] }
        let word = words.last ?? ""
        let hint = closest(to: word, among: names).map { "; did you mean \((parent + [$0]).joined(separator: " "))?" }
        throw UsageError("there is no command \(words.joined(separator: " "))" + (hint ?? ""), words: parent)
    }

    private func incomplete(_ words: [String]) -> UsageError {
        if words.isEmpty { return UsageError("say which command") }
        let names = commands(under: words).map { $0.words[words.count] }
        return UsageError(
            "\(words.joined(separator: " ")) needs one of: \(names.joined(separator: ", "))",
            words: words
        )
    }

    /// An option before the command's name that some command has.
    private func hint(_ error: UsageError) -> UsageError {
        let known = commands.flatMap(\.options).first { error.message.contains("--\($0.name) here") }
        guard let known else { return error }
        return UsageError("--\(known.name) belongs to a command: write it after the command's name")
    }

    private func check(_ operands: [String], against command: Command<Action>) throws(UsageError) {
        var least = 0
        var most = 0
        for operand in command.operands {
            switch operand.arity {
            case .one: (least, most) = (least + 1, most + 1)
            case .optional: most += 1
            case .oneOrMore: (least, most) = (least + 1, .max)
            case .any: most = .max
            }
        }
        if operands.count < least {
            let missing = command.operands.filter { $0.arity == .one || $0.arity == .oneOrMore }[operands.count...]
            throw UsageError(
                "\(command.name) needs \(missing.map(\.name).joined(separator: " "))",
                words: command.words
            )
        }
        if operands.count > most {
            throw UsageError("\(command.name) does not take \"\(operands[most])\"", words: command.words)
        }
    }
}
