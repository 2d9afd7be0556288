#pragma once
#include <string.h>
#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

/* Creates a reader for zip archives; NULL when memory is short. */
static inline struct archive *visivent_archive_create(void)
{
    struct archive *archive = archive_read_new();
    if (archive != NULL)
        archive_read_support_format_zip(archive);
    return archive;
}

/* Opens an archive in memory, which must stay in place until the reader is freed. Returns 1 on success, else 0. */
static inline int visivent_archive_open(struct archive *archive, const void *bytes, size_t count)
{
    return archive_read_open_memory(archive, bytes, count) == ARCHIVE_OK;
}

/* Opens an archive whose bytes `read` provides: it sets a pointer to bytes, which must stay in place until its next
 * call, and returns their number, 0 at the end, -1 on failure. Returns 1 on success, else 0. */
static inline int visivent_archive_open_stream(
    struct archive *archive, void *context, archive_read_callback *read)
{
    return archive_read_open(archive, context, NULL, read, NULL) == ARCHIVE_OK;
}

/* Moves to the next member. Returns 1 for a member, 0 at the end, -1 on damage. */
static inline int visivent_archive_next(struct archive *archive, struct archive_entry **entry)
{
    int status = archive_read_next_header(archive, entry);
    if (status == ARCHIVE_EOF)
        return 0;
    /* A warning means that the name does not fit the locale; the member is intact. */
    return status == ARCHIVE_OK || status == ARCHIVE_WARN ? 1 : -1;
}

/* Reads the member's next bytes. Returns their number, 0 at the member's end, -1 on damage. */
static inline long visivent_archive_read(struct archive *archive, void *buffer, size_t capacity)
{
    la_ssize_t count = archive_read_data(archive, buffer, capacity);
    return count < 0 ? -1 : (long)count;
}

/* The member's name as UTF-8 if it can be converted, else its bytes; NULL without a name. */
static inline const char *visivent_archive_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    return name != NULL ? name : archive_entry_pathname(entry);
}

/* 1 for a directory, else 0. */
static inline int visivent_archive_is_directory(struct archive_entry *entry)
{
    return archive_entry_filetype(entry) == AE_IFDIR;
}

/* 1 if the member's content or metadata is encrypted, else 0. */
static inline int visivent_archive_is_encrypted(struct archive_entry *entry)
{
    return archive_entry_is_encrypted(entry) != 0;
}

/* libarchive's message for the last error; empty without one. */
static inline const char *visivent_archive_error(struct archive *archive)
{
    const char *message = archive_error_string(archive);
    return message != NULL ? message : "";
}

static inline void visivent_archive_free(struct archive *archive)
{
    archive_read_free(archive);
}
