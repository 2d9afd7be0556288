/// A disk in memory behind SQLite's VFS interface (<https://www.sqlite.org/vfs.html>), for deterministic simulation.
///
/// Files are identified by their full path names; the real file system is never touched. Each file has two images, the
/// one that the process sees and the one on the disk, and a log of the writes since the last sync between them. At a
/// loss of power a seeded generator keeps, loses or tears each write of that log. If only the process dies, all writes
/// are kept.
///
/// The disk makes the promises that SQLite's unix VFS makes for ext4 by default (only
/// SQLITE_IOCAP_POWERSAFE_OVERWRITE). A write tears at multiples of 512 bytes; each piece is wholly old or wholly new,
/// in any order; bytes beside the write do not change. Only a sync of the same file orders writes. A file ends after
/// the last piece that arrived; holes before it read as zeros. For simplicity, creation and deletion of files are
/// durable at once.
///
/// A failed sync leaves the log unchanged. A log of 64 MiB is written out by itself, as Linux eventually writes old
/// pages. No call sleeps: a busy time-out expires at once.
///
/// All functions may be called from any thread. Lack of memory ends the process.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The operations that SQLite asks of a disk.
#define FAULTDISK_OPEN 0
#define FAULTDISK_DELETE 1
#define FAULTDISK_READ 2
#define FAULTDISK_WRITE 3
#define FAULTDISK_SYNC 4
#define FAULTDISK_TRUNCATE 5
/// Taking a lock on the file, or the writer's lock of the WAL. Releasing a lock never fails.
#define FAULTDISK_LOCK 6
/// Mapping a part of the WAL-index (the -shm file, which is memory here).
#define FAULTDISK_MAP 7
#define FAULTDISK_OPERATIONS 8

// The ways in which an operation fails. A fault that an operation cannot have (a busy read) is an I/O error.
/// SQLITE_IOERR_READ, _WRITE and so on. A write may have been done in part.
#define FAULTDISK_IO_ERROR 1
/// SQLITE_FULL from a write, done in part; SQLITE_CANTOPEN from an open; an I/O error from other operations.
#define FAULTDISK_FULL 2
/// SQLITE_BUSY from a lock, as if another process held it.
#define FAULTDISK_BUSY 3
/// SQLITE_CANTOPEN from an open.
#define FAULTDISK_CANNOT_OPEN 4
/// The process dies during the operation, as by faultdisk_kill_process.
#define FAULTDISK_KILL 5
/// The power fails during the operation, as by faultdisk_lose_power.
#define FAULTDISK_POWER_LOSS 6

typedef struct faultdisk faultdisk;

/// Creates an empty disk and registers it as a VFS. As the process's default VFS it also makes SQLite seed its own
/// generator again (WAL salts, random()), so that equal seeds give equal bytes.
faultdisk *faultdisk_create(uint64_t seed, bool is_default);
/// Unregisters the VFS. The disk is freed with its last open file.
void faultdisk_release(faultdisk *disk);
/// The VFS's name, unique among existing disks. The string lives as long as the disk.
const char *faultdisk_name(const faultdisk *disk);

/// Makes `times` operations of a kind (INT64_MAX: all until cleared) fail after `after` more have passed. It replaces
/// the previous setting for that kind.
void faultdisk_fail(faultdisk *disk, int32_t operation, int32_t fault, int64_t after, int64_t times);
void faultdisk_clear_faults(faultdisk *disk);
/// Sets the bytes of all files together, without the WAL-index, beyond which writes return SQLITE_FULL. Negative, the
/// initial value: no limit.
void faultdisk_set_capacity(faultdisk *disk, int64_t bytes);
int64_t faultdisk_capacity(faultdisk *disk);

/// Kills every open file: its operations return I/O errors, except unlocking and closing, which work and change nothing
/// on the disk. Until faultdisk_revive no file can be opened, and deletions do nothing without an error. Locks and
/// WAL-index are gone.
void faultdisk_lose_power(faultdisk *disk);
/// The same, but all writes survive in the page cache. A later loss of power may still lose them.
void faultdisk_kill_process(faultdisk *disk);
/// Allows files to be opened again. Dead files stay dead and should be closed first: SQLite deletes journals by name,
/// so the disk cannot tell which connection deletes.
void faultdisk_revive(faultdisk *disk);
bool faultdisk_is_dead(faultdisk *disk);
/// The number of open files, dead ones included.
int64_t faultdisk_open_files(faultdisk *disk);
/// The size of a file as the process sees it, in bytes; -1 for a missing file.
int64_t faultdisk_size(faultdisk *disk, const char *path);
/// Syncs a file and renames it, replacing a file of the new name; does nothing for a missing file.
void faultdisk_rename(faultdisk *disk, const char *from, const char *to);
/// Removes a file; does nothing for a missing one.
void faultdisk_remove(faultdisk *disk, const char *path);
/// The bytes of all files together, as the process sees them.
int64_t faultdisk_used(faultdisk *disk);

/// Sets SQL's clock, in milliseconds since 1970; 0 initially. Only this call moves it.
void faultdisk_set_now(faultdisk *disk, int64_t milliseconds);
int64_t faultdisk_now(faultdisk *disk);

/// The number of operations of a kind on a living disk since it was created, failed ones included.
int64_t faultdisk_count(faultdisk *disk, int32_t operation);
/// The number of these that failed by faultdisk_fail.
int64_t faultdisk_fired(faultdisk *disk, int32_t operation);

/// Further counts since the disk was created.
typedef struct faultdisk_tally {
    /// Writes that lacked room.
    int64_t full;
    int64_t power_losses;
    int64_t kills;
    /// The results of power losses for unsynced writes and truncations.
    int64_t writes_kept, writes_lost, writes_torn, bytes_lost;
} faultdisk_tally;

faultdisk_tally faultdisk_get_tally(faultdisk *disk);

#pragma clang assume_nonnull end
