#pragma once
#include <libxml/xmlstring.h>
#include <stdbool.h>
#include <string.h>

#include "CLibXML2.h"

/// A tape that is being filled.
typedef struct {
    cxml_tape tape;
    size_t node_room, attribute_room, text_room, value_room;
    /// The element that is open; -1: none.
    int32_t open;
} cxml_recorder;

// Each returns false when memory is short.

bool cxml_record_start(cxml_recorder *recorder);
/// Opens an element inside the one that is open.
bool cxml_record_element(cxml_recorder *recorder, int32_t name, int32_t line);
/// Opens an element like another tape's first, with its attributes.
bool cxml_record_copy(cxml_recorder *recorder, const cxml_tape *other);
/// Adds an attribute to the element opened last. References to U+0080…U+009F in its value mean what `meaning` says.
bool cxml_record_attribute(
    cxml_recorder *recorder, int32_t name, const xmlChar *value, size_t length, uint32_t (*meaning)(uint32_t));
bool cxml_record_text(cxml_recorder *recorder, const xmlChar *text, size_t length);

/// Frees what the tape holds.
void cxml_record_free(cxml_recorder *recorder);
/// Writes a character in UTF-8, at most four bytes; returns how many.
size_t cxml_utf8(xmlChar *out, uint32_t code);

/// Empties the tape and keeps its memory.
static inline void cxml_record_anew(cxml_recorder *recorder) {
    cxml_tape *tape = &recorder->tape;
    tape->node_count = tape->attribute_count = tape->text_count = tape->value_count = 0;
    recorder->open = -1;
}

/// What the tape holds, in bytes.
static inline size_t cxml_record_size(const cxml_recorder *recorder) {
    const cxml_tape *tape = &recorder->tape;
    return tape->text_count + tape->value_count + tape->node_count * sizeof *tape->nodes
        + tape->attribute_count * sizeof *tape->attributes;
}

/// Closes the element that is open.
static inline void cxml_record_end(cxml_recorder *recorder) {
    if (recorder->open < 0) return;
    cxml_node *node = &recorder->tape.nodes[recorder->open];
    recorder->open = node->end;
    node->end = (int32_t)recorder->tape.node_count;
    node->text_end = (int32_t)recorder->tape.text_count;
}
