/// The SQL of the schema by version; shipped versions are never edited.
///
/// Base tables are private. The views whose names end in `_v1` are the contract (docs/schema.md).
enum Schema {
    static let version1 = """
        CREATE TABLE meta (
          key TEXT NOT NULL PRIMARY KEY,
          value TEXT NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE source (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          kind TEXT NOT NULL,
          provider TEXT NOT NULL,
          is_enabled INTEGER NOT NULL,
          max_age_ms INTEGER NOT NULL,
          horizon_ms INTEGER,
          next_due_ms INTEGER,
          due_reason TEXT,
          attempts INTEGER NOT NULL DEFAULT 0,
          last_attempt_ms INTEGER,
          last_success_ms INTEGER,
          last_new_ms INTEGER,
          last_answer_ms INTEGER,
          failures INTEGER NOT NULL DEFAULT 0,
          failing_since_ms INTEGER,
          last_failure TEXT,
          last_failure_ms INTEGER,
          partial_failures TEXT,
          fingerprint TEXT,
          state TEXT,
          work TEXT,
          moved_from TEXT,
          moved_to TEXT,
          requested_interval_ms INTEGER
        );

        CREATE TABLE validator (
          source_id INTEGER NOT NULL,
          url TEXT NOT NULL,
          etag TEXT,
          last_modified TEXT,
          fingerprint TEXT NOT NULL,
          stored_ms INTEGER NOT NULL,
          PRIMARY KEY (source_id, url)
        ) WITHOUT ROWID;

        CREATE TABLE coverage (
          source_id INTEGER NOT NULL,
          provider TEXT NOT NULL,
          generated_ms INTEGER NOT NULL,
          fingerprint TEXT NOT NULL,
          settled_fingerprint TEXT NOT NULL,
          from_ms INTEGER,
          to_ms INTEGER,
          PRIMARY KEY (source_id, provider)
        ) WITHOUT ROWID;

        CREATE TABLE refusal (
          source_id INTEGER NOT NULL,
          reason TEXT NOT NULL,
          items INTEGER NOT NULL,
          PRIMARY KEY (source_id, reason)
        ) WITHOUT ROWID;

        CREATE TABLE spend (
          source_id INTEGER NOT NULL,
          month TEXT NOT NULL,
          reads INTEGER NOT NULL,
          PRIMARY KEY (source_id, month)
        ) WITHOUT ROWID;

        CREATE TABLE failed_body (
          source_id INTEGER PRIMARY KEY,
          url TEXT NOT NULL,
          at_ms INTEGER NOT NULL,
          failure TEXT NOT NULL,
          body BLOB NOT NULL
        );

        CREATE TABLE event (
          id INTEGER PRIMARY KEY,
          public_id TEXT NOT NULL UNIQUE,
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          source_id INTEGER NOT NULL,
          time_ms INTEGER NOT NULL,
          time_source TEXT NOT NULL,
          updated_ms INTEGER,
          expires_ms INTEGER,
          first_seen_ms INTEGER NOT NULL,
          first_seen_is_provisional INTEGER NOT NULL,
          age_base_ms INTEGER NOT NULL,
          last_changed_ms INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          change_seq INTEGER NOT NULL,
          category TEXT NOT NULL,
          weight REAL NOT NULL,
          magnitude REAL,
          depth_km REAL,
          status TEXT,
          latitude REAL,
          longitude REAL,
          location_method TEXT,
          location_precision TEXT,
          location_confidence REAL,
          location_matched_text TEXT,
          withdrawn_reason TEXT,
          withdrawn_ms INTEGER,
          withdrawn_evidence TEXT,
          is_erased INTEGER NOT NULL,
          language TEXT,
          author_name TEXT,
          author_link TEXT,
          author_picture TEXT,
          title TEXT NOT NULL,
          place TEXT,
          link TEXT,
          summary TEXT,
          geometry TEXT,
          details TEXT NOT NULL
        );
        CREATE INDEX event_time ON event (time_ms);
        CREATE INDEX event_category ON event (category, time_ms);
        CREATE INDEX event_author ON event (author_name, time_ms) WHERE author_name IS NOT NULL;
        CREATE INDEX event_age ON event (age_base_ms);
        CREATE INDEX event_change ON event (change_seq);
        CREATE INDEX event_withdrawn ON event (time_ms) WHERE withdrawn_reason IS NOT NULL;
        CREATE INDEX event_provisional ON event (id) WHERE first_seen_is_provisional = 1;

        CREATE TABLE upstream_id (
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          event_id INTEGER NOT NULL,
          PRIMARY KEY (provider, upstream_id)
        ) WITHOUT ROWID;
        CREATE INDEX upstream_id_event ON upstream_id (event_id);

        CREATE TABLE link (
          event_id INTEGER NOT NULL,
          source_id INTEGER NOT NULL,
          time_ms INTEGER NOT NULL,
          seen_hash INTEGER NOT NULL,
          first_seen_ms INTEGER NOT NULL,
          missing_since_ms INTEGER,
          is_promised INTEGER NOT NULL DEFAULT 1,
          PRIMARY KEY (event_id, source_id)
        ) WITHOUT ROWID;
        CREATE INDEX link_source ON link (source_id, time_ms);

        -- What the topics of one source said last, since they may word one event differently.
        CREATE TABLE topic_seen (
          event_id INTEGER NOT NULL,
          source_id INTEGER NOT NULL,
          topic TEXT NOT NULL,
          seen_hash INTEGER NOT NULL,
          PRIMARY KEY (event_id, source_id, topic)
        ) WITHOUT ROWID;

        CREATE TABLE history (
          event_id INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          at_ms INTEGER NOT NULL,
          source_id INTEGER NOT NULL,
          previous TEXT NOT NULL,
          PRIMARY KEY (event_id, revision)
        ) WITHOUT ROWID;

        CREATE TABLE merged_event (
          public_id TEXT NOT NULL PRIMARY KEY,
          event_id INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX merged_event_event ON merged_event (event_id);

        CREATE TABLE withdrawal (
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          takes_family INTEGER NOT NULL,
          reason TEXT NOT NULL,
          time_ms INTEGER NOT NULL,
          evidence TEXT NOT NULL,
          erases INTEGER NOT NULL,
          replacements TEXT NOT NULL,
          at_ms INTEGER NOT NULL,
          PRIMARY KEY (provider, upstream_id)
        ) WITHOUT ROWID;

        CREATE TABLE tombstone (
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          source_id INTEGER NOT NULL,
          listed_ms INTEGER NOT NULL,
          PRIMARY KEY (provider, upstream_id)
        ) WITHOUT ROWID;

        CREATE TABLE geocode_queue (
          event_id INTEGER PRIMARY KEY,
          enqueued_ms INTEGER NOT NULL,
          state TEXT NOT NULL DEFAULT 'waiting'
        );

        CREATE TABLE change (
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          public_id TEXT NOT NULL,
          kind TEXT NOT NULL,
          at_ms INTEGER NOT NULL
        );

        CREATE TABLE point_of_interest (
          id INTEGER PRIMARY KEY,
          key TEXT NOT NULL UNIQUE,
          kind TEXT NOT NULL,
          name TEXT NOT NULL,
          latitude REAL NOT NULL,
          longitude REAL NOT NULL,
          picture TEXT,
          webcam TEXT,
          text TEXT
        );

        CREATE VIRTUAL TABLE event_text USING fts5 (
          title, summary, place, author_name,
          content = 'event', content_rowid = 'id', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
        );
        CREATE VIRTUAL TABLE event_position USING rtree (
          id, min_longitude, max_longitude, min_latitude, max_latitude
        );

        CREATE VIEW events_v1 AS
          SELECT public_id, provider, upstream_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms,
            first_seen_is_provisional AS first_seen_provisional, last_changed_ms, revision, category, title, summary,
            link, author_name, author_link, author_picture, weight, magnitude, depth_km, status, place AS place_text,
            language, latitude, longitude, location_method, location_precision, location_confidence,
            location_matched_text, geometry AS geometry_geojson, details AS details_json, withdrawn_reason,
            withdrawn_ms AS withdrawn_at_ms, withdrawn_evidence, change_seq
          FROM event;
        CREATE VIEW event_sources_v1 AS
          SELECT e.public_id, s.name AS source, l.first_seen_ms, l.missing_since_ms
          FROM link l JOIN event e ON e.id = l.event_id JOIN source s ON s.id = l.source_id;
        CREATE VIEW event_history_v1 AS
          SELECT e.public_id, h.revision, h.at_ms, s.name AS source, h.previous AS previous_json
          FROM history h JOIN event e ON e.id = h.event_id LEFT JOIN source s ON s.id = h.source_id;
        CREATE VIEW changes_v1 AS
          SELECT seq, public_id, kind, at_ms FROM change;
        CREATE VIEW sources_v1 AS
          SELECT name, kind, provider, is_enabled, max_age_ms, horizon_ms, next_due_ms, due_reason, attempts,
            last_attempt_ms, last_success_ms, last_new_ms, failures, failing_since_ms, last_failure_ms
          FROM source;
        CREATE VIEW aliases_v1 AS
          SELECT e.public_id, u.provider, u.upstream_id
          FROM upstream_id u JOIN event e ON e.id = u.event_id;
        CREATE VIEW merged_events_v1 AS
          SELECT m.public_id, e.public_id AS into_public_id
          FROM merged_event m JOIN event e ON e.id = m.event_id;
        CREATE VIEW points_of_interest_v1 AS
          SELECT key, kind, name, latitude, longitude, picture, webcam, text
          FROM point_of_interest;
        """
}
