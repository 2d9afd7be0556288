// The parts of the disk, for this target only. Functions with a disk or a stored file as parameter require that the
// mutex is locked.
#pragma once
#include "faultdisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

typedef struct image {
    uint8_t *bytes;
    int64_t size, room;
} image;

// A write since the last sync of its file; a truncation if `length` is negative.
typedef struct unsynced {
    int64_t offset, length;
    int64_t at;  // the offset of its bytes in the log
} unsynced;

// The memory behind a -shm file. Openings that have it mapped keep it alive, since even a dead connection still reads
// it.
typedef struct wal_index {
    int users;
    int holders[SQLITE_SHM_NLOCK];  // shared holders of each lock; -1: one exclusive holder
    int region_count;
    void **regions;
} wal_index;

typedef struct opening opening;

typedef struct stored_file {
    struct stored_file *next;
    char *name;  // NULL: temporary or deleted, freed with its last opening
    image seen, synced;
    unsynced *log;
    int64_t log_count, log_room;
    image log_bytes;
    opening *openings;
    wal_index *index;
} stored_file;

// SQLite's handle of an open file.
struct opening {
    sqlite3_file base;
    faultdisk *disk;
    stored_file *file;
    opening *next;
    int64_t boot;
    int lock;
    bool persists_wal;
    wal_index *index;
    unsigned shared, exclusive;  // locks held in the WAL-index, one bit each
};

struct faultdisk {
    sqlite3_vfs vfs;
    char name[32];
    pthread_mutex_t mutex;
    bool is_released, is_dead;
    int64_t boot;  // openings of an earlier boot are dead
    int64_t open_files;
    stored_file *files;
    int64_t used, capacity;
    int64_t now;
    uint64_t chance, entropy;  // two generators, so that SQLite's draws do not change which writes tear
    struct {
        int fault;
        int64_t after, times;
    } faults[FAULTDISK_OPERATIONS];
    int64_t counts[FAULTDISK_OPERATIONS], fired[FAULTDISK_OPERATIONS];
    faultdisk_tally tally;
};

// storage.c
void *must_allocate(void *memory, size_t bytes);
uint64_t draw(uint64_t *state);
int64_t draw_below(uint64_t *state, int64_t bound);
stored_file *storage_find(faultdisk *disk, const char *name);
stored_file *storage_create(faultdisk *disk, const char *name);
void storage_unlink(faultdisk *disk, stored_file *file);
void storage_free_if_gone(faultdisk *disk, stored_file *file);
void storage_write(faultdisk *disk, stored_file *file, int64_t offset, const void *bytes, int64_t length);
void storage_truncate(faultdisk *disk, stored_file *file, int64_t size);
void storage_sync(stored_file *file);
void storage_lose_unsynced(faultdisk *disk, stored_file *file);
void storage_free_all(faultdisk *disk);

// faultdisk.c
bool is_alive(const opening *opening);
int next_fault(faultdisk *disk, int operation);
int fail_with(faultdisk *disk, int fault, int operation);
int io_error(int operation);
void release_if_unused(faultdisk *disk);  // unlocks the mutex

// locks.c
int lock_file(sqlite3_file *base, int level);
int unlock_file(sqlite3_file *base, int level);
int check_reserved(sqlite3_file *base, int *is_reserved);
int map_index(sqlite3_file *base, int region, int bytes, int must_extend, void volatile **memory);
int lock_index(sqlite3_file *base, int first, int count, int flags);
void barrier(sqlite3_file *base);
int unmap_index(sqlite3_file *base, int must_delete);
void leave_index(opening *opening);

// io.c
extern const sqlite3_io_methods io_methods;

// vfs.c
void fill_vfs(faultdisk *disk);
