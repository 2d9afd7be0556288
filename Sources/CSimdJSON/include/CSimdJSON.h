#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A reusable simdjson DOM parser. Its tape stays valid until the next parse.
typedef struct simdjson_parser simdjson_parser;

/// Creates a parser; NULL when memory is short.
simdjson_parser *simdjson_parser_new(void);
void simdjson_parser_free(simdjson_parser *parser);

/// Parses `length` bytes; `padding` is the number of readable bytes after them. Returns 0 or a simdjson error code. On
/// success `*tape` and `*strings` point to simdjson's tape and string buffer (doc/tape.md of simdjson).
int simdjson_parser_parse(
    simdjson_parser *parser, const uint8_t *bytes, size_t length, size_t padding, size_t maximum_depth,
    const uint64_t **tape, const uint8_t **strings);

/// Finds the end of the object, array or string that begins at `start`, by brackets, quotes and backslashes alone; the
/// parser validates it. Returns the offset after it, 0 if it does not end, SIZE_MAX if it is nested deeper than
/// `maximum_depth`.
size_t simdjson_find_end(const uint8_t *bytes, size_t length, size_t start, size_t maximum_depth);

/// The number of commas and opening brackets: no fewer than half the values of a document, whatever its strings hold.
size_t simdjson_count_values(const uint8_t *bytes, size_t length);

/// Whether an error code stands for a bad character in a string, or a number out of range. The numbers of the codes
/// differ between releases.
bool simdjson_is_mendable(int code);

/// Whether an error code stands for a document that is nested too deeply.
bool simdjson_is_too_deep(int code);

/// simdjson's sentence for an error code.
const char *simdjson_error_sentence(int code);

#ifdef __cplusplus
}
#endif
