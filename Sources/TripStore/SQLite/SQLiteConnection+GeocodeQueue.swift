import Telemetry

/// The geocode queue; each call belongs into a transaction of the caller.
extension SQLiteConnection {
    /// A task whose lease ran out this often kills its workers.
    private static let highestAttempts = 8

    func leaseTasks(
        limit: Int,
        onePerCell: Bool,
        owner: String,
        now: Timestamp,
        until: Timestamp
    ) throws(StoreError) -> [GeocodeTask] {
        try takeBackLostLeases(now: now)
        try withStatement("UPDATE geocode_task SET phase = 0 WHERE phase = 1 AND next_ms <= ?") {
            (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            try statement.run()
        }
        var busy: Set<Int64> = []
        try withStatement("SELECT cell FROM geocode_task WHERE leased_until_ms IS NOT NULL") {
            (statement) throws(StoreError) in
            while try statement.step() { busy.insert(statement.int64(0)) }
        }
        var tasks: [GeocodeTask] = []
        try withStatement(
            """
            SELECT t.place, t.cell, p.latitude_e7, p.longitude_e7, t.priority, t.attempts, t.lease,
                CASE p.state WHEN 1 THEN p.address END
            FROM geocode_task t INDEXED BY geocode_task_order CROSS JOIN place p ON p.id = t.place
            WHERE t.phase = 0 AND t.next_ms <= ? AND t.leased_until_ms IS NULL
            ORDER BY t.priority, t.created_ms DESC
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            while tasks.count < limit, try statement.step() {
                guard busy.insert(statement.int64(1)).inserted || !onePerCell else { continue }
                tasks.append(
                    GeocodeTask(
                        place: statement.int64(0),
                        point: statement.coordinate(2),
                        priority: GeocodeTask.Priority(rawValue: UInt8(truncatingIfNeeded: statement.int64(4)))
                            ?? .backfill,
                        attempts: statement.int(5),
                        lease: statement.int64(6) + 1,
                        provisional: statement.optionalText(7).flatMap(AddressCode.decode)
                    )
                )
            }
        }
        for task in tasks {
            try withStatement(
                "UPDATE geocode_task SET lease = ?2, owner = ?3, leased_until_ms = ?4 WHERE place = ?1"
            ) { (statement) throws(StoreError) in
                try statement.bind(task.place, at: 1)
                try statement.bind(task.lease, at: 2)
                try statement.bind(owner, at: 3)
                try statement.bind(until, at: 4)
                try statement.run()
            }
        }
        return tasks
    }

    private func takeBackLostLeases(now: Timestamp) throws(StoreError) {
        try withStatement(
            """
            UPDATE geocode_task SET leased_until_ms = NULL, owner = NULL, attempts = attempts + 1,
                reason = 'the process that had it ended', 
                phase = CASE WHEN attempts + 1 >= \(Self.highestAttempts) THEN 2 ELSE 0 END
            WHERE leased_until_ms <= ?
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(now, at: 1)
            try statement.run()
        }
        guard changedRows > 0 else { return }
        try execute(
            """
            UPDATE place SET state = 4, reason = 'the processes that asked for it ended' WHERE state = 0 AND id IN
                (SELECT place FROM geocode_task WHERE phase = 2)
            """
        )
    }

    /// Applies one outcome.
    ///
    /// - Returns: false when this owner no longer holds the task.
    func settle(_ outcome: GeocodeSettlement, owner: String, now: Timestamp) throws(StoreError) -> Bool {
        let task = outcome.task
        let isHeld = try withStatement(
            """
            SELECT 1 FROM geocode_task
            WHERE place = ? AND lease = ? AND owner = ? AND leased_until_ms IS NOT NULL
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(task.place, at: 1)
            try statement.bind(task.lease, at: 2)
            try statement.bind(owner, at: 3)
            return try statement.step()
        }
        guard isHeld, let old = try place(task.place) else {
            if isHeld { try removeTask(of: task.place) }  // the place is gone
            return false
        }
        switch outcome.result {
        case .resolved(let address):
            try removeTask(of: task.place)
            let state: Int64 = 2
            try write(address, state: state, to: old, outcome: outcome)
        case .nothing(let expiry):
            try removeTask(of: task.place)
            try writeNothing(to: old, outcome: outcome, expiry: expiry)
        case .again(let next, let reason, let countsAttempt, let address):
            try postpone(task, next: next, reason: reason, countsAttempt: countsAttempt)
            if let address { try writeProvisional(address, to: old, outcome: outcome) }
            let attempts = task.attempts + (countsAttempt ? 1 : 0)
            if address == nil, attempts >= 3 { try writeFailure(reason, nextTry: next, to: old) }
        case .dead(let reason, let address):
            try withStatement(
                """
                UPDATE geocode_task SET phase = 2, reason = ?2, attempts = attempts + 1, leased_until_ms = NULL,
                    owner = NULL WHERE place = ?1
                """
            ) { (statement) throws(StoreError) in
                try statement.bind(task.place, at: 1)
                try statement.bind(reason, at: 2)
                try statement.run()
            }
            if let address {
                try writeProvisional(address, to: old, outcome: outcome)
            } else {
                try writeFailure(reason, nextTry: nil, to: old)
            }
        case .released:
            try withStatement("UPDATE geocode_task SET leased_until_ms = NULL, owner = NULL WHERE place = ?") {
                (statement) throws(StoreError) in
                try statement.bind(task.place, at: 1)
                try statement.run()
            }
        }
        return true
    }

    private func removeTask(of place: Int64) throws(StoreError) {
        try withStatement("DELETE FROM geocode_task WHERE place = ?") { (statement) throws(StoreError) in
            try statement.bind(place, at: 1)
            try statement.run()
        }
    }

    private func postpone(
        _ task: GeocodeTask,
        next: Timestamp,
        reason: String,
        countsAttempt: Bool
    ) throws(StoreError) {
        try withStatement(
            """
            UPDATE geocode_task SET phase = 1, next_ms = ?2, reason = ?3, attempts = attempts + ?4, leased_until_ms = NULL,
                owner = NULL WHERE place = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(task.place, at: 1)
            try statement.bind(next, at: 2)
            try statement.bind(reason, at: 3)
            try statement.bind(countsAttempt, at: 4)
            try statement.run()
        }
    }

    private func writeProvisional(
        _ address: Address,
        to old: StopPlaceRecord,
        outcome: GeocodeSettlement
    ) throws(StoreError) {
        // A finer answer that is there already is not given up for a coarser one of the same language.
        if let known = old.address.address, known.language == address.language, known.level < address.level { return }
        try write(address, state: 1, to: old, outcome: outcome)
    }

    private func write(
        _ address: Address,
        state: Int64,
        to old: StopPlaceRecord,
        outcome: GeocodeSettlement
    ) throws(StoreError) {
        try withStatement(
            """
            UPDATE place SET state = ?2, level = ?3, provider = ?4, language = ?5, sources = ?6, resolved_ms = ?7,
                expiry_ms = ?8, asked_latitude_e7 = ?9, asked_longitude_e7 = ?10, address = ?11, reason = NULL,
                next_try_ms = NULL
            WHERE id = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(old.id, at: 1)
            try statement.bind(state, at: 2)
            try statement.bind(Int(address.level.rawValue), at: 3)
            try statement.bind(address.provider, at: 4)
            try statement.bind(address.language, at: 5)
            try statement.bind(outcome.sources.joined(separator: ","), at: 6)
            try statement.bind(address.resolvedTime, at: 7)
            try statement.bind(address.expiryTime, at: 8)
            try statement.bind(outcome.task.point.latitudeE7, at: 9)
            try statement.bind(outcome.task.point.longitudeE7, at: 10)
            try statement.bind(AddressCode.encode(address), at: 11)
            try statement.run()
        }
        try touchIfShown(old)
    }

    private func writeNothing(
        to old: StopPlaceRecord,
        outcome: GeocodeSettlement,
        expiry: Timestamp?
    ) throws(StoreError) {
        try withStatement(
            """
            UPDATE place SET state = 3, level = NULL, provider = NULL, sources = ?2, resolved_ms = ?3, expiry_ms = ?4,
                language = ?7, asked_latitude_e7 = ?5, asked_longitude_e7 = ?6, address = NULL, reason = NULL,
                next_try_ms = NULL
            WHERE id = ?1
            """
        ) { (statement) throws(StoreError) in
            try statement.bind(old.id, at: 1)
            try statement.bind(outcome.sources.joined(separator: ","), at: 2)
            try statement.bindNull(at: 3)
            try statement.bind(expiry, at: 4)
            try statement.bind(outcome.task.point.latitudeE7, at: 5)
            try statement.bind(outcome.task.point.longitudeE7, at: 6)
            try statement.bindNull(at: 7)
            try statement.run()
        }
        try touchIfShown(old)
    }

    private func writeFailure(_ reason: String, nextTry: Timestamp?, to old: StopPlaceRecord) throws(StoreError) {
        // An address that is there stays: the failure is the task's.
        try withStatement(
            "UPDATE place SET state = 4, reason = ?2, next_try_ms = ?3 WHERE id = ?1 AND address IS NULL"
        ) { (statement) throws(StoreError) in
            try statement.bind(old.id, at: 1)
            try statement.bind(reason, at: 2)
            try statement.bind(nextTry, at: 3)
            try statement.run()
        }
        try touchIfShown(old)
    }

    /// Tells readers when the place is now shown in another way.
    private func touchIfShown(_ old: StopPlaceRecord) throws(StoreError) {
        guard let new = try place(old.id) else { return }
        let (before, after) = (old.address, new.address)
        guard before.name != after.name || before.address?.line != after.address?.line else { return }
        _ = try touchTrips(atPlace: old.id)
    }

    func nextTaskTime() throws(StoreError) -> Timestamp? {
        let due = try integer("SELECT min(next_ms) FROM geocode_task WHERE phase = 0 AND leased_until_ms IS NULL")
        let parked = try integer("SELECT min(next_ms) FROM geocode_task WHERE phase = 1")
        let leased = try integer("SELECT min(leased_until_ms) FROM geocode_task WHERE leased_until_ms IS NOT NULL")
        let times = [due, parked, leased].compactMap { $0 }
        return times.min().map(Timestamp.init(milliseconds:))
    }
}
