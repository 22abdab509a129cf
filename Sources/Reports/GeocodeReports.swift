package import CivilTime
import Telemetry
package import TripStore

extension GeocodeStatus {
    private static func ordered(_ reasons: [String: Int64]) -> [(key: String, value: Int64)] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    package func json(zone: Zone) -> JSON {
        func counts(_ reasons: [String: Int64]) -> JSON {
            .object(Self.ordered(reasons).map { ($0.key, .integer($0.value)) })
        }
        return .object([
            ("resolved", .integer(resolved)),
            ("provisional", .integer(provisional)),
            ("nothing", .integer(nothing)),
            ("pending", .integer(pending)),
            ("failed", .integer(failed)),
            ("waiting", .integer(waiting)),
            ("in_flight", .integer(inFlight)),
            ("waiting_reasons", counts(waitingReasons)),
            ("dead_reasons", counts(deadReasons)),
            ("next_try", .string(nextTry.map { zone.text($0) })),
            (
                "providers",
                .array(
                    providers.map { provider in
                        .object([
                            ("name", .string(provider.name)),
                            ("calls_today", .integer(provider.callsToday)),
                            ("daily_limit", provider.dailyLimit.map { .integer($0) } ?? .null),
                            ("next_reset", .string(provider.nextReset.map { zone.text($0) })),
                            ("paused_until", .string(provider.pausedUntil.map { zone.text($0) })),
                            ("denied", .bool(provider.isDenied)),
                            ("reason", .string(provider.reason)),
                        ])
                    }
                )
            ),
        ])
    }

    /// For people: places by state, what waits and why, and the providers' accounts.
    package func sheet(zone: Zone) -> String {
        func reasons(_ reasons: [String: Int64]) -> String? {
            reasons.isEmpty
                ? nil : Self.ordered(reasons).map { "\($0.key) \(Measure.count($0.value))" }.joined(separator: ", ")
        }
        func some(_ count: Int64) -> String? { count > 0 ? Measure.count(count) : nil }
        var rows: [(String, String?)] = [
            ("Resolved", Measure.count(resolved)),
            ("Provisional", some(provisional)),
            ("Nothing there", some(nothing)),
            ("Pending", Measure.count(pending)),
            ("Failed", some(failed)),
            ("In the queue", some(waiting)),
            ("In flight", some(inFlight)),
            ("Waiting for", reasons(waitingReasons)),
            ("Given up for", reasons(deadReasons)),
            ("Next try", nextTry.map { zone.tableText($0) }),
        ]
        for provider in providers {
            var parts = ["\(Measure.count(provider.callsToday, "call")) today"]
            if let limit = provider.dailyLimit {
                parts.append("of \(Measure.count(limit)), \(Measure.count(max(0, limit - provider.callsToday))) left")
                if let reset = provider.nextReset { parts.append("until \(zone.tableText(reset))") }
            }
            if provider.isDenied {
                parts.append("switched off")
            } else if let paused = provider.pausedUntil {
                parts.append("paused until \(zone.tableText(paused))")
            }
            if let reason = provider.reason { parts.append("(\(reason))") }
            rows.append((provider.name, parts.joined(separator: " ")))
        }
        return Sheet(rows).text
    }
}

extension StopPlaceRecord {
    /// For people: where it is, who was there, and where its address comes from.
    package func sheet(zone: Zone) -> String {
        var rows: [(String, String?)] = [
            ("  Place", "\(id) at \(Measure.point(place.centre)), \(Measure.count(place.visitCount, "visit"))"),
            ("  By hand", corrected),
            ("  State", address.name),
        ]
        if case .failed(let reason, let nextTry) = address {
            rows.append(("  Reason", reason))
            rows.append(("  Next try", nextTry.map { zone.tableText($0) }))
        }
        if let found = address.address {
            rows += [
                ("  Address", found.line),
                ("  Level", found.level.name),
                ("  Provider", found.provider),
                ("  Language", found.language),
                ("  Found at", found.point.map { Measure.point($0) }),
                ("  Distance", found.distance.map { Measure.distance(millimetres: Int64(($0 * 1000).rounded())) }),
                ("  Resolved", zone.tableText(found.resolvedTime)),
                ("  Expires", found.expiryTime.map { zone.tableText($0) }),
            ]
        }
        return Sheet(rows).text
    }
}
