#pragma once
#include <stddef.h>
#include <stdint.h>

/// What libxml2 must not be left to find out by itself: where markup ends, and how many attributes a tag has, among
/// which it looks for equals in quadratic time.
typedef enum {
    /// A tag with the text behind it, or text; whether it is sound is for libxml2 to say.
    CXML_TOKEN_PLAIN,
    /// A comment, CDATA section or processing instruction.
    CXML_TOKEN_SECTION,
    /// The document ends within the tag or section.
    CXML_TOKEN_UNFINISHED,
    /// A long tag that runs into the next one.
    CXML_TOKEN_BROKEN,
    CXML_TOKEN_TOO_MANY_ATTRIBUTES,
    CXML_TOKEN_TOO_LARGE,
} cxml_token_kind;

/// What a section begins and ends with, and what goes on with one that has been ended before its time.
typedef struct {
    const char *open, *close, *reopen;
} cxml_section;

typedef struct {
    cxml_token_kind kind;
    size_t start, end;
    /// NULL for anything but sections.
    const cxml_section *section;
} cxml_token;

/// The token at an offset below `count`. Long text is several tokens; a tag is at most `most_tag_bytes` long.
cxml_token cxml_token_at(
    const uint8_t *bytes, size_t count, size_t start, size_t most_text_bytes, size_t most_tag_bytes);

/// Where a piece of a section that begins at `from` and has about `size` bytes may end: between two characters, and not
/// where the section's end would mean something else. The token's end, when that is near.
size_t cxml_section_cut(const uint8_t *bytes, cxml_token token, size_t from, size_t size);
