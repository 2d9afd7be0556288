#pragma once
#include <libxml/xmlstring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/// A name of elements or attributes. Its texts are those of libxml2's dictionary, which has each but once, so that names
/// are the same if their pointers are.
typedef struct {
    const xmlChar *local;
    /// NULL but for a prefix that is not declared.
    const xmlChar *prefix;
    /// NULL without a namespace.
    const xmlChar *uri;
    /// The last start tag that had an attribute of this name.
    uint32_t last_tag;
    bool has_colon, is_item;
} cxml_name;

/// The names of one document, numbered as they come.
typedef struct {
    cxml_name *all;
    size_t count, capacity;
    /// Numbers of names from 1, 0 for none, by hash; twice as many places as there is room for names.
    uint32_t *places;
} cxml_names;

bool cxml_names_init(cxml_names *names);
void cxml_names_free(cxml_names *names);
/// Finds or adds a name; NULL when there are too many, or memory is short. Others may move when one is added.
cxml_name *cxml_names_find(
    cxml_names *names, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, bool *is_new);

static inline int32_t cxml_names_number(const cxml_names *names, const cxml_name *name) {
    return (int32_t)(name - names->all);
}
