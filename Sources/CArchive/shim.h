#pragma once
#include <string.h>
#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

/* A reader for zip. NULL when there is no memory. */
static inline struct archive *visivent_archive_create(void)
{
    struct archive *archive = archive_read_new();
    if (archive != NULL)
        archive_read_support_format_zip(archive);
    return archive;
}

/* Opens memory that stays in place until the reader is freed: 1 when it could be opened, else 0. */
static inline int visivent_archive_open(struct archive *archive, const void *bytes, size_t count)
{
    return archive_read_open_memory(archive, bytes, count) == ARCHIVE_OK;
}

/* Opens bytes that `read` hands out: it sets a pointer to some and returns how many, 0 at the end, -1 on failure. They
 * stay in place until it is called again. 1 when the archive could be opened, else 0. */
static inline int visivent_archive_open_stream(
    struct archive *archive, void *context, archive_read_callback *read)
{
    return archive_read_open(archive, context, NULL, read, NULL) == ARCHIVE_OK;
}

/* Moves to the next member: 1 when there is one, 0 at the end, -1 on damage. */
static inline int visivent_archive_next(struct archive *archive, struct archive_entry **entry)
{
    int status = archive_read_next_header(archive, entry);
    if (status == ARCHIVE_EOF)
        return 0;
    /* A warning says that the name does not fit the locale; the member is fine. */
    return status == ARCHIVE_OK || status == ARCHIVE_WARN ? 1 : -1;
}

/* Reads the member's next bytes: how many, 0 at its end, -1 on damage. */
static inline long visivent_archive_read(struct archive *archive, void *buffer, size_t capacity)
{
    la_ssize_t count = archive_read_data(archive, buffer, capacity);
    return count < 0 ? -1 : (long)count;
}

/* The member's name as UTF-8 where it can be had so, else its bytes, else NULL. */
static inline const char *visivent_archive_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    return name != NULL ? name : archive_entry_pathname(entry);
}

/* Whether the member is a directory. */
static inline int visivent_archive_is_directory(struct archive_entry *entry)
{
    return archive_entry_filetype(entry) == AE_IFDIR;
}

/* Whether a password is needed. */
static inline int visivent_archive_is_encrypted(struct archive_entry *entry)
{
    return archive_entry_is_encrypted(entry) != 0;
}

/* What went wrong, or an empty text. */
static inline const char *visivent_archive_error(struct archive *archive)
{
    const char *message = archive_error_string(archive);
    return message != NULL ? message : "";
}

/* Frees the reader. */
static inline void visivent_archive_free(struct archive *archive)
{
    archive_read_free(archive);
}
