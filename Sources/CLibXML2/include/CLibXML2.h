/// libxml2's SAX2 push parser for Swift: it fills flat arrays, a *tape*, with one item at a time.
///
/// The parser runs without RECOVER, so it refuses what is not well-formed. It sees no document type, so no entity is
/// declared; it opens no file and no connection, and writes nothing to standard error. What libxml2 leaves unbounded is
/// bounded here: see `cxml_settings`.
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

/// One element.
typedef struct {
    /// Number of its name.
    int32_t name;
    /// Line at which its start tag ends, from 1.
    int32_t line;
    /// Index after its last descendant; while it is open, the index of its parent, or -1.
    int32_t end;
    /// Index of its first attribute; they end where the next node's begin.
    int32_t attributes;
    /// Where its text begins and ends in `text`.
    int32_t text_start, text_end;
} cxml_node;

/// One attribute.
typedef struct {
    /// Number of its name.
    int32_t name;
    /// Where its value begins and ends in `values`.
    int32_t start, end;
} cxml_attribute;

/// Elements in document order. All character data stands in one buffer in the order of the document, so the text of an
/// element with all its descendants is one stretch of it; an element's descendants are the nodes after it up to its
/// `end`. The arrays move when they grow, and belong to the reader.
typedef struct {
    cxml_node *nodes;
    cxml_attribute *attributes;
    /// All character data, and all values of attributes; neither ends with a zero.
    uint8_t *text, *values;
    size_t node_count, attribute_count, text_count, value_count;
} cxml_tape;

// MARK: What a reader is told and asks for

/// Bounds, and functions that are called while a document is read; `context` is handed to them.
typedef struct {
    /// How deep elements may nest.
    size_t depth;
    /// Bytes of one item on the tape, and of all that is in no item; at most 1 GiB.
    size_t item_bytes, skeleton_bytes;
    /// How many items a document may have.
    size_t items;
    /// How many items at the beginning are not passed on.
    size_t skipped_items;
    /// The line of the first byte.
    int32_t first_line;
    void *context;
    /// Told each name once, when it is first seen; names are numbered from 0. Returns whether such elements are items.
    /// `prefix` is given when it is not declared, `uri` when there is a namespace. They are valid within the call.
    bool (*on_name)(
        void *context, const char *local, const char *CXML_NULLABLE prefix, const char *CXML_NULLABLE uri);
    /// Told the end of each item, which is on the item's tape; `line` is where it began. A lost one was too large.
    void (*on_item)(void *context, int32_t line, bool is_lost);
    /// The character that a named reference stands for; 0 for an unknown one.
    uint32_t (*named_character)(const uint8_t *name, size_t count);
    /// The character that a numeric reference to U+0080…U+009F stands for.
    uint32_t (*numbered_character)(uint32_t code);
} cxml_settings;

/// Where reading stands.
typedef enum {
    /// More of the document is wanted.
    CXML_GOING,
    /// The root element has been closed.
    CXML_CLOSED,
    /// libxml2 refuses the document: it is not well-formed.
    CXML_REFUSED,
    CXML_TOO_DEEP,
    CXML_TOO_MANY_ITEMS,
    CXML_TOO_MANY_NAMES,
    CXML_NAMES_TOO_LARGE,
    CXML_TOO_MANY_NAMESPACES,
    CXML_TOO_MANY_ATTRIBUTES,
    CXML_TAG_TOO_LARGE,
    CXML_SKELETON_TOO_LARGE,
    CXML_OUT_OF_MEMORY,
} cxml_state;

/// Something that is wrong and does not make a document malformed.
typedef enum {
    CXML_UNDECLARED_PREFIX,
    CXML_MISPLACED_COLON,
    CXML_REPEATED_ATTRIBUTE,
    CXML_FORBIDDEN_DECLARATION,
} cxml_fault;

typedef struct {
    cxml_fault fault;
    int32_t line;
    /// The name that it concerns, as written, in at most `cxml_name_bytes`; its prefix, if it has one.
    const char *CXML_NULLABLE prefix;
    const char *CXML_NULLABLE local;
} cxml_problem;

/// Names, namespace declarations in force and attributes of a tag beyond these numbers are an attack, as are more bytes
/// of names, prefixes, URIs and targets: libxml2 looks for each among few thousand lists, however long they are.
enum {
    cxml_most_names = 20000,
    cxml_most_name_bytes = 1 << 20,
    cxml_most_namespaces = 256,
    cxml_most_attributes = 1000,
};
/// Problems that are kept of one document.
enum { cxml_most_problems = 100 };

// MARK: Reading

/// Reads one document, once.
typedef struct cxml_reader cxml_reader;

/// Returns NULL when memory is short.
cxml_reader *CXML_NULLABLE cxml_reader_new(const cxml_settings *settings);
/// Frees the reader with its tapes.
void cxml_reader_free(cxml_reader *reader);

/// Reads a whole document in UTF-8 that begins with its root element's start tag.
///
/// libxml2 gets it in pieces of about 64 KiB that end between tags, so that it never waits for more of one; `cut`, for
/// tests, has it get pieces of that many bytes wherever they end. Where the document breaks off within a tag, comment,
/// CDATA section or processing instruction, it ends before that (`cxml_reader_end`). CXML_GOING then means that it ends
/// before its root element does.
cxml_state cxml_reader_read(cxml_reader *reader, const uint8_t *bytes, size_t count, size_t cut);

/// Reads on in a document that comes in pieces. Whoever makes them answers for what `cxml_reader_read` looks after: at
/// most so many attributes, no endless tags, no document type.
cxml_state cxml_reader_feed(cxml_reader *reader, const uint8_t *bytes, size_t count);
/// Says that no more pieces come.
cxml_state cxml_reader_finish(cxml_reader *reader);

// MARK: What came of it

/// Everything that is not in an item. A root that is an item has a copy there, with its attributes alone.
const cxml_tape *cxml_reader_skeleton(const cxml_reader *reader);
/// The item that is open, or the last one.
const cxml_tape *cxml_reader_item(const cxml_reader *reader);
/// How many items have ended, with those skipped and lost.
size_t cxml_reader_item_count(const cxml_reader *reader);
/// The line at which the open item began; 0 when none is open.
int32_t cxml_reader_open_item_line(const cxml_reader *reader);
/// The line that has been reached, or at which reading failed.
int32_t cxml_reader_line(const cxml_reader *reader);
/// The first error for which libxml2 refused the document (xmlParserErrors).
int cxml_reader_error(const cxml_reader *reader);
/// The problems, in the order of the document, at most `cxml_most_problems`; valid until `cxml_reader_close`.
const cxml_problem *cxml_reader_problems(const cxml_reader *reader, size_t *count);
/// Where the document given to `cxml_reader_read` ends, and whether it breaks off within a comment, section or
/// instruction there.
size_t cxml_reader_end(const cxml_reader *reader, bool *is_within_section);
/// The offset just before the end of the innermost open element's start tag; 0 when none is open.
size_t cxml_reader_open_tag_end(const cxml_reader *reader);
/// Closes what is open in the skeleton and frees everything but the tapes; nothing can be read then.
void cxml_reader_close(cxml_reader *reader);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
