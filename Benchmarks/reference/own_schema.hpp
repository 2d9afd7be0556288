// The store of visiventd in C++: the same rows in the same tables by the same statements, and nothing else. It follows
// ContentHash, PublicID, IngestionStatements and Ingestion of Sources/Store.
#pragma once
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

using text = std::optional<std::string_view>;
using number = std::optional<double>;
using whole = std::optional<int64_t>;

/// As in Sources/Store/ContentHash.swift.
struct StableHash {
    uint64_t state;
    explicit StableHash(uint64_t seed = 0) : state(seed ^ 0x517CC1B727220A95) {}
    void add(uint64_t value) {
        unsigned __int128 product = (unsigned __int128)(state ^ value) * 0x9E3779B97F4A7C15;
        state = ((uint64_t)(product >> 64) ^ (uint64_t)product) + 0x2545F4914F6CDD1D;
    }
    void add(text value) {
        if (!value) return add(UINT64_MAX);
        add((uint64_t)value->size());
        const char *bytes = value->data();
        size_t left = value->size();
        for (; left >= 8; left -= 8, bytes += 8) {
            uint64_t eight;
            __builtin_memcpy(&eight, bytes, 8);
            add(eight);
        }
        uint64_t rest = 0;
        for (; left; left--) rest = rest << 8 | (uint8_t)*bytes++;
        add(rest);
    }
    void add(number value) {
        uint64_t bits = 0x7FF8DEADBEEF0000;
        if (value) {
            double plain = *value == 0 ? 0 : *value;
            __builtin_memcpy(&bits, &plain, 8);
        }
        add(bits);
    }
    void add(whole value) { add(value ? (uint64_t)*value : UINT64_MAX); }
    uint64_t value() const {
        uint64_t mixed = state;
        mixed = (mixed ^ (mixed >> 33)) * 0xFF51AFD7ED558CCD;
        mixed = (mixed ^ (mixed >> 33)) * 0xC4CEB9FE1A85EC53;
        return mixed ^ (mixed >> 33);
    }
};

struct Event {
    std::string_view id, title, category;
    std::vector<std::string_view> aliases;
    int64_t time = 0;
    whole updated;
    double weight = 1;
    number magnitude, depth, latitude, longitude;
    text status, place, link;
    std::string details;

    int64_t hash() const {
        StableHash h;
        h.add(text("usgs")), h.add(text(id)), h.add((uint64_t)aliases.size());
        for (auto alias : aliases) h.add(text(alias));
        h.add(whole(time)), h.add(updated), h.add(whole());
        h.add(text(category)), h.add(text(title)), h.add(text()), h.add(link);
        h.add(text()), h.add(text()), h.add(text());
        h.add(number(weight)), h.add(magnitude), h.add(depth);
        h.add(status), h.add(place), h.add(text());
        if (latitude) {
            h.add(latitude), h.add(longitude), h.add(text("coordinates")), h.add(text("point"));
            h.add(number(1)), h.add(text());
        } else {
            h.add(UINT64_MAX);
        }
        h.add(text()), h.add(text(details));
        return (int64_t)h.value();
    }

    /// As in Sources/Store/PublicID.swift.
    void publicID(char out[16]) const {
        StableHash first(0), second(0xA5A5A5A5A5A5A5A5);
        for (auto part : {std::string_view("usgs"), id}) first.add(text(part)), second.add(text(part));
        uint64_t high = first.value(), low = second.value();
        for (int i = 0; i < 16; i++) {
            auto &bits = i < 12 ? high : low;
            out[i] = "0123456789abcdefghjkmnpqrstvwxyz"[bits & 31];
            bits >>= 5;
        }
    }
};

/// A prepared statement; values are bound in order and not copied.
struct Statement {
    sqlite3_stmt *handle = nullptr;
    sqlite3 *db = nullptr;
    int bound = 0;
    void prepare(sqlite3 *connection, const char *sql) {
        db = connection;
        if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr)) fail();
    }
    [[noreturn]] void fail() {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        exit(1);
    }
    Statement &operator<<(int64_t value) { return sqlite3_bind_int64(handle, ++bound, value), *this; }
    Statement &operator<<(double value) { return sqlite3_bind_double(handle, ++bound, value), *this; }
    Statement &operator<<(std::string_view value) {
        return sqlite3_bind_text(handle, ++bound, value.data(), (int)value.size(), SQLITE_STATIC), *this;
    }
    Statement &operator<<(const char *value) { return *this << std::string_view(value); }
    Statement &operator<<(std::nullptr_t) { return sqlite3_bind_null(handle, ++bound), *this; }
    template <class T> Statement &operator<<(const std::optional<T> &value) {
        return value ? *this << *value : *this << nullptr;
    }
    bool step() {
        int code = sqlite3_step(handle);
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) fail();
        reset();
        return false;
    }
    void run() { while (step()) {} }
    void reset() { sqlite3_reset(handle), bound = 0; }
    ~Statement() { sqlite3_finalize(handle); }
};

class Store {
    sqlite3 *db = nullptr;
    Statement findLink, findEvent, insertEvent, insertName, insertLink, insertText, insertPosition, insertChange;
    int64_t source = 0, sequence = 0, now;
    bool hasText, hasPosition;

    int64_t one(const char *sql) {
        Statement statement;
        statement.prepare(db, sql);
        return statement.step() ? sqlite3_column_int64(statement.handle, 0) : 0;
    }

public:
    int created = 0, unchanged = 0, changed = 0;

    void run(const char *sql) {
        if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr)) {
            fprintf(stderr, "%s\n", sqlite3_errmsg(db));
            exit(1);
        }
    }

    /// Opens a database made by the program, with the program's pragmas.
    Store(const char *path, int64_t now, bool hasText, bool hasPosition)
        : now(now), hasText(hasText), hasPosition(hasPosition) {
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, nullptr)) exit(1);
        int keeps = 1;
        sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps);
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA auto_vacuum = INCREMENTAL;"
            "PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16384");
        source = one("SELECT id FROM source WHERE kind = 'usgs'");
        sequence = one("SELECT seq FROM sqlite_sequence WHERE name = 'change'");
        if (!source) fprintf(stderr, "%s: no source of the kind usgs\n", path), exit(1);
        findLink.prepare(db,
            "SELECT u.event_id, l.seen_hash, iif(l.is_promised, l.missing_since_ms, 0) FROM upstream_id u "
            "LEFT JOIN link l ON l.event_id = u.event_id AND l.source_id = ?3 "
            "WHERE u.provider = ?1 AND u.upstream_id = ?2");
        findEvent.prepare(db, "SELECT event_id FROM upstream_id WHERE provider = ? AND upstream_id = ?");
        insertEvent.prepare(db,
            "INSERT INTO event (public_id, provider, upstream_id, source_id, time_ms, time_source, updated_ms, "
            "first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq, category, "
            "weight, magnitude, depth_km, status, latitude, longitude, location_method, location_precision, "
            "location_confidence, is_erased, title, place, link, details) "
            "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        insertName.prepare(db,
            "INSERT OR IGNORE INTO upstream_id (provider, upstream_id, event_id) VALUES (?, ?, ?)");
        insertLink.prepare(db,
            "INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms) VALUES (?, ?, ?, ?, ?)");
        insertText.prepare(db,
            "INSERT INTO event_text (rowid, title, summary, place, author_name) VALUES (?, ?, ?, ?, ?)");
        insertPosition.prepare(db, "INSERT INTO event_position VALUES (?1, ?2, ?2, ?3, ?3, ?4, ?4)");
        insertChange.prepare(db, "INSERT INTO change (seq, public_id, kind, at_ms) VALUES (?, ?, 'new', ?)");
    }

    /// Looks up the event by its ids and writes it if it is new.
    void take(const Event &event) {
        int64_t hash = event.hash();
        findLink << "usgs" << event.id << source;
        bool isKnown = findLink.step();
        if (isKnown) {
            bool isSame = sqlite3_column_int64(findLink.handle, 1) == hash
                && sqlite3_column_type(findLink.handle, 2) == SQLITE_NULL;
            findLink.reset();
            ++(isSame ? unchanged : changed);
            return;
        }
        for (auto alias : event.aliases) {
            findEvent << "usgs" << alias;
            if (!findEvent.step()) continue;
            findEvent.reset();
            changed++;
            return;
        }
        insert(event, hash);
    }

    ~Store() {
        for (auto statement : {&findLink, &findEvent, &insertEvent, &insertName, &insertLink, &insertText,
                               &insertPosition, &insertChange})
            sqlite3_finalize(statement->handle), statement->handle = nullptr;
        sqlite3_close(db);
    }

private:
    void insert(const Event &event, int64_t hash) {
        char id[16];
        event.publicID(id);
        std::string_view publicID(id, 16);
        bool isLocated = event.latitude.has_value();
        insertEvent << publicID << "usgs" << event.id << source << event.time << "feed" << event.updated << now
                    << int64_t(0) << std::min(event.time, now) << now << int64_t(1) << ++sequence << event.category
                    << event.weight << event.magnitude << event.depth << event.status << event.latitude
                    << event.longitude << (isLocated ? text("coordinates") : text())
                    << (isLocated ? text("point") : text()) << (isLocated ? number(1) : number()) << int64_t(0)
                    << event.title << event.place << event.link << std::string_view(event.details);
        insertEvent.run();
        int64_t row = sqlite3_last_insert_rowid(db);
        insertChange << sequence << publicID << now;
        insertChange.run();
        if (hasText) {
            insertText << row << event.title << nullptr << event.place << nullptr;
            insertText.run();
        }
        if (hasPosition && isLocated) {
            insertPosition << row << *event.longitude << *event.latitude << event.time / 3600000.0;
            insertPosition.run();
        }
        insertName << "usgs" << event.id << row;
        insertName.run();
        for (auto alias : event.aliases) {
            insertName << "usgs" << alias << row;
            insertName.run();
        }
        insertLink << row << source << event.time << hash << now;
        insertLink.run();
        created++;
    }
};
