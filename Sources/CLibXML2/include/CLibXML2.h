/// libxml2's SAX2 push parser for Swift. It fills flat arrays, a *tape*, with one item at a time.
///
/// The parser runs without RECOVER, so it refuses documents that are not well-formed. It sees no document type, so no
/// entity is declared. It opens no file and no connection, and writes nothing to standard error. `cxml_settings` limits
/// the resources that libxml2 leaves unlimited.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#define CXML_NULLABLE _Nullable
#else
#define CXML_NULLABLE
#endif

// MARK: The tape

/// One element of a tape.
typedef struct {
    /// The number of the element's name.
    int32_t name;
    /// The line at which the start tag ends, from 1.
    int32_t line;
    /// The index after the last descendant; for an open element the index of its parent, or -1.
    int32_t end;
    /// The index of the first attribute. The attributes end where the next node's begin.
    int32_t attributes;
    /// The range of the element's text in `text`.
    int32_t text_start, text_end;
} cxml_node;

/// One attribute of an element.
typedef struct {
    /// The number of the attribute's name.
    int32_t name;
    /// The range of the value in `values`.
    int32_t start, end;
} cxml_attribute;

/// Elements in document order. One buffer has all character data in document order, so the text of an element with its
/// descendants is one range. The descendants of an element are the nodes after it, up to its `end`. The arrays move
/// when they grow, and they belong to the reader.
typedef struct {
    cxml_node *nodes;
    cxml_attribute *attributes;
    /// All character data, and all attribute values; neither is zero-terminated.
    uint8_t *text, *values;
    size_t node_count, attribute_count, text_count, value_count;
} cxml_tape;

// MARK: Settings, states and faults

/// The limits and callbacks of a reader. `context` is passed to the callbacks.
typedef struct {
    /// The deepest nesting of elements.
    size_t depth;
    /// The most bytes of one item on the tape, and of everything outside items; at most 1 GiB each.
    size_t item_bytes, skeleton_bytes;
    /// The most items of a document.
    size_t items;
    /// The number of items at the start that are not delivered.
    size_t skipped_items;
    /// The line of the document's first byte, from 1.
    int32_t first_line;
    void *context;
    /// Receives each name once, when it first occurs; names are numbered from 0. Returns whether such elements are
    /// items. `prefix` is set only if undeclared, `uri` only with a namespace. Both are valid within the call.
    bool (*on_name)(
        void *context, const char *local, const char *CXML_NULLABLE prefix, const char *CXML_NULLABLE uri);
    /// Receives the end of each item, which is on the item's tape. `line` is the item's first line; a lost item was too
    /// large.
    void (*on_item)(void *context, int32_t line, bool is_lost);
    /// Returns whether reading goes on; called after each item and at every 64th element or text.
    bool (*goes_on)(void *context);
    /// Returns the character of a named reference; 0 for an unknown one.
    uint32_t (*named_character)(const uint8_t *name, size_t count);
    /// Returns the character of a numeric reference to U+0080…U+009F.
    uint32_t (*numbered_character)(uint32_t code);
} cxml_settings;

/// The state of a reader.
typedef enum {
    /// The document has not ended.
    CXML_GOING,
    /// The root element is closed.
    CXML_CLOSED,
    /// libxml2 refuses the document as not well-formed.
    CXML_REFUSED,
    CXML_TOO_DEEP,
    CXML_TOO_MANY_ITEMS,
    CXML_TOO_MANY_NAMES,
    CXML_NAMES_TOO_LARGE,
    CXML_TOO_MANY_NAMESPACES,
    CXML_TOO_MANY_ATTRIBUTES,
    CXML_TAG_TOO_LARGE,
    CXML_SKELETON_TOO_LARGE,
    /// `goes_on` has ended the reading.
    CXML_TOO_SLOW,
    CXML_OUT_OF_MEMORY,
} cxml_state;

/// A fault that does not make a document malformed.
typedef enum {
    CXML_UNDECLARED_PREFIX,
    CXML_MISPLACED_COLON,
    CXML_REPEATED_ATTRIBUTE,
    CXML_FORBIDDEN_DECLARATION,
} cxml_fault;

typedef struct {
    cxml_fault fault;
    int32_t line;
    /// The prefix and the local name as written; NULL where there is none.
    const char *CXML_NULLABLE prefix;
    const char *CXML_NULLABLE local;
} cxml_problem;

/// The most different names, namespace declarations in force and attributes of a tag, and the most bytes of all names,
/// prefixes, URIs and targets. libxml2 searches them in a few thousand lists of any length, so more of them are an
/// attack.
enum {
    cxml_most_names = 20000,
    cxml_most_name_bytes = 1 << 20,
    cxml_most_namespaces = 256,
    cxml_most_attributes = 1000,
};
/// The most problems recorded for one document.
enum { cxml_most_problems = 100 };

// MARK: Reading

/// Reads one document, once.
typedef struct cxml_reader cxml_reader;

/// Creates a reader; NULL when memory is short.
cxml_reader *CXML_NULLABLE cxml_reader_new(const cxml_settings *settings);
/// Frees the reader and its tapes.
void cxml_reader_free(cxml_reader *reader);

/// Reads a whole document in UTF-8 that begins with its root element's start tag.
///
/// libxml2 receives pieces of about 64 KiB that end between tags, so it never waits for the rest of one. For tests,
/// `cut` sets the size of the pieces, wherever they end. A document that breaks off inside a tag, comment, CDATA
/// section or processing instruction ends before it (`cxml_reader_end`). CXML_GOING then means that the document ends
/// before its root element does.
cxml_state cxml_reader_read(cxml_reader *reader, const uint8_t *bytes, size_t count, size_t cut);

/// Reads the next piece of a document. The caller must ensure what `cxml_reader_read` ensures otherwise: a limited
/// number of attributes, no endless tags, no document type.
cxml_state cxml_reader_feed(cxml_reader *reader, const uint8_t *bytes, size_t count);
/// Ends the document after the last piece.
cxml_state cxml_reader_finish(cxml_reader *reader);

// MARK: Results

/// The content outside items. A root that is an item has a copy there with only its attributes.
const cxml_tape *cxml_reader_skeleton(const cxml_reader *reader);
/// The open item, or the last one.
const cxml_tape *cxml_reader_item(const cxml_reader *reader);
/// The number of items that have ended, including skipped and lost ones.
size_t cxml_reader_item_count(const cxml_reader *reader);
/// The line at which the open item began; 0 without an open item.
int32_t cxml_reader_open_item_line(const cxml_reader *reader);
/// The line that reading has reached, or at which it failed.
int32_t cxml_reader_line(const cxml_reader *reader);
/// The first error for which libxml2 refused the document (xmlParserErrors); 0 without one.
int cxml_reader_error(const cxml_reader *reader);
/// The problems in document order, at most `cxml_most_problems`; valid until `cxml_reader_close`.
const cxml_problem *cxml_reader_problems(const cxml_reader *reader, size_t *count);
/// The offset at which the document of `cxml_reader_read` ends, and whether it breaks off there inside a comment,
/// section or instruction.
size_t cxml_reader_end(const cxml_reader *reader, bool *is_within_section);
/// The offset of the last character of the innermost open element's start tag; 0 without an open element.
size_t cxml_reader_open_tag_end(const cxml_reader *reader);
/// Closes the open elements of the skeleton and frees everything but the tapes. Reading is then over.
void cxml_reader_close(cxml_reader *reader);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
