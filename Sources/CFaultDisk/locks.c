// Locks between connections: on the file (<https://www.sqlite.org/lockingv3.html>) and in the WAL-index
// (<https://www.sqlite.org/walformat.html#wal_locks>).
#include "disk.h"

#include <stdlib.h>
#include <string.h>

static int end(opening *opening, int code) {
    pthread_mutex_unlock(&opening->disk->mutex);
    return code;
}

// MARK: - The file

static int highest_other(const opening *asking) {
    int highest = SQLITE_LOCK_NONE;
    for (const opening *other = asking->file->openings; other; other = other->next) {
        if (other != asking && is_alive(other) && other->lock > highest) highest = other->lock;
    }
    return highest;
}

int lock_file(sqlite3_file *base, int level) {
    opening *asking = (opening *)base;
    faultdisk *disk = asking->disk;
    pthread_mutex_lock(&disk->mutex);
    if (!is_alive(asking)) return end(asking, SQLITE_IOERR_LOCK);
    if (asking->lock >= level) return end(asking, SQLITE_OK);
    int fault = next_fault(disk, FAULTDISK_LOCK);
    if (fault) return end(asking, fail_with(disk, fault, FAULTDISK_LOCK));
    int other = highest_other(asking);
    if (other >= (level == SQLITE_LOCK_SHARED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED)) {
        return end(asking, SQLITE_BUSY);
    }
    if (level == SQLITE_LOCK_EXCLUSIVE && other >= SQLITE_LOCK_SHARED) {
        // New readers are refused from now on; present ones finish in time.
        asking->lock = SQLITE_LOCK_PENDING;
        return end(asking, SQLITE_BUSY);
    }
    asking->lock = level;
    return end(asking, SQLITE_OK);
}

int unlock_file(sqlite3_file *base, int level) {
    opening *leaving = (opening *)base;
    pthread_mutex_lock(&leaving->disk->mutex);
    if (leaving->lock > level) leaving->lock = level;
    return end(leaving, SQLITE_OK);
}

int check_reserved(sqlite3_file *base, int *is_reserved) {
    opening *asking = (opening *)base;
    pthread_mutex_lock(&asking->disk->mutex);
    *is_reserved = asking->lock >= SQLITE_LOCK_RESERVED || highest_other(asking) >= SQLITE_LOCK_RESERVED;
    return end(asking, is_alive(asking) ? SQLITE_OK : SQLITE_IOERR_CHECKRESERVEDLOCK);
}

// MARK: - The WAL-index

int map_index(sqlite3_file *base, int region, int bytes, int must_extend, void volatile **memory) {
    opening *asking = (opening *)base;
    faultdisk *disk = asking->disk;
    *memory = NULL;
    pthread_mutex_lock(&disk->mutex);
    if (!is_alive(asking)) return end(asking, SQLITE_IOERR_SHMMAP);
    int fault = next_fault(disk, FAULTDISK_MAP);
    if (fault) return end(asking, fail_with(disk, fault, FAULTDISK_MAP));
    stored_file *file = asking->file;
    if (!file->index) {
        file->index = must_allocate(NULL, sizeof *file->index);
        memset(file->index, 0, sizeof *file->index);
    }
    if (!asking->index) {
        asking->index = file->index;
        asking->index->users++;
    }
    wal_index *index = asking->index;
    if (region >= index->region_count) {
        if (!must_extend) return end(asking, SQLITE_OK);
        index->regions = must_allocate(index->regions, (size_t)(region + 1) * sizeof *index->regions);
        while (index->region_count <= region) {
            void *made = must_allocate(NULL, (size_t)bytes);
            index->regions[index->region_count++] = memset(made, 0, (size_t)bytes);
        }
    }
    *memory = index->regions[region];
    return end(asking, SQLITE_OK);
}

int lock_index(sqlite3_file *base, int first, int count, int flags) {
    opening *asking = (opening *)base;
    faultdisk *disk = asking->disk;
    pthread_mutex_lock(&disk->mutex);
    wal_index *index = asking->index;
    unsigned mask = ((1u << count) - 1) << first;
    bool is_shared = flags & SQLITE_SHM_SHARED;
    if (flags & SQLITE_SHM_UNLOCK) {
        for (int i = first; index && i < first + count; i++) {
            if (asking->exclusive & 1u << i) index->holders[i] = 0;
            if (asking->shared & 1u << i) index->holders[i]--;
        }
        asking->exclusive &= ~mask;
        asking->shared &= ~mask;
        return end(asking, SQLITE_OK);
    }
    if (!is_alive(asking) || !index) return end(asking, SQLITE_IOERR_SHMLOCK);
    bool is_writer = first == 0 && !is_shared;
    int fault = is_writer ? next_fault(disk, FAULTDISK_LOCK) : 0;
    if (fault) return end(asking, fail_with(disk, fault, FAULTDISK_LOCK));
    // SQLite never requests a lock that the connection holds exclusively. A lock held shared stays shared.
    if (is_shared && (asking->shared & mask)) return end(asking, SQLITE_OK);
    for (int i = first; i < first + count; i++) {
        if (is_shared ? index->holders[i] < 0 : index->holders[i] != 0) return end(asking, SQLITE_BUSY);
    }
    for (int i = first; i < first + count; i++) {
        if (is_shared) index->holders[i]++;
        else index->holders[i] = -1;
    }
    if (is_shared) asking->shared |= mask;
    else asking->exclusive |= mask;
    return end(asking, SQLITE_OK);
}

void barrier(sqlite3_file *base) {
    (void)base;
    __sync_synchronize();
}

// As in os_unix.c, the index is empty again after its last mapping ends.
void leave_index(opening *leaving) {
    wal_index *index = leaving->index;
    if (!index) return;
    for (int i = 0; i < SQLITE_SHM_NLOCK; i++) {
        if (leaving->exclusive & 1u << i) index->holders[i] = 0;
        if (leaving->shared & 1u << i) index->holders[i]--;
    }
    leaving->exclusive = leaving->shared = 0;
    leaving->index = NULL;
    if (--index->users > 0) return;
    if (leaving->file->index == index) leaving->file->index = NULL;
    for (int i = 0; i < index->region_count; i++) free(index->regions[i]);
    free(index->regions);
    free(index);
}

int unmap_index(sqlite3_file *base, int must_delete) {
    (void)must_delete;
    opening *leaving = (opening *)base;
    pthread_mutex_lock(&leaving->disk->mutex);
    leave_index(leaving);
    return end(leaving, SQLITE_OK);
}
