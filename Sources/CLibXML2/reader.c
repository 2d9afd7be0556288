#include "CLibXML2.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lookahead.h"
#include "names.h"
#include "tape.h"

typedef struct {
    /// The offset of the last character of its start tag.
    size_t tag_end;
    /// The number of namespaces that it declares.
    int32_t declarations;
} open_element;

struct cxml_reader {
    cxml_settings settings;
    xmlParserCtxtPtr context;
    cxml_state state;
    int error;
    /// The bytes that libxml2 received and that are not in the document.
    size_t added_bytes;
    /// The end of the document, and whether it is inside a section.
    size_t end;
    bool is_within_section;

    cxml_names names;
    cxml_recorder skeleton, item;

    open_element *open;
    size_t depth, open_capacity;
    /// The namespace declarations in force.
    int32_t declarations;
    /// The number of start tags with attributes so far.
    uint32_t tags;

    /// The number of elements and texts so far.
    uint32_t steps;

    /// The depth of the open item; 0 without one.
    size_t item_depth;
    int32_t item_line;
    bool is_item_too_large;
    /// Whether an item has just ended, so that white space is layout.
    bool is_behind_item;
    size_t item_count;

    cxml_problem problems[cxml_most_problems];
    size_t problem_count;
    /// The answer to a reference to an HTML entity.
    xmlEntity entity;
    xmlChar character[5];
};

static void fail(cxml_reader *reader, cxml_state state) {
    if (reader->state == CXML_GOING) reader->state = state;
}

int32_t cxml_reader_line(const cxml_reader *reader) {
    if (!reader->context || !reader->context->input) return reader->settings.first_line;
    return reader->settings.first_line - 1 + reader->context->input->line;
}

/// Counts an element or a text; asks at every 64th whether reading goes on.
static void count_step(cxml_reader *reader) {
    if (++reader->steps % 64 == 0 && !reader->settings.goes_on(reader->settings.context)) {
        fail(reader, CXML_TOO_SLOW);
    }
}

/// The offset in the document that libxml2 has reached.
static size_t offset(const cxml_reader *reader) {
    xmlParserInputPtr input = reader->context->input;
    return input->consumed + (size_t)(input->cur - input->base) - reader->added_bytes;
}

static void note(cxml_reader *reader, cxml_fault fault, const xmlChar *prefix, const xmlChar *local) {
    if (reader->problem_count == cxml_most_problems) return;
    reader->problems[reader->problem_count++] =
        (cxml_problem){fault, cxml_reader_line(reader), (const char *)prefix, (const char *)local};
}

// MARK: Names

/// The name of an element or attribute; NULL when there are too many names or memory is short.
static cxml_name *find_name(cxml_reader *reader, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    bool is_new;
    cxml_name *name = cxml_names_find(&reader->names, local, uri ? NULL : prefix, uri, &is_new);
    if (!name) {
        fail(reader, reader->names.count >= cxml_most_names ? CXML_TOO_MANY_NAMES : CXML_OUT_OF_MEMORY);
        return NULL;
    }
    if (is_new) {
        name->has_colon = strchr((const char *)local, ':') != NULL;
        name->is_item = reader->settings.on_name(
            reader->settings.context, (const char *)local, (const char *)name->prefix, (const char *)uri);
    }
    if (name->prefix) {
        note(reader, CXML_UNDECLARED_PREFIX, prefix, local);
    } else if (name->has_colon) {
        note(reader, CXML_MISPLACED_COLON, prefix, local);
    }
    return name;
}

// MARK: Elements

/// Adds the attributes of a start tag to the last opened element. libxml2 passes five pointers for each: local name,
/// prefix, URI, value and the value's end.
static void add_attributes(cxml_reader *reader, cxml_recorder *recorder, int count, const xmlChar **attributes) {
    if (count == 0) return;
    reader->tags++;
    for (; count > 0; count--, attributes += 5) {
        cxml_name *name = find_name(reader, attributes[0], attributes[1], attributes[2]);
        if (!name) return;
        // libxml2 accepts the same attribute under two prefixes of one namespace.
        if (name->last_tag == reader->tags) note(reader, CXML_REPEATED_ATTRIBUTE, attributes[1], attributes[0]);
        name->last_tag = reader->tags;
        size_t length = (size_t)(attributes[4] - attributes[3]);
        int32_t number = cxml_names_number(&reader->names, name);
        if (!cxml_record_attribute(
                recorder, number, attributes[3], length, reader->settings.numbered_character)) {
            return fail(reader, CXML_OUT_OF_MEMORY);
        }
    }
}

static bool push_element(cxml_reader *reader, int declarations) {
    if (reader->depth == reader->open_capacity) {
        size_t capacity = reader->open_capacity ? reader->open_capacity * 2 : 32;
        open_element *larger = realloc(reader->open, capacity * sizeof *larger);
        if (!larger) return false;
        reader->open = larger;
        reader->open_capacity = capacity;
    }
    reader->open[reader->depth++] = (open_element){offset(reader), declarations};
    reader->declarations += declarations;
    return true;
}

static void start_element(
    void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int declaration_count,
    const xmlChar **declarations, int attribute_count, int defaulted_count, const xmlChar **attributes) {
    (void)declarations;
    (void)defaulted_count;
    cxml_reader *reader = data;
    if (reader->state != CXML_GOING) return;
    count_step(reader);
    const cxml_settings *settings = &reader->settings;
    // The tag has been read up to its closing character. An element without content nests no deeper.
    if (reader->depth >= settings->depth && *reader->context->input->cur != '/') return fail(reader, CXML_TOO_DEEP);
    if (reader->declarations + declaration_count > cxml_most_namespaces) {
        return fail(reader, CXML_TOO_MANY_NAMESPACES);
    }
    cxml_name *found = find_name(reader, local, prefix, uri);
    if (!found) return;
    int32_t name = cxml_names_number(&reader->names, found), line = cxml_reader_line(reader);
    if (!push_element(reader, declaration_count)) return fail(reader, CXML_OUT_OF_MEMORY);
    reader->is_behind_item = false;
    bool begins_item = reader->item_depth == 0 && found->is_item;
    if (begins_item) {
        reader->item_depth = reader->depth;
        reader->item_line = line;
        reader->is_item_too_large = false;
        cxml_record_anew(&reader->item);
    }
    bool has_memory = true;
    if (reader->item_depth == 0) {
        has_memory = cxml_record_element(&reader->skeleton, name, line);
        if (has_memory) add_attributes(reader, &reader->skeleton, attribute_count, attributes);
        if (cxml_record_size(&reader->skeleton) > settings->skeleton_bytes) fail(reader, CXML_SKELETON_TOO_LARGE);
    } else if (!reader->is_item_too_large) {
        has_memory = cxml_record_element(&reader->item, name, line);
        if (has_memory) add_attributes(reader, &reader->item, attribute_count, attributes);
        reader->is_item_too_large = cxml_record_size(&reader->item) > settings->item_bytes;
        if (begins_item && reader->depth == 1) {
            has_memory = has_memory && cxml_record_copy(&reader->skeleton, &reader->item.tape);
        }
    }
    if (!has_memory) fail(reader, CXML_OUT_OF_MEMORY);
}

static void end_item(cxml_reader *reader) {
    reader->item_depth = 0;
    reader->is_behind_item = true;
    reader->item_count++;
    if (reader->item_count > reader->settings.items) return fail(reader, CXML_TOO_MANY_ITEMS);
    // A root that is an item has a copy in the skeleton.
    if (reader->depth == 0) cxml_record_end(&reader->skeleton);
    if (reader->is_item_too_large || reader->item_count > reader->settings.skipped_items) {
        reader->settings.on_item(reader->settings.context, reader->item_line, reader->is_item_too_large);
    }
    if (!reader->settings.goes_on(reader->settings.context)) fail(reader, CXML_TOO_SLOW);
}

static void end_element(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    (void)local;
    (void)prefix;
    (void)uri;
    cxml_reader *reader = data;
    if (reader->state != CXML_GOING || reader->depth == 0) return;
    size_t depth = reader->depth--;
    reader->declarations -= reader->open[reader->depth].declarations;
    if (reader->item_depth == 0) {
        cxml_record_end(&reader->skeleton);
        reader->is_behind_item = false;
    } else {
        if (!reader->is_item_too_large) cxml_record_end(&reader->item);
        if (depth == reader->item_depth) end_item(reader);
    }
    if (depth == 1 && reader->state == CXML_GOING) reader->state = CXML_CLOSED;
}

// MARK: Text

static void add_text(cxml_reader *reader, const xmlChar *text, size_t length) {
    count_step(reader);
    if (reader->item_depth != 0) {
        if (reader->is_item_too_large) return;
        if (!cxml_record_text(&reader->item, text, length)) return fail(reader, CXML_OUT_OF_MEMORY);
        reader->is_item_too_large = cxml_record_size(&reader->item) > reader->settings.item_bytes;
        return;
    }
    // Line ends between a million items do not belong to the skeleton.
    while (reader->is_behind_item && length > 0) {
        reader->is_behind_item = *text == ' ' || *text == '\n' || *text == '\t' || *text == '\r';
        if (!reader->is_behind_item) break;
        text++;
        length--;
    }
    if (!cxml_record_text(&reader->skeleton, text, length)) return fail(reader, CXML_OUT_OF_MEMORY);
    if (cxml_record_size(&reader->skeleton) > reader->settings.skeleton_bytes) fail(reader, CXML_SKELETON_TOO_LARGE);
}

static void characters(void *data, const xmlChar *text, int length) {
    cxml_reader *reader = data;
    if (reader->state != CXML_GOING || length <= 0) return;
    // References arrive one by one. The text itself has no U+0080…U+009F, since TextEncoding has replaced them.
    if (length == 2 && text[0] == 0xC2 && text[1] < 0xA0) {
        xmlChar meant[4];
        return add_text(reader, meant, cxml_utf8(meant, reader->settings.numbered_character(text[1])));
    }
    add_text(reader, text, (size_t)length);
}

/// Adds raw text. libxml2 leaves its line ends to the application (XML 1.0 §2.11).
static void section(void *data, const xmlChar *text, int length) {
    cxml_reader *reader = data;
    const xmlChar *end = text + length;
    while (text < end && reader->state == CXML_GOING) {
        const xmlChar *stop = memchr(text, '\r', (size_t)(end - text));
        add_text(reader, text, (size_t)((stop ? stop : end) - text));
        if (!stop) return;
        text = stop + 1;
        // A line feed after it represents both. It may be in the next piece, which libxml2's buffer already shows.
        if (*text != '\n') add_text(reader, (const xmlChar *)"\n", 1);
    }
}

/// Answers references to HTML's named entities in text. In an attribute value libxml2 would take only the first byte of
/// an answer, so a named entity there is a fault of the document.
static xmlEntityPtr find_entity(void *data, const xmlChar *name) {
    cxml_reader *reader = data;
    if (reader->context->instate != XML_PARSER_CONTENT) return NULL;
    uint32_t code = reader->settings.named_character(name, strlen((const char *)name));
    if (code == 0) return NULL;
    size_t length = cxml_utf8(reader->character, code);
    reader->character[length] = 0;
    memset(&reader->entity, 0, sizeof reader->entity);
    reader->entity.type = XML_ENTITY_DECL;
    reader->entity.etype = XML_INTERNAL_PREDEFINED_ENTITY;
    reader->entity.name = name;
    reader->entity.content = reader->entity.orig = reader->character;
    reader->entity.length = (int)length;
    return &reader->entity;
}

// MARK: Faults

#if LIBXML_VERSION >= 21200
static void complaint(void *data, const xmlError *error) {
#else
static void complaint(void *data, xmlErrorPtr error) {
#endif
    cxml_reader *reader = data;
    if (reader->state != CXML_GOING) return;
    if (error->code == XML_NS_ERR_XML_NAMESPACE) note(reader, CXML_FORBIDDEN_DECLARATION, NULL, NULL);
    // Further errors follow from the first.
    if (error->level == XML_ERR_FATAL && reader->error == XML_ERR_OK) reader->error = error->code;
}

// MARK: Life

static void initialize(void) { xmlInitParser(); }

cxml_reader *cxml_reader_new(const cxml_settings *settings) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    cxml_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->settings = *settings;
    reader->skeleton.open = reader->item.open = -1;
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = start_element,
        .endElementNs = end_element,
        .characters = characters,
        // The same function, so that libxml2 need not decide which one to call.
        .ignorableWhitespace = characters,
        .cdataBlock = section,
        .getEntity = find_entity,
        .serror = complaint,
    };
    // The user data is not the context; otherwise libxml2 would look for entities in the document, too.
    reader->context = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (reader->context && cxml_names_init(&reader->names) && cxml_record_start(&reader->skeleton) &&
        cxml_record_start(&reader->item)) {
        xmlCtxtUseOptions(reader->context, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
        xmlSwitchEncoding(reader->context, XML_CHAR_ENCODING_UTF8);
        xmlDictSetLimit(reader->context->dict, cxml_most_name_bytes);
        return reader;
    }
    cxml_reader_free(reader);
    return NULL;
}

void cxml_reader_close(cxml_reader *reader) {
    while (reader->skeleton.open >= 0) cxml_record_end(&reader->skeleton);
    if (reader->context) xmlFreeParserCtxt(reader->context);
    reader->context = NULL;
    cxml_names_free(&reader->names);
    free(reader->open);
    reader->open = NULL;
    reader->open_capacity = 0;
}

void cxml_reader_free(cxml_reader *reader) {
    cxml_reader_close(reader);
    cxml_record_free(&reader->skeleton);
    cxml_record_free(&reader->item);
    free(reader);
}

// MARK: Reading

/// The smallest size of the pieces for libxml2.
static const size_t piece_bytes = 64 << 10;

cxml_state cxml_reader_feed(cxml_reader *reader, const uint8_t *bytes, size_t count) {
    while (count > 0 && reader->state == CXML_GOING) {
        int size = count < INT_MAX / 2 ? (int)count : INT_MAX / 2;
        xmlParseChunk(reader->context, (const char *)bytes, size, 0);
        bytes += size;
        count -= (size_t)size;
        // Undeclared prefixes and the like are errors, too, but no reason to refuse a document.
        if (reader->context->wellFormed && !reader->context->disableSAX) continue;
        // libxml2 reports XML_ERR_NO_MEMORY when the names exceed their limit.
        bool has_long_names = reader->error == XML_ERR_NO_MEMORY || reader->error == XML_ERR_NAME_TOO_LONG;
        fail(reader, has_long_names ? CXML_NAMES_TOO_LARGE : CXML_REFUSED);
    }
    return reader->state;
}

cxml_state cxml_reader_finish(cxml_reader *reader) {
    // An empty comment makes libxml2 deliver the last text, which it holds back while more may come.
    static const char mark[] = "<!---->";
    if (reader->state != CXML_GOING || reader->depth == 0) return reader->state;
    return cxml_reader_feed(reader, (const uint8_t *)mark, sizeof mark - 1);
}

static void feed(cxml_reader *reader, const uint8_t *bytes, size_t count, size_t cut) {
    while (count > 0 && reader->state == CXML_GOING) {
        size_t size = cut > 0 && cut < count ? cut : count;
        cxml_reader_feed(reader, bytes, size);
        bytes += size;
        count -= size;
    }
}

/// Longer references are left to the mender, since most of them are none.
static const size_t longest_reference = 64;

/// Feeds whole tokens. If markup or a long reference remains after them, libxml2 waits for the end of a tag or
/// reference that has none, and would buffer the whole document.
static void feed_tokens(cxml_reader *reader, const uint8_t *bytes, size_t count, size_t cut) {
    feed(reader, bytes, count, cut);
    if (reader->state != CXML_GOING) return;
    xmlParserInputPtr input = reader->context->input;
    size_t left = (size_t)(input->end - input->cur);
    if (memchr(input->cur, '<', left) || (left > longest_reference && *input->cur == '&')) fail(reader, CXML_REFUSED);
}

/// Feeds a comment, CDATA section or processing instruction as several, so that libxml2 holds one piece at a time and
/// does not search for the end of a section again and again.
static void feed_section(cxml_reader *reader, const uint8_t *bytes, cxml_token token, size_t cut) {
    const char *close = token.section->close, *reopen = token.section->reopen;
    size_t at = token.start;
    while (reader->state == CXML_GOING) {
        size_t stop = cxml_section_cut(bytes, token, at, piece_bytes);
        feed(reader, bytes + at, stop - at, cut);
        if (stop == token.end) break;
        cxml_reader_feed(reader, (const uint8_t *)close, strlen(close));
        cxml_reader_feed(reader, (const uint8_t *)reopen, strlen(reopen));
        reader->added_bytes += strlen(close) + strlen(reopen);
        at = stop;
    }
    feed_tokens(reader, bytes, 0, 0);
}

/// Stops at a token at which the document breaks off, or one that libxml2 must not see.
static void stop_at(cxml_reader *reader, cxml_token token) {
    if (reader->state != CXML_GOING) return;
    switch (token.kind) {
    case CXML_TOKEN_UNFINISHED:
        reader->end = token.start;
        reader->is_within_section = token.section != NULL;
        break;
    case CXML_TOKEN_TOO_MANY_ATTRIBUTES: return fail(reader, CXML_TOO_MANY_ATTRIBUTES);
    case CXML_TOKEN_TOO_LARGE: return fail(reader, CXML_TAG_TOO_LARGE);
    default: return fail(reader, CXML_REFUSED);
    }
}

cxml_state cxml_reader_read(cxml_reader *reader, const uint8_t *bytes, size_t count, size_t cut) {
    const cxml_settings *settings = &reader->settings;
    size_t larger = settings->item_bytes > settings->skeleton_bytes ? settings->item_bytes : settings->skeleton_bytes;
    reader->end = count;
    size_t fed = 0, at = 0;
    while (reader->state == CXML_GOING && at < count) {
        // A longer tag exceeds the limits, whatever references it contains.
        cxml_token token = cxml_token_at(bytes, count, at, piece_bytes, 2 * larger);
        bool is_long = token.kind == CXML_TOKEN_SECTION && token.end - at > piece_bytes;
        if (token.kind <= CXML_TOKEN_SECTION && !is_long) {
            at = token.end;
            if (at - fed < piece_bytes) continue;
            feed_tokens(reader, bytes + fed, at - fed, cut);
            fed = at;
            continue;
        }
        feed_tokens(reader, bytes + fed, at - fed, cut);
        fed = at;
        if (!is_long) {
            stop_at(reader, token);
            break;
        }
        feed_section(reader, bytes, token, cut);
        fed = at = token.end;
    }
    feed_tokens(reader, bytes + fed, at - fed, cut);
    if (cxml_reader_finish(reader) != CXML_GOING || reader->depth == 0) return reader->state;
    // An ampersand at the end may begin a reference or not.
    if (reader->context->input->cur < reader->context->input->end) fail(reader, CXML_REFUSED);
    return reader->state;
}

// MARK: Results

const cxml_tape *cxml_reader_skeleton(const cxml_reader *reader) { return &reader->skeleton.tape; }

const cxml_tape *cxml_reader_item(const cxml_reader *reader) { return &reader->item.tape; }

size_t cxml_reader_item_count(const cxml_reader *reader) { return reader->item_count; }

int32_t cxml_reader_open_item_line(const cxml_reader *reader) {
    return reader->item_depth > 0 ? reader->item_line : 0;
}

int cxml_reader_error(const cxml_reader *reader) { return reader->error; }

const cxml_problem *cxml_reader_problems(const cxml_reader *reader, size_t *count) {
    *count = reader->problem_count;
    return reader->problems;
}

size_t cxml_reader_end(const cxml_reader *reader, bool *is_within_section) {
    *is_within_section = reader->is_within_section;
    return reader->end;
}

size_t cxml_reader_open_tag_end(const cxml_reader *reader) {
    return reader->depth > 0 ? reader->open[reader->depth - 1].tag_end : 0;
}
