#include "names.h"

#include "CLibXML2.h"

bool cxml_names_init(cxml_names *names) {
    *names = (cxml_names){.capacity = 128};
    names->all = malloc(names->capacity * sizeof *names->all);
    names->places = calloc(2 * names->capacity, sizeof *names->places);
    return names->all && names->places;
}

void cxml_names_free(cxml_names *names) {
    free(names->all);
    free(names->places);
    *names = (cxml_names){0};
}

static size_t hash(const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    uint64_t mixed = (uintptr_t)local * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (uintptr_t)prefix) * UINT64_C(0xC2B2AE3D27D4EB4F);
    mixed = (mixed ^ (uintptr_t)uri) * UINT64_C(0x165667B19E3779F9);
    return (size_t)(mixed >> 32);
}

static bool grow(cxml_names *names) {
    size_t capacity = names->capacity * 2;
    cxml_name *all = realloc(names->all, capacity * sizeof *all);
    if (!all) return false;
    names->all = all;
    uint32_t *places = calloc(2 * capacity, sizeof *places);
    if (!places) return false;
    for (size_t number = 0; number < names->count; number++) {
        size_t place = hash(all[number].local, all[number].prefix, all[number].uri) & (2 * capacity - 1);
        while (places[place] != 0) place = (place + 1) & (2 * capacity - 1);
        places[place] = (uint32_t)number + 1;
    }
    free(names->places);
    names->places = places;
    names->capacity = capacity;
    return true;
}

cxml_name *cxml_names_find(
    cxml_names *names, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, bool *is_new) {
    size_t mask = 2 * names->capacity - 1, place = hash(local, prefix, uri) & mask;
    for (; names->places[place] != 0; place = (place + 1) & mask) {
        cxml_name *known = &names->all[names->places[place] - 1];
        if (known->local == local && known->prefix == prefix && known->uri == uri) {
            *is_new = false;
            return known;
        }
    }
    if (names->count == cxml_most_names) return NULL;
    if (names->count == names->capacity) {
        if (!grow(names)) return NULL;
        return cxml_names_find(names, local, prefix, uri, is_new);
    }
    cxml_name *name = &names->all[names->count];
    *name = (cxml_name){.local = local, .prefix = prefix, .uri = uri};
    names->count++;
    names->places[place] = (uint32_t)names->count;
    *is_new = true;
    return name;
}
