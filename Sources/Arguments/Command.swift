/// An option of a command: `--name VALUE`, or a flag `--name`.
package struct Option: Hashable, Sendable {
    package var name: String
    /// One letter after a single dash.
    package var letter: Character?
    /// What the value is called in help; nil for a flag.
    package var value: String?
    package var help: String

    package init(_ name: String, letter: Character? = nil, value: String? = nil, help: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.help = help
    }

    /// As it is typed, with its value's name: `--since TIME`.
    package var usage: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}

/// What a command takes beside options, in their order.
package struct Operand: Hashable, Sendable {
    package enum Arity: Sendable {
        case one, optional, oneOrMore, any
    }

    package var name: String
    package var help: String
    package var arity: Arity

    package init(_ name: String, _ arity: Arity = .one, help: String) {
        self.name = name
        self.arity = arity
        self.help = help
    }

    var usage: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .oneOrMore: "\(name)..."
        case .any: "[\(name)...]"
        }
    }
}

/// A line that can be typed, and what it does.
package struct Example: Hashable, Sendable {
    package var line: String
    package var meaning: String

    package init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}

/// The description of one command, from which parsing and help come.
package struct Command<Action: Sendable>: Sendable {
    /// What is typed: `trips`, or `vehicles list`.
    package var words: [String]
    /// One line, lower case, without a full stop.
    package var summary: String
    /// Paragraphs.
    package var discussion: [String]
    package var operands: [Operand]
    package var options: [Option]
    package var examples: [Example]
    package var action: Action

    package init(
        _ words: String,
        summary: String,
        discussion: [String] = [],
        operands: [Operand] = [],
        options: [Option] = [],
        examples: [Example],
        action: Action
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
        self.action = action
    }

    package var name: String { words.joined(separator: " ") }
}

/// A program with its commands, and the options that each of them takes.
package struct Program<Action: Sendable>: Sendable {
    package var name: String
    package var summary: String
    package var commands: [Command<Action>]
    /// They may stand before the command's name as well as after it.
    package var commonOptions: [Option]
    /// Exit codes and what they mean, for help.
    package var exitCodes: [(code: Int, meaning: String)]
    /// Environment variables and what they mean, for help.
    package var environment: [(name: String, meaning: String)]

    package init(
        name: String,
        summary: String,
        commands: [Command<Action>],
        commonOptions: [Option],
        exitCodes: [(code: Int, meaning: String)],
        environment: [(name: String, meaning: String)]
    ) {
        self.name = name
        self.summary = summary
        self.commands = commands
        self.commonOptions = commonOptions
        self.exitCodes = exitCodes
        self.environment = environment
    }
}

/// What was typed: the values of options, and the operands.
package struct Invocation: Sendable {
    package internal(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    package init() {}

    /// The value given last, since what stands later on a line corrects what stands before.
    package subscript(option: Option) -> String? { values[option.name]?.last }

    /// All values, in their order.
    package func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    package func has(_ option: Option) -> Bool { values[option.name] != nil }

    mutating func add(_ value: String, to option: Option) { values[option.name, default: []].append(value) }
}

/// Something typed that is no command of the program; `message` is one line.
package struct UsageError: Error, Equatable, Sendable {
    package var message: String
    /// The command whose help shows how it goes, as far as it was recognised.
    package var words: [String]

    package init(_ message: String, words: [String] = []) {
        self.message = message
        self.words = words
    }
}
