/// A disk in memory behind SQLite's VFS interface (<https://www.sqlite.org/vfs.html>), for deterministic simulation.
///
/// Files are known by their full path name; the real file system is never touched. Each file has the image that the
/// process sees and the one that is on the disk; what was written since the last sync is a log between the two. A death
/// by power loss keeps, loses or tears each write of that log by a seeded generator; a death of the process alone keeps
/// them all.
///
/// What the disk promises is what SQLite's unix VFS says of ext4 by default (SQLITE_IOCAP_POWERSAFE_OVERWRITE and
/// nothing else): a write is torn at multiples of 512 bytes, each piece is wholly old or wholly new, in any order, and
/// bytes beside the write stay as they were. Nothing orders writes but a sync of the same file. Beyond the last piece
/// that arrived a file ends; before it, holes read as zeros. To keep it simple, creation and deletion of a file are
/// durable at once.
///
/// A sync that fails leaves the log as it is. A log of 64 MiB drains by itself, as Linux writes old pages back in time.
/// Nobody sleeps: a busy time-out is tried through at once.
///
/// All functions may be called from any thread. Running out of memory ends the process.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What SQLite asks of a disk.
#define FAULTDISK_OPEN 0
#define FAULTDISK_DELETE 1
#define FAULTDISK_READ 2
#define FAULTDISK_WRITE 3
#define FAULTDISK_SYNC 4
#define FAULTDISK_TRUNCATE 5
/// Taking a lock on the file, or the writer's lock of the WAL; never giving one back.
#define FAULTDISK_LOCK 6
/// Mapping a part of the WAL-index (the -shm file, which is memory here).
#define FAULTDISK_MAP 7
#define FAULTDISK_OPERATIONS 8

// How an operation fails. Where a fault makes no sense (a busy read), it is an I/O error.
/// SQLITE_IOERR_READ, _WRITE and so on. A write may have been done in part.
#define FAULTDISK_IO_ERROR 1
/// SQLITE_FULL from a write, done in part; SQLITE_CANTOPEN from an open; an I/O error from the others.
#define FAULTDISK_FULL 2
/// SQLITE_BUSY from a lock, as if another process held it.
#define FAULTDISK_BUSY 3
/// SQLITE_CANTOPEN from an open.
#define FAULTDISK_CANNOT_OPEN 4
/// The process dies in the middle of the operation, as by faultdisk_kill_process.
#define FAULTDISK_KILL 5
/// The power goes in the middle of the operation, as by faultdisk_lose_power.
#define FAULTDISK_POWER_LOSS 6

typedef struct faultdisk faultdisk;

/// Creates an empty disk and registers it as a VFS; as the process's default one it also seeds SQLite's own generator
/// (WAL salts, random()) afresh, so that equal seeds give equal bytes.
faultdisk *faultdisk_create(uint64_t seed, bool is_default);
/// Unregisters the VFS. The disk goes away with its last open file.
void faultdisk_release(faultdisk *disk);
/// The VFS's name, unique among living disks; it lives as long as the disk.
const char *faultdisk_name(const faultdisk *disk);

/// Lets `times` operations of a kind fail after `after` more have passed (INT64_MAX: until cleared); takes the place of
/// what was set for that kind before.
void faultdisk_fail(faultdisk *disk, int32_t operation, int32_t fault, int64_t after, int64_t times);
void faultdisk_clear_faults(faultdisk *disk);
/// Bytes of all files together, less the WAL-index, beyond which writes give SQLITE_FULL; negative, as at the
/// start: no limit.
void faultdisk_set_capacity(faultdisk *disk, int64_t bytes);
int64_t faultdisk_capacity(faultdisk *disk);

/// Every open file is dead from now on: all its operations are I/O errors, closing it works and changes nothing. Until
/// faultdisk_revive nothing can be opened, and deleting silently does nothing. Locks and WAL-index are gone.
void faultdisk_lose_power(faultdisk *disk);
/// The same, but all writes survive in the page cache, where a later loss of power still finds them.
void faultdisk_kill_process(faultdisk *disk);
/// Lets files be opened again. None of the dead ones comes back to life; close them first, for SQLite deletes journals
/// by name, and there nobody can tell who asks.
void faultdisk_revive(faultdisk *disk);
bool faultdisk_is_dead(faultdisk *disk);
/// Files now open, dead ones included.
int64_t faultdisk_open_files(faultdisk *disk);
/// Size of a file as the process sees it, in bytes; -1: there is none.
int64_t faultdisk_size(faultdisk *disk, const char *path);
/// Brings a file to the disk and gives it another name, in place of what has it; nothing happens if it is not there.
void faultdisk_rename(faultdisk *disk, const char *from, const char *to);
/// Removes a file, if it is there.
void faultdisk_remove(faultdisk *disk, const char *path);
/// Bytes of all files together, as the process sees them.
int64_t faultdisk_used(faultdisk *disk);

/// SQL's clock in milliseconds since 1970; 0 at the start. It moves only when this is called.
void faultdisk_set_now(faultdisk *disk, int64_t milliseconds);
int64_t faultdisk_now(faultdisk *disk);

/// Operations of a kind asked of living files since the disk was created, failed ones included.
int64_t faultdisk_count(faultdisk *disk, int32_t operation);
/// Of these, how many failed by faultdisk_fail.
int64_t faultdisk_fired(faultdisk *disk, int32_t operation);

/// What else has happened since then.
typedef struct faultdisk_tally {
    /// Writes that found no room.
    int64_t full;
    int64_t power_losses;
    int64_t kills;
    /// What losses of power made of unsynced writes and truncations.
    int64_t writes_kept, writes_lost, writes_torn, bytes_lost;
} faultdisk_tally;

faultdisk_tally faultdisk_get_tally(faultdisk *disk);

#pragma clang assume_nonnull end
