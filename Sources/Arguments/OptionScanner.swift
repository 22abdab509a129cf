internal import CGetopt

/// Walks over arguments with `getopt_long`, an option or an operand at a time, so that options may stand anywhere.
///
/// getopt keeps its place in C globals: one scanner at a time, on one thread.
struct OptionScanner: ~Copyable {
    enum Token {
        case option(Option, value: String)
        case operand(String)
        case end
    }

    private let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int32
    private var onlyOperands = false

    /// - Parameter words: without the program's name.
    init(_ words: [String]) {
        count = Int32(words.count + 1)
        arguments = .allocate(capacity: words.count + 2)
        arguments.initialize(repeating: nil, count: words.count + 2)
        arguments[0] = OptionScanner.copy("")
        for (index, word) in words.enumerated() { arguments[index + 1] = OptionScanner.copy(word) }
        // 0 makes glibc begin anew, also in the middle of a cluster of letters.
        odograph_set_optind(0)
        odograph_set_opterr(0)
    }

    deinit {
        for index in 0..<Int(count) { arguments[index]?.deallocate() }
        arguments.deallocate()
    }

    /// The next token, read as one of `options`.
    mutating func next(among options: [Option]) throws(UsageError) -> Token {
        let index = max(1, odograph_optind())
        guard index < count else { return .end }
        let word = self.word(index)
        if onlyOperands || OptionScanner.isNumber(word) { return operand(index) }

        switch OptionScanner.read(count, arguments, options) {
        case .found(let option, let value):
            return .option(option, value: value)
        case .none:
            if odograph_optind() == index + 1, word == "--" {
                onlyOperands = true
                return try next(among: options)
            }
            return operand(index)
        case .lacksValue(let option):
            throw UsageError("--\(option.name) needs a value: \(option.usage)")
        case .needsNoValue(let option):
            throw UsageError("--\(option.name) takes no value")
        case .unknown(let letter):
            throw OptionScanner.unknown(letter.map { "-\($0)" } ?? word, among: options)
        }
    }

    private func word(_ index: Int32) -> String { arguments[Int(index)].map { String(cString: $0) } ?? "" }

    private func operand(_ index: Int32) -> Token {
        odograph_set_optind(index + 1)
        return .operand(word(index))
    }

    /// Whether a word is a number with a sign, which is no option: `-9.5`.
    private static func isNumber(_ word: String) -> Bool {
        guard let second = word.utf8.dropFirst().first, word.hasPrefix("-") else { return false }
        return second == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    private static func unknown(_ word: String, among options: [Option]) -> UsageError {
        let typed = word.prefix { $0 != "=" }
        let names = options.map { "--\($0.name)" }
        let matching = names.filter { $0.hasPrefix(typed) && typed.count > 2 }
        if matching.count > 1 { return UsageError("\(typed) may mean \(matching.joined(separator: " or "))") }
        let hint = closest(to: String(typed), among: names).map { "; did you mean \($0)?" } ?? ""
        return UsageError("there is no option \(typed) here\(hint)")
    }

    private enum Reading {
        case found(Option, String)
        case none
        case lacksValue(Option)
        case needsNoValue(Option)
        case unknown(letter: Character?)
    }

    /// One call of `getopt_long`; long options return their index plus this, letters themselves.
    private static var base: Int32 { 256 }

    private static func read(
        _ count: Int32,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        _ options: [Option]
    ) -> Reading {
        let names = options.map { copy($0.name) }
        defer { for name in names { name.deallocate() } }
        var table = zip(options, names).enumerated().map { index, pair in
            option(
                name: pair.1,
                has_arg: pair.0.value == nil ? no_argument : required_argument,
                flag: nil,
                val: base + Int32(index)
            )
        }
        table.append(option())
        // "+" stops at the first operand, ":" tells a missing value from an unknown option.
        let letters =
            "+:"
            + options.compactMap { one in
                one.letter.map { "\($0)" + (one.value == nil ? "" : ":") }
            }.joined()
        func named(_ code: Int32) -> Option? {
            if code >= base { return options[Int(code - base)] }
            return options.first { $0.letter?.asciiValue.map(Int32.init) == code }
        }
        let code = getopt_long(count, arguments, letters, table, nil)
        switch code {
        case -1: return .none
        case Int32(UInt8(ascii: ":")):
            if let option = named(odograph_optopt()) { return .lacksValue(option) }
        case Int32(UInt8(ascii: "?")):
            let wrong = odograph_optopt()
            if wrong >= base { return .needsNoValue(options[Int(wrong - base)]) }
            return .unknown(letter: wrong == 0 ? nil : Character(Unicode.Scalar(UInt8(truncatingIfNeeded: wrong))))
        default:
            if let option = named(code) {
                let value = option.value == nil ? "" : odograph_optarg().map { String(cString: $0) } ?? ""
                return .found(option, value)
            }
        }
        return .unknown(letter: nil)
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: byte) }
        return copy
    }
}
