extension Schema {
    /// Version 5: integers of more than 32 bits are declared `BIGINT`, also in views, since GDAL reads `INTEGER` as 32
    /// bits. One R*Tree holds places and times of events (`EventPositions` fills it). `unlocated_v1` starts from the
    /// queue, not from all events.
    ///
    /// SQLite stores both types alike, so only the text of the schema changes
    /// (<https://www.sqlite.org/pragma.html#pragma_writable_schema>). No table is `STRICT`, which would reject
    /// `BIGINT`. Primary keys stay, since only an `INTEGER PRIMARY KEY` is the rowid. The objects created next in the
    /// same transaction make other connections reload the schema.
    static let version5 = """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql =
          replace(replace(replace(sql,
            '_ms INTEGER', '_ms BIGINT'), 'change_seq INTEGER', 'change_seq BIGINT'), 'seen_hash INTEGER', 'seen_hash BIGINT')
          WHERE type = 'table' AND name IN (
            'source', 'validator', 'coverage', 'failed_body', 'event', 'link', 'topic_seen', 'history', 'withdrawal',
            'tombstone', 'geocode_queue', 'geocode_job', 'change', 'point_of_interest', 'place_cache', 'provider_usage');
        PRAGMA writable_schema = RESET;

        DROP VIEW unlocated_v1;
        CREATE VIEW unlocated_v1 AS
          SELECT e.public_id, iif(j.state = 'unresolved', j.state, q.state) AS state,
            coalesce(q.place_text, e.place) AS place_text,
            (
              SELECT json_group_array(
                json_object('provider', c.provider, 'reason', c.reason, 'at_ms', c.stored_ms, 'until_ms', c.expires_ms))
              FROM place_cache c WHERE c.key = j.key AND c.answer IS NULL
            ) AS asked_json,
            iif(j.state = 'unresolved', 'no configured service knows the place', q.reason) AS reason, q.enqueued_ms
          FROM geocode_queue q CROSS JOIN event e ON e.id = q.event_id LEFT JOIN geocode_job j ON j.id = q.job_id;
        """
}
