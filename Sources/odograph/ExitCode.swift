import Gazetteer
import Geocode
import Ingest
import Reports
import TripStore

/// What the shell, cron and systemd are told, by the numbers of sysexits.h.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75

    var meaning: String {
        switch self {
        case .success: "done; of an import: every file could be read, even if reports were refused and counted"
        case .usage: "the command line is wrong"
        case .badData:
            "an input file is not what it seems or is damaged, reports were refused with --strict, or a check found faults"
        case .noInput: "a file, store, trip or vehicle does not exist"
        case .unavailable: "something that is needed is not installed"
        case .software: "a fault in Odograph"
        case .cannotCreate: "something cannot be written where it should go"
        case .inputOutput: "reading or writing failed, for one because the disk is full"
        case .tryAgain: "another process is at it: the same command may succeed later"
        }
    }
}

/// Why a command ends, with a sentence for standard error.
struct CommandFailure: Error {
    var code: ExitCode
    var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension CommandFailure {
    /// What an error of the libraries means to the one who typed the command.
    init(_ error: any Error, storePath: String) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(error, storePath: storePath)
        case let error as ReportError:
            switch error.kind {
            case .system: self.init(.inputOutput, error.message)
            case .missing: self.init(.noInput, error.message)
            case .target: self.init(.cannotCreate, error.message)
            case .busy: self.init(.tryAgain, error.message)
            case .damaged: self.init(.badData, error.message)
            case .elsewhere: self.init(.cannotCreate, error.message)
            }
        case let error as IngestError: self.init(error.kind == .needsOption ? .usage : .badData, error.description)
        case let error as GazetteerError:
            self.init(error.kind == .notFound ? .unavailable : .badData, error.message)
        case let error as ProviderError: self.init(.usage, error.message)
        default: self.init(.software, "\(error)")
        }
    }

    private init(_ error: StoreError, storePath: String) {
        let message = "\(storePath): \(error.message)"
        switch error.kind {
        case .busy: self.init(.tryAgain, message)
        case .full: self.init(.inputOutput, message)
        case .readOnly: self.init(.cannotCreate, message)
        case .missing: self.init(.noInput, message)
        case .corrupt, .foreign: self.init(.badData, message)
        case .exists: self.init(.cannotCreate, message)
        case .closed, .other: self.init(.software, message)
        }
    }
}
