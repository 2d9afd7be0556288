// Files as bytes: the image that the process sees, the image on the disk, and the log between them.
#include "disk.h"

#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 512,
    // Linux writes old pages by itself (vm.dirty_expire_centisecs), so a log may end without a sync.
    LONGEST_LOG = 64 << 20,
};

void *must_allocate(void *memory, size_t bytes) {
    memory = realloc(memory, bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

// SplitMix64 (Steele, Lea, Flood 2014).
uint64_t draw(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int64_t draw_below(uint64_t *state, int64_t bound) { return (int64_t)(draw(state) % (uint64_t)bound); }

// MARK: - Images

static void image_reserve(image *image, int64_t size) {
    if (size <= image->room) return;
    int64_t room = image->room * 2 > size ? image->room * 2 : size;
    image->bytes = must_allocate(image->bytes, (size_t)room);
    image->room = room;
}

static void image_resize(image *image, int64_t size) {
    image_reserve(image, size);
    if (size > image->size) memset(image->bytes + image->size, 0, (size_t)(size - image->size));
    image->size = size;
}

static void image_write(image *image, int64_t offset, const void *bytes, int64_t length) {
    if (length <= 0) return;
    int64_t end = offset + length;
    image_reserve(image, end);
    if (offset > image->size) memset(image->bytes + image->size, 0, (size_t)(offset - image->size));
    memcpy(image->bytes + offset, bytes, (size_t)length);
    if (end > image->size) image->size = end;
}

// MARK: - Names

stored_file *storage_find(faultdisk *disk, const char *name) {
    stored_file *file = disk->files;
    while (file && !(file->name && strcmp(file->name, name) == 0)) file = file->next;
    return file;
}

stored_file *storage_create(faultdisk *disk, const char *name) {
    stored_file *file = must_allocate(NULL, sizeof *file);
    *file = (stored_file){.next = disk->files};
    if (name) file->name = strcpy(must_allocate(NULL, strlen(name) + 1), name);
    disk->files = file;
    return file;
}

static void free_file(stored_file *file) {
    free(file->name);
    free(file->seen.bytes);
    free(file->synced.bytes);
    free(file->log);
    free(file->log_bytes.bytes);
    free(file);
}

void storage_free_if_gone(faultdisk *disk, stored_file *file) {
    if (file->name || file->openings) return;
    stored_file **link = &disk->files;
    while (*link != file) link = &(*link)->next;
    *link = file->next;
    disk->used -= file->seen.size;
    free_file(file);
}

void storage_unlink(faultdisk *disk, stored_file *file) {
    free(file->name);
    file->name = NULL;
    storage_free_if_gone(disk, file);
}

void storage_free_all(faultdisk *disk) {
    while (disk->files) {
        stored_file *file = disk->files;
        disk->files = file->next;
        free_file(file);
    }
}

// MARK: - The log

static void apply(stored_file *file, const unsynced *entry) {
    if (entry->length < 0) image_resize(&file->synced, entry->offset);
    else image_write(&file->synced, entry->offset, file->log_bytes.bytes + entry->at, entry->length);
}

void storage_sync(stored_file *file) {
    for (int64_t i = 0; i < file->log_count; i++) apply(file, &file->log[i]);
    file->log_count = 0;
    file->log_bytes.size = 0;
}

static void append(stored_file *file, unsynced entry, const void *bytes) {
    if (!file->name) return;
    if (file->log_bytes.size >= LONGEST_LOG) storage_sync(file);
    if (file->log_count == file->log_room) {
        file->log_room = file->log_room ? file->log_room * 2 : 64;
        file->log = must_allocate(file->log, (size_t)file->log_room * sizeof *file->log);
    }
    entry.at = file->log_bytes.size;
    file->log[file->log_count++] = entry;
    image_write(&file->log_bytes, entry.at, bytes, entry.length);
}

void storage_write(faultdisk *disk, stored_file *file, int64_t offset, const void *bytes, int64_t length) {
    if (length <= 0) return;
    int64_t before = file->seen.size;
    image_write(&file->seen, offset, bytes, length);
    disk->used += file->seen.size - before;
    append(file, (unsynced){.offset = offset, .length = length}, bytes);
}

void storage_truncate(faultdisk *disk, stored_file *file, int64_t size) {
    disk->used += size - file->seen.size;
    image_resize(&file->seen, size);
    append(file, (unsynced){.offset = size, .length = -1}, NULL);
}

// MARK: - Losing power

static void tear(faultdisk *disk, stored_file *file, const unsynced *entry) {
    int64_t lost = 0;
    for (int64_t from = entry->offset, end = from + entry->length; from < end;) {
        int64_t to = (from / SECTOR + 1) * SECTOR;
        if (to > end) to = end;
        if (draw(&disk->chance) & 1) {
            const uint8_t *bytes = file->log_bytes.bytes + entry->at + (from - entry->offset);
            image_write(&file->synced, from, bytes, to - from);
        } else {
            lost += to - from;
        }
        from = to;
    }
    disk->tally.bytes_lost += lost;
    if (lost == 0) disk->tally.writes_kept++;
    else if (lost == entry->length) disk->tally.writes_lost++;
    else disk->tally.writes_torn++;
}

// Disks differ, so each loss of power has one of four results: nothing arrived, everything, a beginning, or scattered
// writes.
void storage_lose_unsynced(faultdisk *disk, stored_file *file) {
    if (!file->name || file->log_count == 0) return;
    enum { NOTHING, EVERYTHING, BEGINNING, HERE_AND_THERE } shape = (int)draw_below(&disk->chance, 4);
    int64_t whole = shape == NOTHING ? -1 : file->log_count;
    if (shape == BEGINNING) whole = draw_below(&disk->chance, file->log_count);
    int64_t kept_of_eight = 1 + draw_below(&disk->chance, 7);
    for (int64_t i = 0; i < file->log_count; i++) {
        const unsynced *entry = &file->log[i];
        bool is_kept = i < whole, is_torn = i == whole;
        if (shape == HERE_AND_THERE) {
            is_torn = draw_below(&disk->chance, 4) == 0;
            is_kept = !is_torn && draw_below(&disk->chance, 8) < kept_of_eight;
        }
        if (is_torn && entry->length >= 0) {
            tear(disk, file, entry);
        } else if (is_kept) {
            apply(file, entry);
            disk->tally.writes_kept++;
        } else {
            disk->tally.writes_lost++;
            if (entry->length > 0) disk->tally.bytes_lost += entry->length;
        }
    }
    file->log_count = 0;
    file->log_bytes.size = 0;
    disk->used += file->synced.size - file->seen.size;
    file->seen.size = 0;
    image_write(&file->seen, 0, file->synced.bytes, file->synced.size);
}
