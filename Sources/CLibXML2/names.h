#pragma once
#include <libxml/xmlstring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/// A name of elements or attributes. libxml2's dictionary stores each text once, so names are equal if their pointers
/// are.
typedef struct {
    const xmlChar *local;
    /// The prefix if it is undeclared, else NULL.
    const xmlChar *prefix;
    /// NULL without a namespace.
    const xmlChar *uri;
    /// The last start tag with an attribute of this name.
    uint32_t last_tag;
    bool has_colon, is_item;
} cxml_name;

/// The names of one document, numbered in order of occurrence.
typedef struct {
    cxml_name *all;
    size_t count, capacity;
    /// A hash table of name numbers from 1, 0 for free places; it has twice `capacity` places.
    uint32_t *places;
} cxml_names;

bool cxml_names_init(cxml_names *names);
void cxml_names_free(cxml_names *names);
/// Finds or adds a name; NULL when there are too many or memory is short. Adding a name may move the others.
cxml_name *cxml_names_find(
    cxml_names *names, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, bool *is_new);

static inline int32_t cxml_names_number(const cxml_names *names, const cxml_name *name) {
    return (int32_t)(name - names->all);
}
