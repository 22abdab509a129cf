#include "faulty_disk.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* in the same allocation, behind this struct */
};

static sqlite3_vfs *original;
static sqlite3_vfs shim;
static atomic_int mode;
static atomic_long countdown;

/* Whether this write or fsync is one that fails; `first` tells the one that began it. */
static int fails(int is_sync, int *first) {
    int now = atomic_load(&mode);
    *first = 0;
    if (now == faulty_disk_sound) return 0;
    if (now == faulty_disk_sync_error && !is_sync) return 0;
    long left = atomic_fetch_sub(&countdown, 1);
    *first = left == 1;
    return left <= 1;
}

static sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }

static int shim_close(sqlite3_file *f) { return real(f)->pMethods->xClose(real(f)); }
static int shim_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at) {
    return real(f)->pMethods->xRead(real(f), to, n, at);
}
static int shim_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at) {
    int first;
    if (fails(0, &first)) {
        switch (atomic_load(&mode)) {
        case faulty_disk_full: return SQLITE_FULL;
        case faulty_disk_torn:
            if (first) real(f)->pMethods->xWrite(real(f), from, n / 2, at);
            return SQLITE_IOERR_WRITE;
        default: return SQLITE_IOERR_WRITE;
        }
    }
    return real(f)->pMethods->xWrite(real(f), from, n, at);
}
static int shim_truncate(sqlite3_file *f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); }
static int shim_sync(sqlite3_file *f, int flags) {
    int first;
    if (fails(1, &first)) {
        int now = atomic_load(&mode);
        return now == faulty_disk_full ? SQLITE_FULL : SQLITE_IOERR_FSYNC;
    }
    return real(f)->pMethods->xSync(real(f), flags);
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *size) { return real(f)->pMethods->xFileSize(real(f), size); }
static int shim_lock(sqlite3_file *f, int l) { return real(f)->pMethods->xLock(real(f), l); }
static int shim_unlock(sqlite3_file *f, int l) { return real(f)->pMethods->xUnlock(real(f), l); }
static int shim_check(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int shim_control(sqlite3_file *f, int op, void *arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
static int shim_sector(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int shim_traits(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
static int shim_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
    return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
static void shim_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int shim_unmap(sqlite3_file *f, int del) { return real(f)->pMethods->xShmUnmap(real(f), del); }

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* without memory mapping, which would pass by */
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_barrier,
    .xShmUnmap = shim_unmap,
};

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out) {
    struct file *file = (struct file *)f;
    (void)vfs;
    file->real = (sqlite3_file *)(file + 1);
    memset(file->real, 0, (size_t)original->szOsFile);
    int code = original->xOpen(original, name, file->real, flags, out);
    file->base.pMethods = file->real->pMethods ? &methods : 0;
    return code;
}

int faulty_disk_install(void) {
    original = sqlite3_vfs_find(0);
    if (!original) return SQLITE_ERROR;
    shim = *original;
    shim.zName = "faulty";
    shim.szOsFile = (int)sizeof(struct file) + original->szOsFile;
    shim.xOpen = shim_open;
    return sqlite3_vfs_register(&shim, 1);
}

void faulty_disk_set(int new_mode, long count) {
    atomic_store(&countdown, count);
    atomic_store(&mode, new_mode);
}
