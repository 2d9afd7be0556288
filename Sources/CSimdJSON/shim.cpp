#include "CSimdJSON.h"

#include <new>
#include <simdjson.h>

struct simdjson_parser {
    simdjson::dom::parser parser;
};

simdjson_parser *simdjson_parser_new(void) { return new (std::nothrow) simdjson_parser; }

void simdjson_parser_free(simdjson_parser *parser) { delete parser; }

int simdjson_parser_parse(
    simdjson_parser *handle, const uint8_t *bytes, size_t length, size_t padding, size_t maximum_depth,
    const uint64_t **tape, const uint8_t **strings) {
    auto &parser = handle->parser;
    if (parser.capacity() < length || parser.max_depth() != maximum_depth) {
        auto error = parser.allocate(length < 65536 ? 65536 : length, maximum_depth);
        if (error) return error;
    }
    auto error = parser.parse(bytes, length, padding < simdjson::SIMDJSON_PADDING).error();
    if (error) return error;
    *tape = parser.doc.tape.get();
    *strings = parser.doc.string_buf.get();
    return 0;
}

const char *simdjson_error_sentence(int code) { return simdjson::error_message(simdjson::error_code(code)); }
