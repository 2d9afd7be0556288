// usgs_own_schema [--no-text] [--no-position] FEED DATABASE
//
// Stores a USGS feed in a database with visiventd's own schema, in one transaction, at the practical limit of C++ and
// simdjson: the reference for the program's first load and for its poll without news. The program must have made the
// database, with a source of kind usgs. Known events are compared and left: no revision is written, and differing
// events are only counted. The options leave out the full text or the R*Tree, to show their cost.
#include "own_schema.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <simdjson.h>
using namespace simdjson;

static void refuse(const char *what) {
    fprintf(stderr, "this feed has %s, which the reference does not handle\n", what);
    exit(1);
}

/// Generated texts are already clean, unlike those the program cleans, so a check suffices.
static text clean(ondemand::value value) {
    std::string_view words = value.get_string();
    for (size_t i = 0; i < words.size(); i++) {
        unsigned char c = words[i];
        unsigned char next = i + 1 < words.size() ? words[i + 1] : ' ';
        bool isReference = c == '&' && (isalpha(next) || next == '#');
        if (c < 0x20 || c == '<' || isReference || (c == ' ' && next == ' ')) refuse("markup or loose white space");
    }
    return words;
}

static void quote(std::string &out, std::string_view words) {
    out += '"';
    for (unsigned char c : words) {
        if (c == '"' || c == '\\') out += '\\';
        if (c < 0x20) refuse("control characters");
        out += (char)c;
    }
    out += '"';
}

static void append(std::string &out, ondemand::value value) {
    char digits[32];
    std::to_chars_result end;
    switch (value.type()) {
    case ondemand::json_type::string: return quote(out, value.get_string());
    case ondemand::json_type::boolean: out += bool(value.get_bool()) ? "true" : "false"; return;
    case ondemand::json_type::number: {
        ondemand::number read = value.get_number();
        double plain = read.is_int64() ? (double)read.get_int64() : read.as_double();
        if (read.is_int64()) end = std::to_chars(digits, digits + 32, read.get_int64());
        else if (plain == (double)(int64_t)plain) end = std::to_chars(digits, digits + 32, (int64_t)plain);
        else if (std::abs(plain) >= 1e-4) end = std::to_chars(digits, digits + 32, plain, std::chars_format::fixed);
        else end = std::to_chars(digits, digits + 32, plain, std::chars_format::scientific);
        out.append(digits, end.ptr);
        return;
    }
    default: refuse("nested properties");
    }
}

static bool isNull(ondemand::value &value) { return value.type() == ondemand::json_type::null; }

static void read(ondemand::object properties, Event &event, std::string &category) {
    event.details += '{';
    for (ondemand::field member : properties) {
        std::string_view key = member.unescaped_key();
        ondemand::value value = member.value();
        if (isNull(value)) continue;
        if (key == "mag") event.magnitude = value.get_double();
        else if (key == "place") event.place = clean(value);
        else if (key == "time") event.time = value.get_int64();
        else if (key == "updated") event.updated = value.get_int64();
        else if (key == "url") event.link = clean(value);
        else if (key == "status") event.status = clean(value);
        else if (key == "title") event.title = *clean(value);
        else if (key == "ids") {
            std::string_view names = value.get_string();
            for (size_t start = 0, end; start < names.size(); start = end + 1) {
                end = std::min(names.find(',', start), names.size());
                if (end > start) event.aliases.push_back(names.substr(start, end - start));
            }
        } else if (key == "type") {
            category = *clean(value);
            for (char &c : category) c = c == ' ' || c == '-' ? '_' : c;
        } else {
            if (event.details.size() > 1) event.details += ',';
            quote(event.details, key);
            event.details += ':';
            append(event.details, value);
        }
    }
    event.details += '}';
}

int main(int count, char **arguments) {
    bool hasText = true, hasPosition = true;
    int first = 1;
    for (; first < count && arguments[first][0] == '-'; first++) {
        if (!strcmp(arguments[first], "--no-text")) hasText = false;
        else if (!strcmp(arguments[first], "--no-position")) hasPosition = false;
        else return 64;
    }
    if (count - first != 2) return 64;
    padded_string bytes;
    if (padded_string::load(arguments[first]).get(bytes)) return 1;
    ondemand::parser parser;
    ondemand::document document = parser.iterate(bytes);
    auto clock = std::chrono::system_clock::now().time_since_epoch();
    Store store(arguments[first + 1], std::chrono::duration_cast<std::chrono::milliseconds>(clock).count(), hasText,
        hasPosition);
    store.run("BEGIN IMMEDIATE");
    Event event;
    std::string category;
    for (ondemand::object feature : document["features"].get_array()) {
        auto aliases = std::move(event.aliases);
        auto details = std::move(event.details);
        event = Event();
        event.aliases = std::move(aliases), event.details = std::move(details);
        event.aliases.clear(), event.details.clear();
        category = "earthquake";
        for (ondemand::field member : feature) {
            std::string_view key = member.unescaped_key();
            ondemand::value value = member.value();
            if (key == "properties") read(value.get_object(), event, category);
            else if (key == "id") event.id = value.get_string();
            else if (key == "geometry") {
                int i = 0;
                for (ondemand::value coordinate : value["coordinates"].get_array())
                    if (!isNull(coordinate)) {
                        double degrees = coordinate.get_double();
                        (i == 0 ? event.longitude : i == 1 ? event.latitude : event.depth) = degrees;
                        i++;
                    }
            }
        }
        std::erase(event.aliases, event.id);
        event.category = category;
        // What no earthquake has is dropped, as by the program.
        if (event.magnitude && (*event.magnitude < -5 || *event.magnitude > 11)) event.magnitude.reset();
        if (event.depth && (*event.depth < -10 || *event.depth > 1000)) event.depth.reset();
        if (category == "earthquake")
            event.weight = std::max(0.0, std::min(1.0, event.magnitude.value_or(0) / 10));
        store.take(event);
    }
    store.run("COMMIT");
    printf("new=%d unchanged=%d changed=%d\n", store.created, store.unchanged, store.changed);
    return store.changed ? 3 : 0;
}
