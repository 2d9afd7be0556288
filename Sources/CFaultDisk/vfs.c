// The disk as a VFS of SQLite: sqlite3_vfs (<https://www.sqlite.org/c3ref/vfs.html>).
#include "disk.h"

#include <sched.h>
#include <string.h>

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *given_flags) {
    faultdisk *disk = vfs->pAppData;
    opening *made = (opening *)base;
    memset(made, 0, sizeof *made);
    pthread_mutex_lock(&disk->mutex);
    int code = SQLITE_OK;
    stored_file *file = NULL;
    int fault = disk->is_dead ? 0 : next_fault(disk, FAULTDISK_OPEN);
    if (disk->is_dead) code = SQLITE_CANTOPEN;
    else if (fault) code = fail_with(disk, fault, FAULTDISK_OPEN);
    if (code == SQLITE_OK) {
        file = name ? storage_find(disk, name) : NULL;
        // As os_unix.c, which removes a temporary file's name as soon as the file is open.
        if (file && (flags & SQLITE_OPEN_EXCLUSIVE)) file = NULL;
        else if (flags & SQLITE_OPEN_DELETEONCLOSE) file = storage_create(disk, NULL);
        else if (!file && (flags & SQLITE_OPEN_CREATE)) file = storage_create(disk, name);
        if (!file) code = SQLITE_CANTOPEN;
    }
    if (code == SQLITE_OK) {
        *made = (opening){
            .base = {&io_methods}, .disk = disk, .file = file, .next = file->openings, .boot = disk->boot,
        };
        file->openings = made;
        disk->open_files++;
        if (given_flags) *given_flags = flags;
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int must_sync) {
    (void)must_sync;
    faultdisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int code = SQLITE_OK;
    if (!disk->is_dead) {
        int fault = next_fault(disk, FAULTDISK_DELETE);
        stored_file *file = storage_find(disk, name);
        if (fault) code = fail_with(disk, fault, FAULTDISK_DELETE);
        else if (file) storage_unlink(disk, file);
        else code = SQLITE_IOERR_DELETE_NOENT;
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    faultdisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int code = disk->is_dead ? SQLITE_IOERR_ACCESS : SQLITE_OK;
    stored_file *file = storage_find(disk, name);
    // As os_unix.c, which treats an empty file as missing.
    *answer = file && (flags != SQLITE_ACCESS_EXISTS || file->seen.size > 0);
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *full) {
    (void)vfs;
    int slash = name[0] == '/' ? 0 : 1;
    size_t length = strlen(name);
    if (length + (size_t)slash >= (size_t)room) return SQLITE_CANTOPEN;
    full[0] = '/';
    memcpy(full + slash, name, length + 1);
    return SQLITE_OK;
}

static void *open_library(sqlite3_vfs *vfs, const char *name) {
    (void)vfs, (void)name;
    return NULL;
}

static void library_error(sqlite3_vfs *vfs, int room, char *message) {
    (void)vfs;
    sqlite3_snprintf(room, message, "A disk in memory has no libraries");
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    faultdisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    for (int i = 0; i < count; i++) bytes[i] = (char)(draw(&disk->entropy) >> 56);
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

// Simulated time does not pass here. Another thread may hold the lock, so it gets a turn.
static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    sched_yield();
    return microseconds;
}

static int time_now(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    faultdisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    *milliseconds = disk->now + 210866760000000;  // 1970-01-01 as a Julian date in milliseconds
    pthread_mutex_unlock(&disk->mutex);
    return SQLITE_OK;
}

static int day_now(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 milliseconds = 0;
    time_now(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000.0;
    return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int room, char *message) {
    (void)vfs, (void)room, (void)message;
    return 0;
}

void fill_vfs(faultdisk *disk) {
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(opening),
        .mxPathname = 1024,
        .zName = disk->name,
        .pAppData = disk,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_name,
        .xDlOpen = open_library,
        .xDlError = library_error,
        .xRandomness = randomness,
        .xSleep = sleep_for,
        .xCurrentTime = day_now,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = time_now,
    };
}
