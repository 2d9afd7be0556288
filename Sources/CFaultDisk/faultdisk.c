// The disk as a whole: creation and release, deaths and faults.
#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

faultdisk *faultdisk_create(uint64_t seed, bool is_default) {
    faultdisk *disk = must_allocate(NULL, sizeof *disk);
    memset(disk, 0, sizeof *disk);
    snprintf(disk->name, sizeof disk->name, "faultdisk-%p", (void *)disk);
    pthread_mutex_init(&disk->mutex, NULL);
    disk->capacity = -1;
    disk->chance = seed;
    disk->entropy = ~seed;
    fill_vfs(disk);
    if (sqlite3_vfs_register(&disk->vfs, is_default) != SQLITE_OK) abort();
    // SQLite seeds its generator from the default VFS only once; this call makes it seed again.
    if (is_default) sqlite3_randomness(0, NULL);
    return disk;
}

void faultdisk_release(faultdisk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    pthread_mutex_lock(&disk->mutex);
    disk->is_released = true;
    release_if_unused(disk);
}

void release_if_unused(faultdisk *disk) {
    bool is_unused = disk->is_released && disk->open_files == 0;
    pthread_mutex_unlock(&disk->mutex);
    if (!is_unused) return;
    pthread_mutex_destroy(&disk->mutex);
    storage_free_all(disk);
    free(disk);
}

const char *faultdisk_name(const faultdisk *disk) { return disk->name; }

// MARK: - Deaths

bool is_alive(const opening *opening) { return !opening->disk->is_dead && opening->boot == opening->disk->boot; }

static void die(faultdisk *disk, bool loses_power) {
    disk->is_dead = true;
    disk->boot++;
    for (stored_file *file = disk->files; file; file = file->next) {
        file->index = NULL;
        if (loses_power) storage_lose_unsynced(disk, file);
    }
    if (loses_power) disk->tally.power_losses++;
    else disk->tally.kills++;
}

void faultdisk_lose_power(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    die(disk, true);
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_kill_process(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    die(disk, false);
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_revive(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_dead = false;
    pthread_mutex_unlock(&disk->mutex);
}

// MARK: - Faults

void faultdisk_fail(faultdisk *disk, int32_t operation, int32_t fault, int64_t after, int64_t times) {
    if (operation < 0 || operation >= FAULTDISK_OPERATIONS) return;
    pthread_mutex_lock(&disk->mutex);
    disk->faults[operation].fault = fault;
    disk->faults[operation].after = after;
    disk->faults[operation].times = times;
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_clear_faults(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    memset(disk->faults, 0, sizeof disk->faults);
    pthread_mutex_unlock(&disk->mutex);
}

// Counts an operation; returns its fault, or 0.
int next_fault(faultdisk *disk, int operation) {
    disk->counts[operation]++;
    if (disk->faults[operation].times <= 0) return 0;
    if (disk->faults[operation].after > 0) {
        disk->faults[operation].after--;
        return 0;
    }
    if (disk->faults[operation].times != INT64_MAX) disk->faults[operation].times--;
    disk->fired[operation]++;
    return disk->faults[operation].fault;
}

// Carries out a fault and returns the error code that os_unix.c would return.
int fail_with(faultdisk *disk, int fault, int operation) {
    if (fault == FAULTDISK_KILL || fault == FAULTDISK_POWER_LOSS) die(disk, fault == FAULTDISK_POWER_LOSS);
    if (operation == FAULTDISK_OPEN) return fault == FAULTDISK_IO_ERROR ? SQLITE_IOERR : SQLITE_CANTOPEN;
    if (operation == FAULTDISK_WRITE && fault == FAULTDISK_FULL) return SQLITE_FULL;
    if (operation == FAULTDISK_MAP && fault == FAULTDISK_FULL) return SQLITE_IOERR_SHMSIZE;
    if (operation == FAULTDISK_LOCK && fault == FAULTDISK_BUSY) return SQLITE_BUSY;
    return io_error(operation);
}

int io_error(int operation) {
    switch (operation) {
    case FAULTDISK_OPEN: return SQLITE_CANTOPEN;
    case FAULTDISK_DELETE: return SQLITE_IOERR_DELETE;
    case FAULTDISK_READ: return SQLITE_IOERR_READ;
    case FAULTDISK_WRITE: return SQLITE_IOERR_WRITE;
    case FAULTDISK_SYNC: return SQLITE_IOERR_FSYNC;
    case FAULTDISK_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case FAULTDISK_LOCK: return SQLITE_IOERR_LOCK;
    case FAULTDISK_MAP: return SQLITE_IOERR_SHMMAP;
    default: return SQLITE_IOERR;
    }
}

// MARK: - Values

void faultdisk_set_capacity(faultdisk *disk, int64_t bytes) {
    pthread_mutex_lock(&disk->mutex);
    disk->capacity = bytes;
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_set_now(faultdisk *disk, int64_t milliseconds) {
    pthread_mutex_lock(&disk->mutex);
    disk->now = milliseconds;
    pthread_mutex_unlock(&disk->mutex);
}

static int64_t value_of(faultdisk *disk, const int64_t *value) {
    pthread_mutex_lock(&disk->mutex);
    int64_t copy = *value;
    pthread_mutex_unlock(&disk->mutex);
    return copy;
}

int64_t faultdisk_capacity(faultdisk *disk) { return value_of(disk, &disk->capacity); }
int64_t faultdisk_now(faultdisk *disk) { return value_of(disk, &disk->now); }
int64_t faultdisk_open_files(faultdisk *disk) { return value_of(disk, &disk->open_files); }
int64_t faultdisk_used(faultdisk *disk) { return value_of(disk, &disk->used); }

int64_t faultdisk_count(faultdisk *disk, int32_t operation) {
    return operation < 0 || operation >= FAULTDISK_OPERATIONS ? 0 : value_of(disk, &disk->counts[operation]);
}

int64_t faultdisk_fired(faultdisk *disk, int32_t operation) {
    return operation < 0 || operation >= FAULTDISK_OPERATIONS ? 0 : value_of(disk, &disk->fired[operation]);
}

bool faultdisk_is_dead(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    bool is_dead = disk->is_dead;
    pthread_mutex_unlock(&disk->mutex);
    return is_dead;
}

int64_t faultdisk_size(faultdisk *disk, const char *path) {
    pthread_mutex_lock(&disk->mutex);
    stored_file *file = storage_find(disk, path);
    int64_t size = file ? file->seen.size : -1;
    pthread_mutex_unlock(&disk->mutex);
    return size;
}

void faultdisk_rename(faultdisk *disk, const char *from, const char *to) {
    pthread_mutex_lock(&disk->mutex);
    stored_file *file = storage_find(disk, from), *other = storage_find(disk, to);
    if (file && file != other) {
        if (other) storage_unlink(disk, other);
        storage_sync(file);
        file->name = strcpy(must_allocate(file->name, strlen(to) + 1), to);
    }
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_remove(faultdisk *disk, const char *path) {
    pthread_mutex_lock(&disk->mutex);
    stored_file *file = storage_find(disk, path);
    if (file) storage_unlink(disk, file);
    pthread_mutex_unlock(&disk->mutex);
}

faultdisk_tally faultdisk_get_tally(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    faultdisk_tally tally = disk->tally;
    pthread_mutex_unlock(&disk->mutex);
    return tally;
}
