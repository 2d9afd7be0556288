#include "tape.h"

#include <stdlib.h>

/// Reallocates an array with elements of `size` bytes for at least `count` elements; NULL when memory is short, and the
/// array then stays.
static void *moved(void *elements, size_t *room, size_t count, size_t size) {
    size_t larger = *room * 2 > count ? *room * 2 : count;
    void *place = realloc(elements, larger * size);
    if (place) *room = larger;
    return place;
}

static bool room_for_text(cxml_recorder *recorder, size_t length) {
    size_t count = recorder->tape.text_count + length;
    if (count <= recorder->text_room) return true;
    uint8_t *place = moved(recorder->tape.text, &recorder->text_room, count, 1);
    if (place) recorder->tape.text = place;
    return place != NULL;
}

static bool room_for_values(cxml_recorder *recorder, size_t length) {
    size_t count = recorder->tape.value_count + length;
    if (count <= recorder->value_room) return true;
    uint8_t *place = moved(recorder->tape.values, &recorder->value_room, count, 1);
    if (place) recorder->tape.values = place;
    return place != NULL;
}

static bool room_for_nodes(cxml_recorder *recorder, size_t more) {
    size_t count = recorder->tape.node_count + more;
    if (count <= recorder->node_room) return true;
    cxml_node *place = moved(recorder->tape.nodes, &recorder->node_room, count, sizeof *place);
    if (place) recorder->tape.nodes = place;
    return place != NULL;
}

static bool room_for_attributes(cxml_recorder *recorder, size_t more) {
    size_t count = recorder->tape.attribute_count + more;
    if (count <= recorder->attribute_room) return true;
    cxml_attribute *place = moved(recorder->tape.attributes, &recorder->attribute_room, count, sizeof *place);
    if (place) recorder->tape.attributes = place;
    return place != NULL;
}

bool cxml_record_start(cxml_recorder *recorder) {
    recorder->open = -1;
    return room_for_nodes(recorder, 64) && room_for_attributes(recorder, 64) && room_for_text(recorder, 4096)
        && room_for_values(recorder, 1024);
}

void cxml_record_free(cxml_recorder *recorder) {
    free(recorder->tape.nodes);
    free(recorder->tape.attributes);
    free(recorder->tape.text);
    free(recorder->tape.values);
    *recorder = (cxml_recorder){.open = -1};
}

bool cxml_record_element(cxml_recorder *recorder, int32_t name, int32_t line) {
    if (!room_for_nodes(recorder, 1)) return false;
    cxml_tape *tape = &recorder->tape;
    int32_t text = (int32_t)tape->text_count;
    tape->nodes[tape->node_count] =
        (cxml_node){name, line, recorder->open, (int32_t)tape->attribute_count, text, text};
    recorder->open = (int32_t)tape->node_count++;
    return true;
}

bool cxml_record_copy(cxml_recorder *recorder, const cxml_tape *other) {
    if (!cxml_record_element(recorder, other->nodes[0].name, other->nodes[0].line)) return false;
    size_t end = other->node_count > 1 ? (size_t)other->nodes[1].attributes : other->attribute_count;
    for (size_t index = (size_t)other->nodes[0].attributes; index < end; index++) {
        cxml_attribute attribute = other->attributes[index];
        const uint8_t *value = other->values + attribute.start;
        size_t length = (size_t)(attribute.end - attribute.start);
        if (!cxml_record_attribute(recorder, attribute.name, value, length, NULL)) return false;
    }
    return true;
}

bool cxml_record_attribute(
    cxml_recorder *recorder, int32_t name, const xmlChar *value, size_t length, uint32_t (*meaning)(uint32_t)) {
    // A character of two bytes may become one of three.
    bool has_rare = meaning && memchr(value, 0xC2, length);
    if (!room_for_attributes(recorder, 1) || !room_for_values(recorder, has_rare ? length * 2 : length)) return false;
    cxml_tape *tape = &recorder->tape;
    int32_t start = (int32_t)tape->value_count;
    if (has_rare) {
        for (size_t index = 0; index < length;) {
            if (value[index] == 0xC2 && index + 1 < length && value[index + 1] < 0xA0) {
                tape->value_count += cxml_utf8(tape->values + tape->value_count, meaning(value[index + 1]));
                index += 2;
            } else {
                tape->values[tape->value_count++] = value[index++];
            }
        }
    } else if (length > 0) {
        memcpy(tape->values + tape->value_count, value, length);
        tape->value_count += length;
    }
    tape->attributes[tape->attribute_count++] = (cxml_attribute){name, start, (int32_t)tape->value_count};
    return true;
}

bool cxml_record_text(cxml_recorder *recorder, const xmlChar *text, size_t length) {
    if (length == 0) return true;
    if (!room_for_text(recorder, length)) return false;
    memcpy(recorder->tape.text + recorder->tape.text_count, text, length);
    recorder->tape.text_count += length;
    return true;
}

size_t cxml_utf8(xmlChar *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (xmlChar)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t index = length - 1; index > 0; index--) {
        out[index] = (xmlChar)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    static const xmlChar heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (xmlChar)(heads[length] | code);
    return length;
}
