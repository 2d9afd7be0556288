extension Schema {
    /// Version 2: evidence of places, questions of the geocode queue, answers and usage of the services, and more facts
    /// of points of interest.
    ///
    /// Events of version 1 are queued as new. Triggers delete a job with the last event that waits for it, however that
    /// event leaves the queue.
    static let version2 = """
        ALTER TABLE event ADD COLUMN location_evidence TEXT;
        ALTER TABLE event ADD COLUMN location_place_id TEXT;

        ALTER TABLE geocode_queue DROP COLUMN state;
        ALTER TABLE geocode_queue ADD COLUMN state TEXT NOT NULL DEFAULT 'new';
        ALTER TABLE geocode_queue ADD COLUMN generation TEXT;
        ALTER TABLE geocode_queue ADD COLUMN job_id INTEGER;
        ALTER TABLE geocode_queue ADD COLUMN evidence TEXT;
        ALTER TABLE geocode_queue ADD COLUMN place_text TEXT;
        ALTER TABLE geocode_queue ADD COLUMN reason TEXT;
        CREATE INDEX geocode_queue_state ON geocode_queue (state, enqueued_ms);
        CREATE INDEX geocode_queue_generation ON geocode_queue (generation, enqueued_ms) WHERE state <> 'new';
        CREATE INDEX geocode_queue_job ON geocode_queue (job_id) WHERE job_id IS NOT NULL;

        CREATE TABLE geocode_job (
          id INTEGER PRIMARY KEY,
          key TEXT NOT NULL UNIQUE,
          query TEXT NOT NULL,
          state TEXT NOT NULL,
          answered TEXT NOT NULL,
          touched_ms INTEGER NOT NULL
        );
        CREATE INDEX geocode_job_state ON geocode_job (state, answered, touched_ms);

        CREATE TRIGGER geocode_queue_deleted AFTER DELETE ON geocode_queue
          WHEN old.job_id IS NOT NULL
          BEGIN
            DELETE FROM geocode_job WHERE id = old.job_id
              AND NOT EXISTS (SELECT 1 FROM geocode_queue WHERE job_id = old.job_id);
          END;
        CREATE TRIGGER geocode_queue_updated AFTER UPDATE OF job_id ON geocode_queue
          WHEN old.job_id IS NOT NULL AND old.job_id IS NOT new.job_id
          BEGIN
            DELETE FROM geocode_job WHERE id = old.job_id
              AND NOT EXISTS (SELECT 1 FROM geocode_queue WHERE job_id = old.job_id);
          END;

        CREATE TABLE place_cache (
          key TEXT NOT NULL,
          provider TEXT NOT NULL,
          text TEXT NOT NULL,
          answer TEXT,
          reason TEXT,
          stored_ms INTEGER NOT NULL,
          expires_ms INTEGER NOT NULL,
          PRIMARY KEY (key, provider)
        ) WITHOUT ROWID;
        CREATE INDEX place_cache_expiry ON place_cache (expires_ms, reason);
        CREATE INDEX place_cache_text ON place_cache (text);

        CREATE TABLE provider_usage (
          provider TEXT NOT NULL,
          period TEXT NOT NULL,
          requests INTEGER NOT NULL,
          last_ms INTEGER NOT NULL,
          PRIMARY KEY (provider, period)
        ) WITHOUT ROWID;

        ALTER TABLE point_of_interest ADD COLUMN folded_name TEXT NOT NULL DEFAULT '';
        ALTER TABLE point_of_interest ADD COLUMN number INTEGER;
        ALTER TABLE point_of_interest ADD COLUMN country TEXT;
        ALTER TABLE point_of_interest ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE point_of_interest ADD COLUMN seeded_ms INTEGER NOT NULL DEFAULT 0;

        DROP VIEW events_v1;
        CREATE VIEW events_v1 AS
          SELECT public_id, provider, upstream_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms,
            first_seen_is_provisional AS first_seen_provisional, last_changed_ms, revision, category, title, summary,
            link, author_name, author_link, author_picture, weight, magnitude, depth_km, status, place AS place_text,
            language, latitude, longitude, location_method, location_precision, location_confidence,
            location_matched_text, geometry AS geometry_geojson, details AS details_json, withdrawn_reason,
            withdrawn_ms AS withdrawn_at_ms, withdrawn_evidence, change_seq, location_evidence, location_place_id
          FROM event;
        DROP VIEW points_of_interest_v1;
        CREATE VIEW points_of_interest_v1 AS
          SELECT key, kind, name, latitude, longitude, picture, webcam, text, number, country, details AS details_json,
            seeded_ms
          FROM point_of_interest;
        CREATE VIEW unlocated_v1 AS
          SELECT e.public_id, iif(j.state = 'unresolved', j.state, q.state) AS state,
            coalesce(q.place_text, e.place) AS place_text,
            (
              SELECT json_group_array(
                json_object('provider', c.provider, 'reason', c.reason, 'at_ms', c.stored_ms, 'until_ms', c.expires_ms))
              FROM place_cache c WHERE c.key = j.key AND c.answer IS NULL
            ) AS asked_json,
            iif(j.state = 'unresolved', 'no configured service knows the place', q.reason) AS reason, q.enqueued_ms
          FROM geocode_queue q JOIN event e ON e.id = q.event_id LEFT JOIN geocode_job j ON j.id = q.job_id;
        """
}
