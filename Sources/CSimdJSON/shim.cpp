#include "CSimdJSON.h"

#include <cstring>
#include <new>
#include <simdjson.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static const size_t block = 16;

// One bit for each byte of a block that is a bracket, quote or backslash.
static unsigned marks(const uint8_t *bytes) {
#ifdef __SSE2__
    __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes));
    __m128i quote = _mm_cmpeq_epi8(text, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'));
    // `[` and `]` differ from `{` and `}` by one bit.
    __m128i folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
    __m128i open = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{'));
    __m128i close = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), _mm_or_si128(open, close)));
#else
    unsigned bits = 0;
    for (size_t index = 0; index < block; index++) {
        uint8_t byte = bytes[index], folded = byte | 0x20;
        bits |= unsigned(byte == '"' || byte == '\\' || folded == '{' || folded == '}') << index;
    }
    return bits;
#endif
}

size_t simdjson_find_end(const uint8_t *bytes, size_t length, size_t start, size_t maximum_depth) {
    size_t depth = 0, skipped = SIZE_MAX;
    bool in_string = false;
    for (size_t offset = start; offset < length; offset += block) {
        uint8_t tail[block] = {};
        const uint8_t *text = bytes + offset;
        if (length - offset < block) text = static_cast<uint8_t *>(memcpy(tail, text, length - offset));
        for (unsigned bits = marks(text); bits != 0; bits &= bits - 1) {
            size_t index = __builtin_ctz(bits);
            if (offset + index == skipped) continue;
            switch (text[index]) {
            case '\\': skipped = offset + index + 1; break;
            case '"':
                in_string = !in_string;
                if (!in_string && depth == 0) return offset + index + 1;
                break;
            case '{': case '[':
                if (!in_string && ++depth > maximum_depth) return SIZE_MAX;
                break;
            default:
                if (in_string) break;
                if (depth <= 1) return depth == 0 ? 0 : offset + index + 1;
                depth--;
            }
        }
    }
    return 0;
}

size_t simdjson_count_values(const uint8_t *bytes, size_t length) {
    size_t count = 0, offset = 0;
#ifdef __SSE2__
    for (; offset + block <= length; offset += block) {
        __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + offset));
        __m128i comma = _mm_cmpeq_epi8(text, _mm_set1_epi8(','));
        __m128i open = _mm_cmpeq_epi8(_mm_or_si128(text, _mm_set1_epi8(0x20)), _mm_set1_epi8('{'));
        count += __builtin_popcount(_mm_movemask_epi8(_mm_or_si128(comma, open)));
    }
#endif
    for (; offset < length; offset++) {
        uint8_t byte = bytes[offset];
        count += byte == ',' || byte == '{' || byte == '[';
    }
    return count;
}

// Newer releases tell integers beyond 64 bits from other faulty numbers.
template <typename Codes> static auto is_big_integer(int code, int)
    -> decltype(static_cast<void>(Codes::BIGINT_ERROR), true) {
    return code == Codes::BIGINT_ERROR;
}
template <typename Codes> static bool is_big_integer(int, long) { return false; }

bool simdjson_is_mendable(int code) {
    switch (code) {
    case simdjson::STRING_ERROR: case simdjson::NUMBER_ERROR: case simdjson::UTF8_ERROR:
    case simdjson::UNESCAPED_CHARS:
        return true;
    default: return is_big_integer<simdjson::error_code>(code, 0);
    }
}

bool simdjson_is_too_deep(int code) { return code == simdjson::DEPTH_ERROR; }

const char *simdjson_error_sentence(int code) { return simdjson::error_message(simdjson::error_code(code)); }
