#pragma once
#include <libxml/xmlstring.h>
#include <stdbool.h>
#include <string.h>

#include "CLibXML2.h"

/// A tape under construction.
typedef struct {
    cxml_tape tape;
    size_t node_room, attribute_room, text_room, value_room;
    /// The index of the open element; -1 without one.
    int32_t open;
} cxml_recorder;

// The functions return false when memory is short.

bool cxml_record_start(cxml_recorder *recorder);
/// Opens an element inside the open one.
bool cxml_record_element(cxml_recorder *recorder, int32_t name, int32_t line);
/// Opens a copy of another tape's first element, with its attributes.
bool cxml_record_copy(cxml_recorder *recorder, const cxml_tape *other);
/// Adds an attribute to the last opened element. `meaning` replaces references to U+0080…U+009F in its value; NULL
/// keeps them.
bool cxml_record_attribute(
    cxml_recorder *recorder, int32_t name, const xmlChar *value, size_t length, uint32_t (*meaning)(uint32_t));
bool cxml_record_text(cxml_recorder *recorder, const xmlChar *text, size_t length);

/// Frees the memory of the tape.
void cxml_record_free(cxml_recorder *recorder);
/// Writes a character in UTF-8, at most four bytes; returns their number.
size_t cxml_utf8(xmlChar *out, uint32_t code);

/// Empties the tape and keeps its memory.
static inline void cxml_record_anew(cxml_recorder *recorder) {
    cxml_tape *tape = &recorder->tape;
    tape->node_count = tape->attribute_count = tape->text_count = tape->value_count = 0;
    recorder->open = -1;
}

/// The size of the tape's content in bytes.
static inline size_t cxml_record_size(const cxml_recorder *recorder) {
    const cxml_tape *tape = &recorder->tape;
    return tape->text_count + tape->value_count + tape->node_count * sizeof *tape->nodes
        + tape->attribute_count * sizeof *tape->attributes;
}

/// Closes the open element.
static inline void cxml_record_end(cxml_recorder *recorder) {
    if (recorder->open < 0) return;
    cxml_node *node = &recorder->tape.nodes[recorder->open];
    recorder->open = node->end;
    node->end = (int32_t)recorder->tape.node_count;
    node->text_end = (int32_t)recorder->tape.text_count;
}
