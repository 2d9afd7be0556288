#include "CWords.h"

// Part of C23, which clang knows in older C, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char aliases[] = {
#embed "Words/aliases.txt"
};
static const unsigned char areas[] = {
#embed "Words/areas.txt"
};
static const unsigned char authors[] = {
#embed "Words/authors.txt"
};
static const unsigned char countries[] = {
#embed "Words/countries.txt"
};
static const unsigned char demonyms[] = {
#embed "Words/demonyms.txt"
};
static const unsigned char distances[] = {
#embed "Words/distances.txt"
};
static const unsigned char flinn_engdahl[] = {
#embed "Words/flinn-engdahl.txt"
};
static const unsigned char languages[] = {
#embed "Words/languages.txt"
};
static const unsigned char names[] = {
#embed "Words/names.txt"
};
static const unsigned char namesakes[] = {
#embed "Words/namesakes.txt"
};
static const unsigned char organisations[] = {
#embed "Words/organisations.txt"
};
static const unsigned char places[] = {
#embed "Words/places.txt"
};
static const unsigned char spoken[] = {
#embed "Words/spoken.txt"
};
static const unsigned char states[] = {
#embed "Words/states.txt"
};
static const unsigned char volcanoes[] = {
#embed "Words/volcanoes.txt"
};

#define FILE(name) {#name, name, sizeof name}

static const struct word_file files[] = {
    FILE(aliases), FILE(areas), FILE(authors), FILE(countries), FILE(demonyms), FILE(distances),
    {"flinn-engdahl", flinn_engdahl, sizeof flinn_engdahl},
    FILE(languages), FILE(names), FILE(namesakes), FILE(organisations), FILE(places), FILE(spoken), FILE(states),
    FILE(volcanoes),
};

const struct word_file *word_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
