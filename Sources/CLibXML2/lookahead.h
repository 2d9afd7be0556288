#pragma once
#include <stddef.h>
#include <stdint.h>

/// The kinds of tokens, found before libxml2 sees them. libxml2 must not search for the end of markup itself, nor get a
/// tag with too many attributes, which it compares in quadratic time.
typedef enum {
    /// A tag with the text after it, or text. libxml2 validates it.
    CXML_TOKEN_PLAIN,
    /// A comment, CDATA section or processing instruction.
    CXML_TOKEN_SECTION,
    /// The document ends inside the tag or section.
    CXML_TOKEN_UNFINISHED,
    /// A long tag that runs into the next one.
    CXML_TOKEN_BROKEN,
    CXML_TOKEN_TOO_MANY_ATTRIBUTES,
    CXML_TOKEN_TOO_LARGE,
} cxml_token_kind;

/// The start and end of a section, and the start that continues a section after an early end.
typedef struct {
    const char *open, *close, *reopen;
} cxml_section;

typedef struct {
    cxml_token_kind kind;
    size_t start, end;
    /// NULL for tokens other than sections.
    const cxml_section *section;
} cxml_token;

/// The token at an offset below `count`. Long text gives several tokens. A tag has at most `most_tag_bytes`.
cxml_token cxml_token_at(
    const uint8_t *bytes, size_t count, size_t start, size_t most_text_bytes, size_t most_tag_bytes);

/// The end of a piece of a section from `from` on, of about `size` bytes. It lies between two characters and never
/// where an inserted end would be misread. Near the token's end it is that end.
size_t cxml_section_cut(const uint8_t *bytes, cxml_token token, size_t from, size_t size);
