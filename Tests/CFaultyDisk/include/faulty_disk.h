#pragma once

/* A file system for SQLite whose disk fails when it is told to; for tests. */
enum faulty_disk_mode {
    faulty_disk_sound = 0,
    faulty_disk_write_error = 1, /* writes fail */
    faulty_disk_full = 2,        /* writes find no space */
    faulty_disk_sync_error = 3,  /* fsync fails */
    faulty_disk_torn = 4,        /* one write stores its first half only, then nothing works any more */
};

/* Makes it the default of every connection opened afterwards. Returns SQLite's code. */
int faulty_disk_install(void);

/* From the countdown-th write or fsync from now on, the disk fails in this way until it is set anew. */
void faulty_disk_set(int mode, long countdown);
