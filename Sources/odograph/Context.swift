import Arguments
import CivilTime
import Foundation
import Reports
import Synchronization
import Telemetry
import TripStore

/// All that a command works with: what was typed, the surroundings, and what it writes to.
struct Context: Sendable {
    let invocation: Invocation
    let environment: [String: String]
    let now: Timestamp

    init(invocation: Invocation, environment: [String: String]) {
        self.invocation = invocation
        self.environment = environment
        now = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    var operands: [String] { invocation.operands }
    var terminal: Terminal { Terminal(environment: environment) }

    /// `--store`, or ODOGRAPH_STORE, or a file under the user's data folder.
    var storePath: String {
        if let path = namedStore { return path }
        let home = environment["HOME"] ?? NSHomeDirectory()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/share"
        return "\(data)/odograph/store.sqlite"
    }

    /// The store that `--store` or ODOGRAPH_STORE names, nil when neither does.
    var namedStore: String? { invocation[.store] ?? environment["ODOGRAPH_STORE"] }

    /// Refuses an empty name, as a script with an unset variable gives it: another store would be used silently.
    func checkStoreName() throws {
        guard namedStore?.isEmpty == true else { return }
        let name = invocation[.store] == nil ? "ODOGRAPH_STORE" : "--store"
        throw CommandFailure(.usage, "\(name) is empty: name a store, or leave it out for the default one")
    }

    // MARK: Options with a meaning

    func zone() throws -> Zone {
        guard let name = invocation[.zone] else { return .utc }
        guard let zone = Zone(name) else {
            throw CommandFailure(.usage, "--zone: there is no time zone \(name)")
        }
        return zone
    }

    func time(_ option: Option, in zone: Zone) throws -> TimeExpression? {
        guard let text = invocation[option] else { return nil }
        guard let time = TimeExpression(text, zone: zone, now: now) else {
            throw CommandFailure(.usage, "--\(option.name): \"\(text)\" is no time; try \(TimeExpression.forms)")
        }
        return time
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ option: Option) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = invocation[option] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue)
            let hint = closest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
            throw CommandFailure(.usage, "--\(option.name) is one of \(names.joined(separator: ", "))\(hint)")
        }
        return choice
    }

    func device(_ option: Option) throws -> DeviceID? {
        guard let text = invocation[option] else { return nil }
        guard let device = DeviceID(text) else {
            throw CommandFailure(.usage, "--\(option.name): a device is 1 to 128 bytes without control characters")
        }
        return device
    }

    func style() throws -> ReportStyle {
        var style = ReportStyle(format: try choice(.format) ?? .table, zone: try zone())
        style.csv = try csvStyle(for: style.format.rawValue)
        style.terminalWidth = terminal.outputWidth
        style.hasColours = terminal.hasColours
        return style
    }

    /// What `--separator` and `--bom` say, which go with CSV alone.
    func csvStyle(for format: String) throws -> CSVStyle {
        guard format == ReportFormat.csv.rawValue || !(invocation.has(.separator) || invocation.has(.byteOrderMark))
        else { throw CommandFailure(.usage, "--separator and --bom belong to --format csv") }
        var style = CSVStyle()
        style.hasByteOrderMark = invocation.has(.byteOrderMark)
        if let text = invocation[.separator] {
            guard let separator = CSVStyle.separator(text) else {
                throw CommandFailure(.usage, "--separator is one printable ASCII character other than a quote, or tab")
            }
            style.separator = separator
        }
        return style
    }

    /// The span of `--day`, or of `--since` and `--until`.
    func historyQuery(zone: Zone) throws -> HistoryQuery {
        var query = HistoryQuery()
        if let day = try time(.day, in: zone) {
            guard !invocation.has(.since), !invocation.has(.until) else {
                throw CommandFailure(.usage, "--day already says since and until")
            }
            guard !day.isInstant else { throw CommandFailure(.usage, "--day takes a day or a month") }
            (query.since, query.until) = (day.begin, day.end)
        } else {
            query.since = try time(.since, in: zone)?.begin
            query.until = try time(.until, in: zone)?.end
        }
        if let since = query.since, let until = query.until, since >= until {
            throw CommandFailure(.usage, "--since \(zone.text(since)) is not before --until \(zone.text(until))")
        }
        return query
    }

    // MARK: Output

    /// Writes records as they come, and what their addresses' sources ask to be named on standard error.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func write<Record>(
        _ records: RecordStream<Record>,
        columns: [Column<Record>],
        table: [TableColumn<Record>],
        style: ReportStyle,
        addresses: (Record) -> [AddressState] = { _ in [] }
    ) async throws -> Int {
        var attributions = Attributions()
        var count = 0
        let output = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output")
        var formatter = style.formatter(columns: columns, table: table)
        formatter.begin(&output.buffer)
        for try await record in records {
            formatter.append(record, to: &output.buffer)
            for state in addresses(record) { attributions.add(state) }
            count += 1
            try output.flushIfFull()
        }
        formatter.end(&output.buffer)
        try output.flush()
        if style.format == .table {
            if let hidden = (formatter as? TableFormatter<Record>)?.hidden, !hidden.isEmpty {
                Terminal.say(
                    "Too narrow for \(hidden.joined(separator: ", ")): widen the terminal, or take --format csv."
                )
            }
            for line in attributions.lines { Terminal.say(line) }
        }
        return count
    }

    /// Writes a few records.
    func write<Record>(_ records: [Record], by formatter: some RecordFormatter<Record>) throws {
        let output = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output")
        var formatter = formatter
        formatter.begin(&output.buffer)
        for record in records { formatter.append(record, to: &output.buffer) }
        formatter.end(&output.buffer)
        try output.flush()
    }

    func sayAttributions(of states: [AddressState]) {
        var attributions = Attributions()
        for state in states { attributions.add(state) }
        for line in attributions.lines { Terminal.say(line) }
    }

    func write(_ text: String) throws {
        let output = ByteOutput(descriptor: STDOUT_FILENO, name: "standard output")
        output.buffer.append(text)
        try output.flush()
    }
}

extension RecordStream {
    /// A stream of what is already there.
    init(_ elements: [Element]) {
        let pages = Mutex([elements])
        self.init { () throws(StoreError) in pages.withLock { $0.popLast() ?? [] } }
    }
}
