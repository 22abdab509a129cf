import Telemetry

/// The accounts of the providers, shared by all processes; each call belongs into a transaction of the caller.
extension SQLiteConnection {
    private struct Account {
        var name: String
        var nextCall = Timestamp(milliseconds: 0)
        var dayBegin = Timestamp(milliseconds: 0)
        var dayEnd = Timestamp(milliseconds: 0)
        var calls: Int64 = 0
        var dailyLimit: Int64?
        /// In a row.
        var failures = 0
        var pausedUntil: Timestamp?
        var isDenied = false
        var reason: String?
    }

    /// Failures in a row that open the breaker.
    private static let breakerThreshold = 5
    /// Milliseconds of the breaker's first pause; doubled with each further failure.
    private static let firstPause = 60_000.0
    private static let longestPause = 900_000.0
    /// Milliseconds in which a probe must have ended before the next one.
    private static let probe: Int64 = 30_000

    func reserve(_ request: CallRequest, now: Timestamp) throws(StoreError) -> CallReservation {
        var account = try account(request.provider) ?? Account(name: request.provider)
        if account.isDenied { return .denied(reason: account.reason ?? "denied") }
        if let until = account.pausedUntil, until > now {
            return .paused(until: until, reason: account.reason ?? "paused")
        }
        // The provider's day: a clock that was set back does not give a spent day back.
        if request.day.lowerBound > account.dayBegin {
            account.dayBegin = request.day.lowerBound
            account.dayEnd = request.day.upperBound
            account.calls = 0
        }
        account.dailyLimit = request.daily
        if let daily = request.daily, account.calls >= daily {
            return .paused(until: max(account.dayEnd, now + 1000), reason: "the day's budget is spent")
        }
        // A time far ahead was written by a clock that has been set back since.
        let isAhead = account.nextCall - now > max(request.interval, 1000) * 60
        if account.nextCall > now, !isAhead { return .paused(until: account.nextCall, reason: "others call first") }
        account.nextCall = now + request.interval
        account.calls += 1
        if account.failures >= Self.breakerThreshold {
            // After the pause one call probes; the others wait for how it ends.
            account.pausedUntil = now + Self.probe
        } else {
            account.pausedUntil = nil
            account.reason = nil
        }
        try write(account)
        return .granted
    }

    func record(_ result: CallResult, provider: String, now: Timestamp) throws(StoreError) {
        var account = try account(provider) ?? Account(name: provider)
        switch result {
        case .answered:
            guard account.failures > 0 else { return }
            account.failures = 0
            account.pausedUntil = nil
            account.reason = nil
        case .failed(let reason, let jitter):
            account.failures += 1
            if account.failures >= Self.breakerThreshold {
                let doublings = min(account.failures - Self.breakerThreshold, 10)
                let pause = min(Self.longestPause, Self.firstPause * Double(1 << doublings))
                account.pausedUntil = now + Int64(pause * (0.5 + jitter / 2))
                account.reason = "\(account.failures) failures in a row: \(reason)"
            }
        case .paused(let until, let reason):
            account.pausedUntil = max(account.pausedUntil ?? until, until)
            account.reason = reason
        case .denied(let reason):
            account.isDenied = true
            account.reason = reason
        }
        try write(account)
    }

    func resetAccounts() throws(StoreError) {
        try execute("UPDATE geocode_provider SET is_denied = 0, paused_until_ms = NULL, failures = 0, reason = NULL")
    }

    func providerStatus(now: Timestamp) throws(StoreError) -> [GeocodeStatus.Provider] {
        try accounts("ORDER BY name").map { account in
            var status = GeocodeStatus.Provider(name: account.name)
            let isToday = account.dayEnd > now
            status.callsToday = isToday ? account.calls : 0
            status.dailyLimit = account.dailyLimit
            status.nextReset = isToday ? account.dayEnd : nil
            status.pausedUntil = account.pausedUntil.flatMap { $0 > now ? $0 : nil }
            status.isDenied = account.isDenied
            status.reason = account.isDenied || status.pausedUntil != nil ? account.reason : nil
            return status
        }
    }

    private func account(_ name: String) throws(StoreError) -> Account? {
        try accounts("WHERE name = ?", name).first
    }

    private func accounts(_ clause: String, _ name: String? = nil) throws(StoreError) -> [Account] {
        try withStatement(
            """
            SELECT name, next_call_ms, day_begin_ms, day_end_ms, calls, daily_limit, failures, paused_until_ms, is_denied,
                reason FROM geocode_provider \(clause)
            """
        ) { (statement) throws(StoreError) in
            if let name { try statement.bind(name, at: 1) }
            var accounts: [Account] = []
            while try statement.step() {
                accounts.append(
                    Account(
                        name: statement.text(0),
                        nextCall: statement.timestamp(1),
                        dayBegin: statement.timestamp(2),
                        dayEnd: statement.timestamp(3),
                        calls: statement.int64(4),
                        dailyLimit: statement.optionalInt64(5),
                        failures: statement.int(6),
                        pausedUntil: statement.optionalTimestamp(7),
                        isDenied: statement.bool(8),
                        reason: statement.optionalText(9)
                    )
                )
            }
            return accounts
        }
    }

    private func write(_ account: Account) throws(StoreError) {
        try withStatement(
            """
            INSERT OR REPLACE INTO geocode_provider (name, next_call_ms, day_begin_ms, day_end_ms, calls, daily_limit,
                failures, paused_until_ms, is_denied, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(account.name, at: 1)
            try statement.bind(account.nextCall, at: 2)
            try statement.bind(account.dayBegin, at: 3)
            try statement.bind(account.dayEnd, at: 4)
            try statement.bind(account.calls, at: 5)
            try statement.bind(account.dailyLimit, at: 6)
            try statement.bind(account.failures, at: 7)
            try statement.bind(account.pausedUntil, at: 8)
            try statement.bind(account.isDenied, at: 9)
            try statement.bind(account.reason, at: 10)
            try statement.run()
        }
    }
}
