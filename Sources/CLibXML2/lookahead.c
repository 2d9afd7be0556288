#include "lookahead.h"

#include <stdbool.h>
#include <string.h>

#include "CLibXML2.h"

static const cxml_section sections[] = {
    {"<!--", "-->", "<!--"},
    {"<![CDATA[", "]]>", "<![CDATA["},
    {"<?", "?>", "<?x "},
};
enum { COMMENT, CDATA, INSTRUCTION };

/// An attribute has at least the bytes of ` a=""`.
static const size_t shortest_attribute = 5;

/// Whether an ASCII character may begin a name (XML 1.0 §2.3).
static bool begins_name(uint8_t byte) {
    return (byte | 0x20) - 'a' + 0u < 26 || byte == '_' || byte == ':';
}

/// The offset after the next `close`, which ends with `>` in all sections; 0 if there is none.
static size_t end_of_section(const uint8_t *bytes, size_t count, size_t start, const char *close) {
    size_t length = strlen(close);
    for (size_t index = start + length - 1; index < count; index++) {
        const uint8_t *next = memchr(bytes + index, '>', count - index);
        if (!next) return 0;
        index = (size_t)(next - bytes);
        if (memcmp(next + 1 - length, close, length) == 0) return index + 1;
    }
    return 0;
}

/// The section of that kind at an offset, else `plain`.
static cxml_token section_at(
    const uint8_t *bytes, size_t count, size_t start, const cxml_section *section, cxml_token plain) {
    size_t opening = strlen(section->open), left = count - start;
    if (memcmp(bytes + start, section->open, left < opening ? left : opening) != 0) return plain;
    cxml_token token = {CXML_TOKEN_UNFINISHED, start, count, NULL};
    if (section == &sections[INSTRUCTION]) {
        if (left == opening) return token;
        // This is most likely a fault. As text it costs the document less than an end here.
        if (!begins_name(bytes[start + opening])) return plain;
    }
    if (left < opening) return token;
    token.section = section;
    size_t end = end_of_section(bytes, count, start + opening, section->close);
    if (end == 0) return token;
    token.kind = CXML_TOKEN_SECTION;
    token.end = end;
    return token;
}

/// A tag that is long or the last of the document, up to its end.
static cxml_token tag_at(
    const uint8_t *bytes, size_t start, size_t limit, bool is_last, size_t most_tag_bytes) {
    bool is_end = start + 1 < limit && bytes[start + 1] == '/';
    size_t equals = 0;
    uint8_t quote = 0;
    for (size_t index = start + 1; index < limit; index++) {
        uint8_t byte = bytes[index];
        if (quote != 0) {
            if (byte == quote) quote = 0;
        } else if ((byte == '"' || byte == '\'') && !is_end) {
            quote = byte;
        } else if (byte == '=') {
            equals++;
            if (equals > cxml_most_attributes) return (cxml_token){CXML_TOKEN_TOO_MANY_ATTRIBUTES, start, limit, NULL};
        } else if (byte == '>') {
            bool is_sound = index - start < most_tag_bytes;
            return (cxml_token){is_sound ? CXML_TOKEN_PLAIN : CXML_TOKEN_TOO_LARGE, start, index + 1, NULL};
        }
    }
    if (!is_last) return (cxml_token){CXML_TOKEN_BROKEN, start, limit, NULL};
    bool is_tag = is_end || start + 1 == limit || bytes[start + 1] >= 0x80 || begins_name(bytes[start + 1]);
    return (cxml_token){is_tag ? CXML_TOKEN_UNFINISHED : CXML_TOKEN_BROKEN, start, limit, NULL};
}

/// Text up to the next `<`, at most `most_text_bytes`.
static cxml_token text_at(const uint8_t *bytes, size_t count, size_t start, size_t most_text_bytes) {
    size_t limit = count - start > most_text_bytes ? start + most_text_bytes : count;
    const uint8_t *next = memchr(bytes + start, '<', limit - start);
    if (next) {
        limit = (size_t)(next - bytes);
    } else if (limit < count) {
        while ((bytes[limit] & 0xC0) == 0x80) limit--;
    }
    return (cxml_token){CXML_TOKEN_PLAIN, start, limit, NULL};
}

cxml_token cxml_token_at(
    const uint8_t *bytes, size_t count, size_t start, size_t most_text_bytes, size_t most_tag_bytes) {
    if (bytes[start] != '<') return text_at(bytes, count, start, most_text_bytes);
    const uint8_t *next = memchr(bytes + start + 1, '<', count - start - 1);
    size_t limit = next ? (size_t)(next - bytes) : count;
    cxml_token plain = {CXML_TOKEN_PLAIN, start, limit, NULL};
    if (start + 1 < count && (bytes[start + 1] == '!' || bytes[start + 1] == '?')) {
        for (int kind = COMMENT; kind <= INSTRUCTION; kind++) {
            cxml_token token = section_at(bytes, count, start, &sections[kind], plain);
            if (token.kind != CXML_TOKEN_PLAIN) return token;
        }
        return plain;
    }
    if (next && limit - start < cxml_most_attributes * shortest_attribute) return plain;
    return tag_at(bytes, start, limit, !next, most_tag_bytes);
}

size_t cxml_section_cut(const uint8_t *bytes, cxml_token token, size_t from, size_t size) {
    // The section's own end stays in one piece.
    if (token.end - from <= size + 16) return token.end;
    size_t cut = from + size;
    while ((bytes[cut] & 0xC0) == 0x80) cut--;
    if (bytes[cut - 1] == '\r' && bytes[cut] == '\n') cut--;
    // Two hyphens end a comment. A longer run is a fault wherever it is cut.
    size_t behind_text = cut;
    while (behind_text > from + 16 && bytes[behind_text - 1] == '-') behind_text--;
    return token.section == &sections[COMMENT] ? behind_text : cut;
}
