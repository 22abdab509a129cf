import Telemetry
import TripDetection

/// The statements that read history; each goes through an index, which a test asks of the query planner.
enum HistorySQL {
    private static let deviceColumns = "d.id, coalesce(d.vehicle, d.id)"

    private static let tripColumns = """
        \(TripRow.columns), d.tag, \(deviceColumns), \(SQLiteConnection.addressColumns(of: "b")), \
        \(SQLiteConnection.addressColumns(of: "e")), b.visits, e.visits
        """

    private static let tripPlaces = """
        LEFT JOIN place AS b ON b.id = t.begin_place LEFT JOIN place AS e ON e.id = t.end_place
        """

    /// Parameters: tag, begin at first sight, count.
    static let oneTrip = """
        SELECT \(tripColumns) FROM device AS d CROSS JOIN trip AS t ON t.device = d.number \(tripPlaces)
        WHERE d.tag = ?1 AND t.id_ms = ?2 AND t.id_count = ?3
        """

    static let vehicles = """
        SELECT id, coalesce(vehicle, id), position_count, first, latest, last_contact_ms, watermark_ms
        FROM device WHERE last IS NOT NULL ORDER BY id
        """

    static func trips(_ query: HistoryQuery) -> String {
        if query.afterChange != nil {
            let conditions =
                conditions(query, table: "trip", begin: "begin_ms", end: "end_ms", seeks: false)
                + [query.includesRemoved ? SQLiteConnection.wasKnown : "t.is_removed = 0", "t.change > :after"]
            return """
                SELECT \(tripColumns) FROM trip AS t CROSS JOIN device AS d ON d.number = t.device \(tripPlaces)
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.change
                """
        }
        let conditions =
            conditions(query, table: "trip", begin: "begin_ms", end: "end_ms", seeks: !query.includesRemoved)
            + (query.includesRemoved ? [] : ["t.is_removed = 0"])
        return """
            SELECT \(tripColumns) FROM device AS d CROSS JOIN trip AS t ON t.device = d.number \(tripPlaces)
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")) ORDER BY d.id, t.begin_ms
            """
    }

    static func stops(_ query: HistoryQuery) -> String {
        let conditions = conditions(query, table: "stop", begin: "arrival_ms", end: "departure_ms", seeks: true)
        return """
            SELECT \(Stop.columns), \(deviceColumns), \(SQLiteConnection.addressColumns(of: "p")), p.visits
            FROM device AS d CROSS JOIN stop AS t ON t.device = d.number LEFT JOIN place AS p ON p.id = t.place
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")) ORDER BY d.id, t.arrival_ms
            """
    }

    static func gaps(_ query: HistoryQuery) -> String {
        let conditions = conditions(query, table: "gap", begin: "begin_ms", end: "end_ms", seeks: true)
        return """
            SELECT \(Gap.columns), \(deviceColumns) FROM device AS d CROSS JOIN gap AS t ON t.device = d.number
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")) ORDER BY d.id, t.begin_ms
            """
    }

    static func setAside(_ query: HistoryQuery) -> String {
        var conditions: [String] = []
        if query.device != nil { conditions.append("d.id = :device") }
        if query.since != nil { conditions.append("t.fix_ms >= :since") }
        if query.until != nil { conditions.append("t.fix_ms < :until") }
        return """
            SELECT \(SetAside.columns), \(deviceColumns)
            FROM device AS d CROSS JOIN set_aside AS t ON t.device = d.number
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY d.id, t.fix_ms, t.latitude_e7, t.longitude_e7
            """
    }

    /// Rows that overlap the query's span; rows of a device tile its time, so one row at most begins before the span
    /// and reaches into it, and `seeks` finds it by one step in the index.
    private static func conditions(
        _ query: HistoryQuery,
        table: String,
        begin: String,
        end: String,
        seeks: Bool
    ) -> [String] {
        var conditions: [String] = []
        if query.device != nil { conditions.append("d.id = :device") }
        if query.until != nil { conditions.append("t.\(begin) < :until") }
        if query.since != nil {
            conditions.append("(t.\(end) > :since OR t.\(begin) >= :since)")
            if seeks {
                let live = table == "trip" ? " AND x.is_removed = 0" : ""
                conditions.append(
                    """
                    t.\(begin) >= coalesce((SELECT x.\(begin) FROM \(table) AS x WHERE x.device = d.number\(live) \
                    AND x.\(begin) <= :since ORDER BY x.\(begin) DESC LIMIT 1), :since)
                    """
                )
            }
        }
        return conditions
    }
}

extension HistoryQuery {
    /// Binds what the statements of `HistorySQL` name.
    func bind(to statement: borrowing SQLiteStatement) throws(StoreError) {
        if let device { try statement.bind(device.text, named: ":device") }
        if let since { try statement.bind(since.milliseconds, named: ":since") }
        if let until { try statement.bind(until.milliseconds, named: ":until") }
        if let afterChange { try statement.bind(afterChange, named: ":after") }
    }
}

extension SQLiteStatement {
    /// Binds a named parameter, if the statement has it.
    borrowing func bind(_ value: Int64, named name: String) throws(StoreError) {
        if let index = parameter(name) { try bind(value, at: index) }
    }

    /// Binds a named parameter, if the statement has it.
    borrowing func bind(_ value: String, named name: String) throws(StoreError) {
        if let index = parameter(name) { try bind(value, at: index) }
    }
}
