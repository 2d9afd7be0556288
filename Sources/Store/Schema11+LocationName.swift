extension Schema {
    /// The name of the place that an event's words mean. The city table is another file, so events located before have
    /// none until they are located anew.
    static let locationName = """
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
}
