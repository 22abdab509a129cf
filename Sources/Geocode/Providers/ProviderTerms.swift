import Foundation
package import Telemetry

/// What a provider allows, as data; the defaults are its own terms, settings say what another contract allows.
package struct ProviderTerms: Hashable, Sendable {
    /// How long answers may be kept.
    package enum Keeping: Hashable, Sendable {
        case forever
        case days(Int)
        /// Not beyond what showing them needs: no cache, and asked again after a day.
        case notAtAll
    }

    package var keeping: Keeping
    /// The least time between two calls, in milliseconds.
    package var interval: Int64
    /// Calls in one of its days; nil for no limit.
    package var daily: Int64?
    /// Where its day begins at midnight: an IANA name.
    package var resetZone: String
    /// Shown with the addresses.
    package var attribution: String?
    /// What its plans exclude, for people who choose one.
    package var exclusions: String?

    package init(
        keeping: Keeping,
        interval: Int64,
        daily: Int64? = nil,
        resetZone: String = "UTC",
        attribution: String? = nil,
        exclusions: String? = nil
    ) {
        self.keeping = keeping
        self.interval = interval
        self.daily = daily
        self.resetZone = resetZone
        self.attribution = attribution
        self.exclusions = exclusions
    }

    /// Whether answers may enter the cache.
    package var mayCache: Bool { keeping != .notAtAll }

    /// When an address that came now must go or be asked for again; nil for never.
    package func expiry(from now: Timestamp) -> Timestamp? {
        switch keeping {
        case .forever: nil
        case .days(let days): now + Int64(days) * Self.day
        case .notAtAll: now + Self.day
        }
    }

    /// When "nothing here" is asked again: maps grow.
    package func negativeExpiry(from now: Timestamp) -> Timestamp {
        let longest = now + 30 * Self.day
        return min(expiry(from: now) ?? longest, longest)
    }

    /// When a cache entry goes: also an own server's map changes.
    package func cacheExpiry(from now: Timestamp) -> Timestamp {
        let longest = now + 180 * Self.day
        return min(expiry(from: now) ?? longest, longest)
    }

    /// The provider's day that holds an instant: 23 to 25 hours where clocks change.
    package func day(of now: Timestamp) -> Range<Timestamp> {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: resetZone) ?? .gmt
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        guard let day = calendar.dateInterval(of: .day, for: date) else {
            let first = now.milliseconds - now.milliseconds % Self.day
            return Timestamp(milliseconds: first)..<Timestamp(milliseconds: first + Self.day)
        }
        return Timestamp(date: day.start)..<Timestamp(date: day.end)
    }

    private static var day: Int64 { 86_400_000 }
}

extension Timestamp {
    init(date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
