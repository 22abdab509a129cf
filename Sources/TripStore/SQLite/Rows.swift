import Telemetry
import TripDetection

/// A trip's row as it is stored.
struct TripRow {
    var idBegin: Timestamp
    var idCount: Int
    var trip: Trip
    var revision: Int64
    var change: Int64
    var isRemoved: Bool
    var beginPlace: Int64?
    var endPlace: Int64?

    /// The columns that `init` reads, of a table named `t`.
    static let columns = """
        t.id_ms, t.id_count, t.begin_ms, t.end_ms, t.begin_latitude_e7, t.begin_longitude_e7, t.end_latitude_e7,
        t.end_longitude_e7, t.begin_reason, t.end_reason, t.distance_mm, t.odometer_mm, t.distance_source,
        t.moving_ms, t.idle_ms, t.highest_speed_cmps, t.position_count, t.largest_hole_ms, t.flags, t.is_final,
        t.revision, t.change, t.is_removed, t.begin_place, t.end_place
        """
    static let columnCount: Int32 = 25

    /// Reads the current row, whose first columns are `columns`.
    init(_ statement: borrowing SQLiteStatement) {
        idBegin = statement.timestamp(0)
        idCount = statement.int(1)
        trip = Trip(
            begin: statement.timestamp(2),
            end: statement.timestamp(3),
            beginPoint: statement.coordinate(4),
            endPoint: statement.coordinate(6),
            beginReason: Trip.BeginReason(rawValue: UInt8(truncatingIfNeeded: statement.int64(8))) ?? .firstData,
            endReason: Trip.EndReason(rawValue: UInt8(truncatingIfNeeded: statement.int64(9))) ?? .lastData,
            positionDistance: statement.int64(10),
            odometerDistance: statement.optionalInt64(11),
            distanceSource: Trip.DistanceSource(rawValue: UInt8(truncatingIfNeeded: statement.int64(12))) ?? .positions,
            moving: statement.int64(13),
            idle: statement.optionalInt64(14),
            highestSpeed: statement.int32(15),
            positionCount: statement.int32(16),
            largestHole: statement.int64(17),
            flags: Trip.Flags(rawValue: UInt16(truncatingIfNeeded: statement.int64(18))),
            isFinal: statement.bool(19)
        )
        revision = statement.int64(20)
        change = statement.int64(21)
        isRemoved = statement.bool(22)
        beginPlace = statement.optionalInt64(23)
        endPlace = statement.optionalInt64(24)
    }
}

extension Stop {
    /// The columns that `init` reads, of a table named `t`.
    static let columns = """
        t.arrival_ms, t.departure_ms, t.latitude_e7, t.longitude_e7, t.idle_ms, t.position_count, t.flags, t.is_final,
        t.place
        """
    static let columnCount: Int32 = 9

    /// Reads the current row, whose first columns are `columns`.
    init(_ statement: borrowing SQLiteStatement) {
        self.init(
            arrival: statement.timestamp(0),
            departure: statement.timestamp(1),
            centre: statement.coordinate(2),
            idle: statement.optionalInt64(4),
            positionCount: statement.int32(5),
            flags: Flags(rawValue: UInt16(truncatingIfNeeded: statement.int64(6))),
            isFinal: statement.bool(7)
        )
    }
}

extension Gap {
    /// The columns that `init` reads, of a table named `t`.
    static let columns = """
        t.begin_ms, t.end_ms, t.begin_latitude_e7, t.begin_longitude_e7, t.end_latitude_e7, t.end_longitude_e7,
        t.reason, t.is_final
        """
    static let columnCount: Int32 = 8

    /// Reads the current row, whose first columns are `columns`.
    init(_ statement: borrowing SQLiteStatement) {
        self.init(
            begin: statement.timestamp(0),
            end: statement.timestamp(1),
            beginPoint: statement.coordinate(2),
            endPoint: statement.coordinate(4),
            reason: Reason(rawValue: UInt8(truncatingIfNeeded: statement.int64(6))) ?? .silence,
            isFinal: statement.bool(7)
        )
    }
}

extension SetAside {
    /// The columns that `init` reads, of a table named `t`.
    static let columns = "t.fix_ms, t.latitude_e7, t.longitude_e7, t.reason"
    static let columnCount: Int32 = 4

    /// Reads the current row, whose first columns are `columns`.
    init(_ statement: borrowing SQLiteStatement) {
        self.init(
            key: Position.Key(fixTime: statement.timestamp(0), coordinate: statement.coordinate(1)),
            reason: Reason(rawValue: UInt8(truncatingIfNeeded: statement.int64(3))) ?? .outlier
        )
    }
}

extension DeviceState {
    static let columns = """
        number, id, position_count, folded_count, first, last, latest, last_contact_ms, watermark_ms,
        outstanding_from_ms, outstanding_until_ms, open_until_ms, horizon_ms, mark
        """

    /// Reads the current row, whose first columns are `columns`.
    init(_ statement: borrowing SQLiteStatement) throws(StoreError) {
        self.init(
            number: DeviceNumber(rawValue: statement.int64(0)),
            device: try statement.device(1)
        )
        positionCount = statement.int64(2)
        foldedCount = statement.int64(3)
        first = try PositionCode.decode(statement, 4)
        last = try PositionCode.decode(statement, 5)
        latest = try PositionCode.decode(statement, 6)
        lastContact = statement.optionalTimestamp(7)
        watermark = statement.optionalTimestamp(8)
        if let from = statement.optionalTimestamp(9), let until = statement.optionalTimestamp(10), from <= until {
            outstanding = from...until
        }
        openUntil = statement.optionalTimestamp(11)
        horizon = statement.optionalTimestamp(12)
        mark = statement.int64(13)
    }
}

extension SQLiteStatement {
    /// A device id, which was checked before it was stored.
    borrowing func device(_ column: Int32) throws(StoreError) -> DeviceID {
        guard let device = DeviceID(text(column)) else {
            throw StoreError(kind: .corrupt, message: "a device id is damaged")
        }
        return device
    }
}
