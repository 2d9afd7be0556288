#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A reusable simdjson DOM parser; the tape it makes stays valid until the next parse.
typedef struct simdjson_parser simdjson_parser;

/// Returns NULL when memory is short.
simdjson_parser *simdjson_parser_new(void);
void simdjson_parser_free(simdjson_parser *parser);

/// Parses `length` bytes; `padding` is how many readable bytes follow them. Returns 0 or a simdjson error code.
/// On success `*tape` and `*strings` point to simdjson's tape and string buffer (doc/tape.md of simdjson).
int simdjson_parser_parse(
    simdjson_parser *parser, const uint8_t *bytes, size_t length, size_t padding, size_t maximum_depth,
    const uint64_t **tape, const uint8_t **strings);

/// The sentence that belongs to an error code.
const char *simdjson_error_sentence(int code);

#ifdef __cplusplus
}
#endif
