extension Schema {
    /// Version 10: what each source has used of its budget, and the budget itself (NULL: the default).
    ///
    /// `event_share` tells which source added an event, and the rows and bytes that count for it
    /// (`EventRow.storedBytes`). An older event counts for the source whose version it shows. `withdrawal.source_id` is
    /// the source that sent the withdrawal; an older one counts for none and goes within 90 days.
    static let version10 = """
        CREATE TABLE event_share (
          event_id INTEGER PRIMARY KEY,
          source_id INTEGER NOT NULL,
          rows INTEGER NOT NULL,
          bytes BIGINT NOT NULL
        );
        INSERT INTO event_share
          SELECT id, source_id, 1, \(StoredBytes.ofEvent) FROM event;
        UPDATE event_share SET bytes = event_share.bytes + n.bytes
          FROM (SELECT event_id, sum(\(StoredBytes.ofName)) AS bytes FROM upstream_id GROUP BY event_id) AS n
          WHERE n.event_id = event_share.event_id;
        UPDATE event_share SET rows = event_share.rows + h.rows, bytes = event_share.bytes + h.bytes
          FROM (
            SELECT event_id, count(*) AS rows, sum(\(StoredBytes.ofRevision)) AS bytes FROM history GROUP BY event_id) AS h
          WHERE h.event_id = event_share.event_id;

        ALTER TABLE withdrawal ADD COLUMN source_id INTEGER;

        CREATE TABLE source_use (
          source_id INTEGER PRIMARY KEY,
          rows INTEGER NOT NULL DEFAULT 0,
          bytes BIGINT NOT NULL DEFAULT 0,
          day INTEGER NOT NULL DEFAULT 0,
          day_rows INTEGER NOT NULL DEFAULT 0,
          day_bytes BIGINT NOT NULL DEFAULT 0,
          is_waiting INTEGER NOT NULL DEFAULT 0,
          most_rows INTEGER,
          most_bytes BIGINT,
          most_daily_rows INTEGER,
          most_daily_bytes BIGINT
        );
        INSERT INTO source_use (source_id, rows, bytes)
          SELECT source_id, sum(rows), sum(bytes) FROM (
            SELECT source_id, rows, bytes FROM event_share
            UNION ALL SELECT source_id, 1, \(StoredBytes.ofTombstone) FROM tombstone)
          GROUP BY source_id;
        """
}
