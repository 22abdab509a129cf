import Arguments
import Testing

private let store = Option("store", value: "PATH", help: "The store.")
private let since = Option("since", value: "TIME", help: "Begin.")
private let separator = Option("separator", value: "TEXT", help: "Between fields.")
private let quiet = Option("quiet", letter: "q", help: "Say less.")

private let program = Program<String>(
    name: "odo",
    summary: "a test",
    commands: [
        Command("trips", summary: "list trips", options: [since, separator, quiet], examples: [], action: "trips"),
        Command(
            "lookup",
            summary: "find",
            operands: [Operand("LAT", help: "North."), Operand("LON", help: "East.")],
            examples: [],
            action: "lookup"
        ),
        Command(
            "import",
            summary: "read",
            operands: [Operand("FILE", .oneOrMore, help: "Files.")],
            examples: [],
            action: "import"
        ),
        Command("vehicles list", summary: "list", examples: [], action: "list"),
        Command("vehicles set", summary: "set", examples: [], action: "set"),
    ],
    commonOptions: [store, .helpFlag, .versionFlag],
    exitCodes: [],
    environment: []
)

// getopt keeps its place in C globals.
@Suite("Parsing", .serialized) struct ParsingTests {
    private func run(_ words: [String]) throws -> (String, Invocation) {
        guard case .run(let command, let invocation) = try program.parse(words) else {
            throw UsageError("no command to run")
        }
        return (command.action, invocation)
    }

    @Test(
        "The store may be named before or after the command, and with an equals sign",
        arguments: [
            ["--store", "a", "vehicles", "list"], ["vehicles", "--store", "a", "list"],
            ["vehicles", "list", "--store=a"], ["--store", "b", "vehicles", "list", "--store", "a"],
            ["vehicles", "list", "--sto", "a"],
        ]
    )
    func storeAnywhere(words: [String]) throws {
        let (action, invocation) = try run(words)
        #expect(action == "list")
        #expect(invocation[store] == "a")
        #expect(invocation.operands == [])
    }

    @Test(
        "A number with a sign is an operand, and an option's value may begin with a dash",
        arguments: [
            ["lookup", "-9.5", "-.25"], ["lookup", "--", "-9.5", "-.25"], ["--store", "-1", "lookup", "-9.5", "-.25"],
        ]
    )
    func negative(words: [String]) throws {
        #expect(try run(words).1.operands == ["-9.5", "-.25"])
    }

    @Test("An option's value is taken whatever it looks like")
    func dashValue() throws {
        #expect(try run(["trips", "--since", "-6h"]).1[since] == "-6h")
        #expect(try run(["trips", "--since=-6h", "-q"]).1.has(quiet))
    }

    @Test("Operands and options mix, and two dashes end the options")
    func mixed() throws {
        let (_, invocation) = try run(["import", "a", "--store", "s", "b", "--", "--store"])
        #expect(invocation.operands == ["a", "b", "--store"])
        #expect(invocation[store] == "s")
    }

    @Test(
        "What is no command is refused with a sentence that helps",
        arguments: [
            (["trisp"], "there is no command trisp; did you mean trips?"),
            (["vehicles"], "vehicles needs one of: list, set"),
            (["vehicles", "lst"], "there is no command vehicles lst; did you mean vehicles list?"),
            (["trips", "--sinc"], "--since needs a value: --since TIME"),
            (["trips", "--snice", "x"], "there is no option --snice here; did you mean --since?"),
            (["trips", "--s", "x"], "--s may mean --store or --since or --separator"),
            (["trips", "--quiet=yes"], "--quiet takes no value"),
            (["trips", "-x"], "there is no option -x here"),
            (["--since", "x", "trips"], "--since belongs to a command: write it after the command's name"),
            (["lookup", "1"], "lookup needs LON"),
            (["lookup", "1", "2", "3"], "lookup does not take \"3\""),
            (["import"], "import needs FILE"),
            (["--store", "x"], "say which command"),
        ]
    )
    func refused(words: [String], message: String) {
        #expect { _ = try program.parse(words) } throws: { ($0 as? UsageError)?.message == message }
    }

    @Test(
        "Help is found from everywhere",
        arguments: [
            ([], []), (["--help"], []), (["help"], []), (["help", "trips"], ["trips"]), (["trips", "-h"], ["trips"]),
            (["lookup", "--help"], ["lookup"]), (["vehicles", "--help"], ["vehicles"]),
        ] as [([String], [String])]
    )
    func help(words: [String], about: [String]) throws {
        guard case .help(let found) = try program.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(found == about)
        #expect(program.help(found) != nil)
    }

    @Test("No line of help is wider than 80 columns")
    func width() throws {
        for words in [[], ["trips"], ["lookup"], ["vehicles"]] as [[String]] {
            let help = try #require(program.help(words))
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }
}
