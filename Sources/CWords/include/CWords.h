#pragma once

#include <stddef.h>

/// A file of the folder Words, which is compiled into the program.
struct word_file {
    /// Its name without an ending.
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// The file at an index from 0 on; NULL behind the last one.
const struct word_file *_Nullable word_file_at(size_t index);
