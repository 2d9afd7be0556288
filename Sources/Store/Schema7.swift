extension Schema {
    /// Version 7: the numbers of changes in the history, the number of each event's first change, the radius of an area,
    /// and indexes for magnitudes, times of changes and the changes of an event.
    ///
    /// Columns of `history`: `seq` is the number of the change that the revision made, NULL if it is not known.
    /// `gap_seq` is the number of the first dropped revision whose old values went into the row (`HistoryTrimming`); 0:
    /// the states before the row are not whole. `owner` is the public id of the merged event that had the revision,
    /// NULL for the event's own. `merged` is the last state of the event that a merge took in, as the text of a JSON
    /// object: the columns of `events_v1`, `id` and `first_seq`.
    ///
    /// Older rows get the numbers that the change log tells for certain: the latest revision has that of the event, and
    /// one after the last merge that of the event's only change at its time. `first_seq` 0 stands for a change that is
    /// no longer kept.
    static let version7 = """
        ALTER TABLE event ADD COLUMN location_radius_km REAL;
        ALTER TABLE event ADD COLUMN first_seq BIGINT NOT NULL DEFAULT 0;
        UPDATE event SET first_seq = change_seq - (withdrawn_reason IS NOT NULL) WHERE revision = 1;
        UPDATE event SET first_seq = born.seq
          FROM (SELECT public_id, max(seq) AS seq FROM change WHERE kind = 'new' GROUP BY public_id) AS born
          WHERE born.public_id = event.public_id;
        CREATE INDEX event_magnitude ON event (magnitude, time_ms);
        CREATE INDEX event_changed ON event (last_changed_ms, change_seq);
        CREATE INDEX change_event ON change (public_id, seq);

        ALTER TABLE history ADD COLUMN seq BIGINT;
        ALTER TABLE history ADD COLUMN gap_seq BIGINT;
        ALTER TABLE history ADD COLUMN owner TEXT;
        ALTER TABLE history ADD COLUMN merged TEXT;
        UPDATE history SET seq = e.change_seq FROM event AS e
          WHERE e.id = history.event_id AND e.revision = history.revision;
        UPDATE history SET seq = told.seq
          FROM event AS e, (
            SELECT public_id, at_ms, max(seq) AS seq FROM change WHERE kind NOT IN ('new', 'merged', 'truncated')
            GROUP BY public_id, at_ms HAVING count(*) = 1) AS told
          WHERE history.seq IS NULL AND e.id = history.event_id
            AND told.public_id = e.public_id AND told.at_ms = history.at_ms
            AND (SELECT count(*) FROM history AS o WHERE o.event_id = history.event_id AND o.at_ms = history.at_ms) = 1
            AND history.revision > (
              SELECT coalesce(max(m.revision), 0) FROM history AS m
              WHERE m.event_id = history.event_id AND m.previous LIKE '{"merged_public_id"%');
        CREATE INDEX history_merged ON history (seq) WHERE merged IS NOT NULL;

        INSERT OR REPLACE INTO meta (key, value) SELECT 'numbered_since', at_ms FROM change ORDER BY seq DESC LIMIT 1;

        DROP VIEW events_v1;
        CREATE VIEW events_v1 AS
          SELECT public_id, provider, upstream_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms,
            first_seen_is_provisional AS first_seen_provisional, last_changed_ms, revision, category, title, summary,
            link, author_name, author_link, author_picture, weight, magnitude, depth_km, status, place AS place_text,
            language, latitude, longitude, location_method, location_precision, location_confidence,
            location_matched_text, geometry AS geometry_geojson, details AS details_json, withdrawn_reason,
            withdrawn_ms AS withdrawn_at_ms, withdrawn_evidence, change_seq, location_evidence, location_place_id,
            location_country, location_radius_km
          FROM event;
        DROP VIEW event_history_v1;
        CREATE VIEW event_history_v1 AS
          SELECT e.public_id, h.revision, h.at_ms, s.name AS source, h.previous AS previous_json, h.seq
          FROM history h JOIN event e ON e.id = h.event_id LEFT JOIN source s ON s.id = h.source_id;
        """
}
