/// The tables of the SQLite store and the steps from one version to the next.
enum Schema {
    /// Marks the file as a store of ours: "ODOG".
    static let applicationID: Int64 = 0x4f44_4f47
    static let version: Int64 = 1

    /// The statements that lead to each version from the one before.
    static let migrations: [String] = [version1 + GeocodeSchema.version1 + ExportSchema.version1]

    private static let version1 = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('last_change', 0);

        CREATE TABLE device (
            number INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: trips of an erased device stay gone
            id TEXT NOT NULL UNIQUE,
            tag INTEGER NOT NULL UNIQUE, -- first part of its trips' ids
            vehicle TEXT, -- the registered name
            position_count INTEGER NOT NULL DEFAULT 0, -- in chunks and in the journal
            folded_count INTEGER NOT NULL DEFAULT 0, -- in chunks
            first BLOB, -- positions as chunks of one
            last BLOB,
            latest BLOB,
            last_contact_ms INTEGER,
            watermark_ms INTEGER,
            outstanding_from_ms INTEGER, -- accepted and not yet derived
            outstanding_until_ms INTEGER,
            open_until_ms INTEGER,
            horizon_ms INTEGER, -- retention took what lies before
            mark INTEGER NOT NULL DEFAULT 0 -- above 0: the whole history is to be drawn anew
        );
        CREATE INDEX device_mark ON device (mark) WHERE mark > 0;
        CREATE INDEX device_outstanding ON device (outstanding_from_ms) WHERE outstanding_from_ms IS NOT NULL;
        CREATE INDEX device_open ON device (open_until_ms) WHERE open_until_ms IS NOT NULL;

        CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            device INTEGER NOT NULL,
            new_count INTEGER NOT NULL, -- keys that the device did not have
            positions BLOB NOT NULL
        );
        CREATE INDEX journal_device ON journal (device);

        CREATE TABLE chunk (
            device INTEGER NOT NULL,
            first_ms INTEGER NOT NULL,
            last_ms INTEGER NOT NULL,
            count INTEGER NOT NULL,
            positions BLOB NOT NULL,
            PRIMARY KEY (device, first_ms)
        ) WITHOUT ROWID;

        CREATE TABLE attribute_set (reference INTEGER PRIMARY KEY, json TEXT NOT NULL);

        CREATE TABLE trip (
            device INTEGER NOT NULL,
            id_ms INTEGER NOT NULL, -- begin when it was first seen
            id_count INTEGER NOT NULL, -- how many had the same begin before
            begin_ms INTEGER NOT NULL,
            end_ms INTEGER NOT NULL,
            begin_latitude_e7 INTEGER NOT NULL,
            begin_longitude_e7 INTEGER NOT NULL,
            end_latitude_e7 INTEGER NOT NULL,
            end_longitude_e7 INTEGER NOT NULL,
            begin_reason INTEGER NOT NULL,
            end_reason INTEGER NOT NULL,
            distance_mm INTEGER NOT NULL,
            odometer_mm INTEGER,
            distance_source INTEGER NOT NULL,
            moving_ms INTEGER NOT NULL,
            idle_ms INTEGER,
            highest_speed_cmps INTEGER NOT NULL,
            position_count INTEGER NOT NULL,
            largest_hole_ms INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            is_final INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            change INTEGER NOT NULL,
            first_change INTEGER NOT NULL, -- by which it came
            is_removed INTEGER NOT NULL,
            begin_place INTEGER,
            end_place INTEGER,
            PRIMARY KEY (device, id_ms, id_count)
        ) WITHOUT ROWID;
        CREATE INDEX trip_begin ON trip (device, begin_ms) WHERE is_removed = 0;
        CREATE INDEX trip_removed ON trip (device, begin_ms) WHERE is_removed = 1;
        CREATE INDEX trip_change ON trip (change);
        CREATE INDEX trip_begin_place ON trip (begin_place) WHERE begin_place IS NOT NULL;
        CREATE INDEX trip_end_place ON trip (end_place) WHERE end_place IS NOT NULL;

        CREATE TABLE trip_absence ( -- removed trips that came back
            device INTEGER NOT NULL,
            id_ms INTEGER NOT NULL,
            id_count INTEGER NOT NULL,
            from_change INTEGER NOT NULL, -- by which it was removed
            until_change INTEGER NOT NULL, -- by which it came back
            PRIMARY KEY (device, id_ms, id_count, from_change)
        ) WITHOUT ROWID;

        CREATE TABLE stop (
            device INTEGER NOT NULL,
            arrival_ms INTEGER NOT NULL,
            departure_ms INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            idle_ms INTEGER,
            position_count INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            is_final INTEGER NOT NULL,
            place INTEGER,
            PRIMARY KEY (device, arrival_ms)
        ) WITHOUT ROWID;
        CREATE INDEX stop_place ON stop (place) WHERE place IS NOT NULL;

        CREATE TABLE gap (
            device INTEGER NOT NULL,
            begin_ms INTEGER NOT NULL,
            end_ms INTEGER NOT NULL,
            begin_latitude_e7 INTEGER NOT NULL,
            begin_longitude_e7 INTEGER NOT NULL,
            end_latitude_e7 INTEGER NOT NULL,
            end_longitude_e7 INTEGER NOT NULL,
            reason INTEGER NOT NULL,
            is_final INTEGER NOT NULL,
            PRIMARY KEY (device, begin_ms)
        ) WITHOUT ROWID;

        CREATE TABLE set_aside (
            device INTEGER NOT NULL,
            fix_ms INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            reason INTEGER NOT NULL,
            PRIMARY KEY (device, fix_ms, latitude_e7, longitude_e7)
        ) WITHOUT ROWID;

        CREATE TABLE resumption (
            device INTEGER NOT NULL,
            from_ms INTEGER NOT NULL,
            state BLOB NOT NULL,
            PRIMARY KEY (device, from_ms)
        ) WITHOUT ROWID;

        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY,
            hash INTEGER NOT NULL, -- of source, place and content
            reason TEXT NOT NULL,
            source TEXT NOT NULL,
            place TEXT NOT NULL,
            detail TEXT NOT NULL,
            device TEXT,
            content TEXT NOT NULL
        );
        CREATE INDEX quarantine_hash ON quarantine (hash);
        CREATE INDEX quarantine_reason ON quarantine (reason);

        CREATE TABLE setting (
            device TEXT NOT NULL, -- empty for all
            name TEXT NOT NULL,
            value REAL NOT NULL,
            PRIMARY KEY (device, name)
        ) WITHOUT ROWID;

        """
}
