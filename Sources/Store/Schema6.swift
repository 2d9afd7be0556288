extension Schema {
    /// Version 6: the country of a place that was found by name.
    ///
    /// Among older places only areas get it, because their ids in the city table contain it: `country:FR`,
    /// `region:US.CA`, `district:US.CA.037`.
    static let version6 = """
        ALTER TABLE event ADD COLUMN location_country TEXT;
        UPDATE event SET location_country = substr(location_place_id, instr(location_place_id, ':') + 1, 2)
          WHERE location_place_id GLOB 'country:*' OR location_place_id GLOB 'region:*'
            OR location_place_id GLOB 'district:*';
        CREATE INDEX event_country ON event (location_country, time_ms) WHERE location_country IS NOT NULL;

        DROP VIEW events_v1;
        CREATE VIEW events_v1 AS
          SELECT public_id, provider, upstream_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms,
            first_seen_is_provisional AS first_seen_provisional, last_changed_ms, revision, category, title, summary,
            link, author_name, author_link, author_picture, weight, magnitude, depth_km, status, place AS place_text,
            language, latitude, longitude, location_method, location_precision, location_confidence,
            location_matched_text, geometry AS geometry_geojson, details AS details_json, withdrawn_reason,
            withdrawn_ms AS withdrawn_at_ms, withdrawn_evidence, change_seq, location_evidence, location_place_id,
            location_country
          FROM event;
        """
}
