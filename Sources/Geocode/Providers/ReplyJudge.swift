import Foundation
import Telemetry

/// What replies mean whoever sent them: statuses, times to wait, and bodies that are no JSON.
enum ReplyJudge {
    /// Longest pause that is believed, in milliseconds: a week.
    static let longestPause: Int64 = 7 * 86_400_000

    /// The JSON of a reply of status 200, or what the reply means instead.
    static func json(of reply: HTTPReply, now: Timestamp) -> Result<JSON, Verdict> {
        guard reply.status == 200 else { return .failure(Verdict(outcome(ofStatus: reply, now: now))) }
        guard let json = JSON(decodedBody(of: reply)) else {
            return .failure(Verdict(.transient("the answer is no JSON")))
        }
        return .success(json)
    }

    /// An outcome in the place of an error.
    struct Verdict: Error {
        let outcome: GeocodeOutcome
        init(_ outcome: GeocodeOutcome) { self.outcome = outcome }
    }

    /// What a status other than 200 means, if the provider does not say something else.
    static func outcome(ofStatus reply: HTTPReply, now: Timestamp) -> GeocodeOutcome {
        let until = retryTime(reply.headers["retry-after"], now: now)
        let reason = "HTTP \(reply.status)"
        switch reply.status {
        case 400, 405, 406, 411, 413, 414, 415, 422: return .badRequest(reason)
        case 401, 403, 407, 410, 426, 451: return .denied(reason)
        case 402: return .quota(until: until, reason)
        case 404: return .transient("HTTP 404: is the provider's URL right?")
        case 429: return isDaily(reply) ? .quota(until: until, reason) : .throttled(until: until, reason)
        case 503 where until != nil: return .throttled(until: until, reason)
        default: return .transient(reason)
        }
    }

    /// A `Retry-After` in seconds or as an HTTP date; nil when there is none or it makes no sense.
    static func retryTime(_ text: String?, now: Timestamp) -> Timestamp? {
        guard let text else { return nil }
        if let seconds = Double(text), seconds.isFinite {
            let milliseconds = min(Double(longestPause), max(1000, (seconds * 1000).rounded(.up)))
            return now + Int64(milliseconds)
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        for format in ["EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy"] {
            formatter.dateFormat = format
            guard let date = formatter.date(from: text) else { continue }
            return min(now + longestPause, max(now + 1000, Timestamp(date: date)))
        }
        return nil
    }

    /// Whether a refusal speaks of a day rather than of a second.
    static func isDaily(_ reply: HTTPReply) -> Bool {
        guard reply.body.count < 4096 else { return false }
        let text = String(decoding: reply.body, as: UTF8.self).lowercased()
        return ["daily", "per day", "limited day", "quota", "/day"].contains { text.contains($0) }
    }

    /// The body in UTF-8, if its header says that it is in something else that is known.
    static func decodedBody(of reply: HTTPReply) -> [UInt8] {
        let type = reply.headers["content-type"]?.lowercased() ?? ""
        guard let range = type.range(of: "charset=") else { return reply.body }
        let name = type[range.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: ["\"", "'", " "])
        let encoding: String.Encoding? =
            switch name {
            case "iso-8859-1", "latin1": .isoLatin1
            case "windows-1251", "cp1251": .windowsCP1251
            case "windows-1252", "cp1252": .windowsCP1252
            default: nil
            }
        // Valid UTF-8 beats a header that says otherwise: text in these encodings is hardly ever valid UTF-8.
        guard let encoding, String(validating: reply.body, as: UTF8.self) == nil,
            let text = String(bytes: reply.body, encoding: encoding)
        else { return reply.body }
        return Array(text.utf8)
    }
}
