// One open file: sqlite3_io_methods (<https://www.sqlite.org/c3ref/io_methods.html>).
#include "disk.h"

#include <string.h>

static int close_file(sqlite3_file *base) {
    opening *closing = (opening *)base;
    faultdisk *disk = closing->disk;
    pthread_mutex_lock(&disk->mutex);
    stored_file *file = closing->file;
    leave_index(closing);
    opening **link = &file->openings;
    while (*link != closing) link = &(*link)->next;
    *link = closing->next;
    storage_free_if_gone(disk, file);
    disk->open_files--;
    release_if_unused(disk);
    return SQLITE_OK;
}

// Locks the mutex and counts the operation; returns SQLITE_OK, or the operation's error.
static int begin(opening *opening, int operation) {
    faultdisk *disk = opening->disk;
    pthread_mutex_lock(&disk->mutex);
    if (!is_alive(opening)) return io_error(operation);
    int fault = next_fault(disk, operation);
    return fault ? fail_with(disk, fault, operation) : SQLITE_OK;
}

static int end(opening *opening, int code) {
    pthread_mutex_unlock(&opening->disk->mutex);
    return code;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    opening *reading = (opening *)base;
    int code = begin(reading, FAULTDISK_READ);
    if (code != SQLITE_OK) return end(reading, code);
    const image *seen = &reading->file->seen;
    int64_t there = seen->size - offset;
    if (there > count) there = count;
    if (there > 0) memcpy(bytes, seen->bytes + offset, (size_t)there);
    else there = 0;
    if (there == count) return end(reading, SQLITE_OK);
    memset((uint8_t *)bytes + there, 0, (size_t)(count - there));
    return end(reading, SQLITE_IOERR_SHORT_READ);
}

// The part of a write that the disk has room for. Overwriting existing bytes needs no room.
static int64_t room_for(const faultdisk *disk, const stored_file *file, int64_t offset, int64_t count) {
    int64_t growth = offset + count - file->seen.size;
    if (disk->capacity < 0 || growth <= 0) return count;
    int64_t room = disk->capacity > disk->used ? disk->capacity - disk->used : 0;
    if (growth <= room) return count;
    int64_t fitting = count - (growth - room);
    return fitting > 0 ? fitting : 0;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    opening *writing = (opening *)base;
    faultdisk *disk = writing->disk;
    pthread_mutex_lock(&disk->mutex);
    if (!is_alive(writing)) return end(writing, SQLITE_IOERR_WRITE);
    int fault = next_fault(disk, FAULTDISK_WRITE);
    int64_t room = room_for(disk, writing->file, offset, count);
    // A failed write has been done in part, and so has one during a death.
    int64_t done = fault ? draw_below(&disk->chance, room + 1) : room;
    storage_write(disk, writing->file, offset, bytes, done);
    if (fault) return end(writing, fail_with(disk, fault, FAULTDISK_WRITE));
    if (room == count) return end(writing, SQLITE_OK);
    disk->tally.full++;
    return end(writing, SQLITE_FULL);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    opening *cutting = (opening *)base;
    int code = begin(cutting, FAULTDISK_TRUNCATE);
    if (code == SQLITE_OK) storage_truncate(cutting->disk, cutting->file, size);
    return end(cutting, code);
}

static int sync_file(sqlite3_file *base, int flags) {
    (void)flags;
    opening *syncing = (opening *)base;
    int code = begin(syncing, FAULTDISK_SYNC);
    if (code == SQLITE_OK) storage_sync(syncing->file);
    return end(syncing, code);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    opening *asking = (opening *)base;
    pthread_mutex_lock(&asking->disk->mutex);
    *size = asking->file->seen.size;
    return end(asking, is_alive(asking) ? SQLITE_OK : SQLITE_IOERR_FSTAT);
}

static int control(sqlite3_file *base, int code, void *argument) {
    opening *asking = (opening *)base;
    int *value = argument;
    switch (code) {
    case SQLITE_FCNTL_PERSIST_WAL:
        if (*value < 0) *value = asking->persists_wal;
        else asking->persists_wal = *value != 0;
        return SQLITE_OK;
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
        *value = 1;
        return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
        pthread_mutex_lock(&asking->disk->mutex);
        *value = !asking->file->name;
        return end(asking, SQLITE_OK);
    case SQLITE_FCNTL_VFSNAME:
        *(char **)argument = sqlite3_mprintf("%s", asking->disk->name);
        return SQLITE_OK;
    default:
        return SQLITE_NOTFOUND;
    }
}

// As Debian's os_unix.c. The pager uses 512 instead if overwriting is power-safe.
static int sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

const sqlite3_io_methods io_methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_index,
    .xShmLock = lock_index,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap_index,
};
