extension Schema {
    /// Version 11: issues and refused items of polls, the names of places, places that an operator corrected, indexes of
    /// validators by age and of merges by the event that they took in.
    static let version11 = issues + locationName + places + correctness

    /// The issues of polls by code, what the last poll has refused, and the last refused items of each source.
    ///
    /// `attempt` is the poll that a count belongs to, as `source.attempts` numbers them. `source.answered` is the last
    /// poll that has read something: its counts are those of the last poll, and a poll that only hears "not modified"
    /// leaves them. `source.refused_kept` counts the refused items that the poll has
    /// brought for the list so far. A refused item without an id has the provider '' and, as its id, what was found. `aliases` has the
    /// other names of an item, each between line feeds.
    private static let issues = """
        ALTER TABLE source ADD COLUMN answered INTEGER;
        ALTER TABLE source ADD COLUMN refused_kept INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE refusal ADD COLUMN last_items INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE refusal ADD COLUMN attempt INTEGER;
        CREATE TABLE issue (
          source_id INTEGER NOT NULL,
          code TEXT NOT NULL,
          items INTEGER NOT NULL,
          sample TEXT NOT NULL,
          attempt INTEGER NOT NULL,
          PRIMARY KEY (source_id, code)
        ) WITHOUT ROWID;
        CREATE TABLE refused_item (
          id INTEGER PRIMARY KEY,
          source_id INTEGER NOT NULL,
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          aliases TEXT,
          title TEXT NOT NULL,
          reason TEXT NOT NULL,
          at_ms BIGINT NOT NULL,
          UNIQUE (source_id, provider, upstream_id)
        );
        CREATE INDEX refused_item_name ON refused_item (provider, upstream_id);
        CREATE INDEX refused_item_alias ON refused_item (provider) WHERE aliases IS NOT NULL;
        """

    /// The name of the place that an event's words mean. The city table is another file, so events located before have
    /// none until they are located anew.
    private static let locationName = """
        ALTER TABLE event ADD COLUMN location_name TEXT;

        DROP VIEW events_v1;
        CREATE VIEW events_v1 AS
          SELECT public_id, provider, upstream_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms,
            first_seen_is_provisional AS first_seen_provisional, last_changed_ms, revision, category, title, summary,
            link, author_name, author_link, author_picture, weight, magnitude, depth_km, status, place AS place_text,
            language, latitude, longitude, location_method, location_precision, location_confidence,
            location_matched_text, geometry AS geometry_geojson, details AS details_json, withdrawn_reason,
            withdrawn_ms AS withdrawn_at_ms, withdrawn_evidence, change_seq, location_evidence, location_place_id,
            location_country, location_radius_km, location_name
          FROM event;
        """

    /// Version 11, places: the operator's corrections of places, by the public id of the event (`Correcting`).
    ///
    /// `latitude` NULL: the event has no place. `feed_…` is the place that the event has by the geometry of its feed, and
    /// `sought_text` the words in which a place was found or sought before. While the event is gone, these are NULL,
    /// `gone_ms` tells since when, and `place_correction_name` has the upstream ids under which it may come back.
    private static let places = """
        CREATE TABLE place_correction (
          public_id TEXT NOT NULL PRIMARY KEY,
          latitude REAL,
          longitude REAL,
          radius_km REAL,
          name TEXT,
          made_by TEXT NOT NULL,
          made_ms BIGINT NOT NULL,
          feed_latitude REAL,
          feed_longitude REAL,
          feed_method TEXT,
          feed_precision TEXT,
          sought_text TEXT,
          gone_ms BIGINT
        ) WITHOUT ROWID;
        CREATE INDEX place_correction_made ON place_correction (made_ms);
        CREATE TABLE place_correction_name (
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          public_id TEXT NOT NULL,
          PRIMARY KEY (provider, upstream_id)
        ) WITHOUT ROWID;
        CREATE INDEX place_correction_name_event ON place_correction_name (public_id);
        CREATE TRIGGER place_correction_deleted AFTER DELETE ON place_correction
          BEGIN
            DELETE FROM place_correction_name WHERE public_id = old.public_id;
          END;

        CREATE VIEW place_corrections_v1 AS
          SELECT public_id, latitude, longitude, radius_km, name, made_by, made_ms AS made_at_ms, gone_ms AS gone_since_ms
          FROM place_correction;
        """

    /// What pruning, erasure and paging look up, without a walk over all rows.
    ///
    /// `history.merged_id` is the public id of the event that a merge took in, NULL for a revision that tells of no
    /// merge. It stays where `merged` is missing: in a merge before schema 7, and where the state has been erased.
    private static let correctness = """
        CREATE INDEX validator_age ON validator (source_id, stored_ms);
        ALTER TABLE history ADD COLUMN merged_id TEXT;
        UPDATE history SET merged_id = json_extract(previous, '$.merged_public_id')
          WHERE previous LIKE '{"merged_public_id"%';
        CREATE INDEX history_merged_id ON history (merged_id) WHERE merged_id IS NOT NULL;
        """
}
