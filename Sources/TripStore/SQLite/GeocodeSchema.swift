/// The tables of addresses; the rows of trips name a place for each of their ends.
enum GeocodeSchema {
    /// Statements of schema version 1.
    static let version1 = """
        CREATE TABLE place (
            id INTEGER PRIMARY KEY,
            cell INTEGER NOT NULL, -- GeoCell of the centre
            first_latitude_e7 INTEGER NOT NULL,
            first_longitude_e7 INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            weight REAL NOT NULL,
            visits INTEGER NOT NULL,
            state INTEGER NOT NULL, -- 0 pending, 1 provisional, 2 resolved, 3 nothing, 4 failed
            level INTEGER,
            provider TEXT,
            language TEXT,
            sources TEXT, -- which were to be asked, in order, with commas
            resolved_ms INTEGER,
            expiry_ms INTEGER, -- when the answer, or that there is none, is asked for again
            asked_latitude_e7 INTEGER, -- the centre when it was asked for
            asked_longitude_e7 INTEGER,
            address TEXT, -- AddressCode
            corrected TEXT, -- the line that a person set
            reason TEXT, -- why it failed
            next_try_ms INTEGER
        );
        CREATE INDEX place_cell ON place (cell);
        CREATE INDEX place_state ON place (state);
        CREATE INDEX place_expiry ON place (expiry_ms) WHERE expiry_ms IS NOT NULL;

        CREATE TABLE geocode_task (
            place INTEGER PRIMARY KEY,
            cell INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            next_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            phase INTEGER NOT NULL DEFAULT 0, -- 0 due or leased, 1 parked until next_ms, 2 dead
            reason TEXT, -- why it did not end yet
            lease INTEGER NOT NULL DEFAULT 0,
            owner TEXT,
            leased_until_ms INTEGER
        );
        CREATE INDEX geocode_task_order ON geocode_task (phase, priority, created_ms DESC);
        CREATE INDEX geocode_task_next ON geocode_task (phase, next_ms);
        CREATE INDEX geocode_task_lease ON geocode_task (leased_until_ms) WHERE leased_until_ms IS NOT NULL;

        CREATE TABLE geocode_key (
            id INTEGER PRIMARY KEY,
            provider TEXT NOT NULL,
            language TEXT NOT NULL,
            UNIQUE (provider, language)
        );
        CREATE TABLE geocode_house (
            key INTEGER NOT NULL,
            cell INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            address TEXT NOT NULL,
            expiry_ms INTEGER NOT NULL,
            PRIMARY KEY (key, cell, latitude_e7, longitude_e7, address)
        ) WITHOUT ROWID;
        CREATE TABLE geocode_disk (
            id INTEGER PRIMARY KEY,
            key INTEGER NOT NULL,
            cell INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            radius_m REAL NOT NULL,
            expiry_ms INTEGER NOT NULL
        );
        CREATE INDEX geocode_disk_cell ON geocode_disk (key, cell);
        CREATE TABLE geocode_single (
            id INTEGER PRIMARY KEY,
            key INTEGER NOT NULL,
            cell INTEGER NOT NULL,
            latitude_e7 INTEGER NOT NULL,
            longitude_e7 INTEGER NOT NULL,
            address TEXT, -- null for nothing
            expiry_ms INTEGER NOT NULL
        );
        CREATE INDEX geocode_single_cell ON geocode_single (key, cell);

        CREATE TABLE geocode_provider (
            name TEXT PRIMARY KEY,
            next_call_ms INTEGER NOT NULL DEFAULT 0,
            day_begin_ms INTEGER NOT NULL DEFAULT 0,
            day_end_ms INTEGER NOT NULL DEFAULT 0,
            calls INTEGER NOT NULL DEFAULT 0, -- of that day
            daily_limit INTEGER,
            failures INTEGER NOT NULL DEFAULT 0, -- in a row
            paused_until_ms INTEGER,
            is_denied INTEGER NOT NULL DEFAULT 0,
            reason TEXT
        ) WITHOUT ROWID;

        CREATE TABLE user_place (
            name TEXT PRIMARY KEY,
            shape TEXT NOT NULL -- UserPlaceCode
        ) WITHOUT ROWID;
        """
}
