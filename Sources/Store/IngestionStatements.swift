import Reconciling
import SQLite

/// The statements that ingestion runs for each event, compiled once for a connection.
final class IngestionStatements {
    /// provider, upstream id, source → event, and of the source's link the hash of its last version, since when it is
    /// missing, whether it is promised.
    let findLink: Statement
    /// provider, upstream id → event.
    let findEvent: Statement
    /// event → its row.
    let loadEvent: Statement
    /// Takes `EventRow.columns`.
    let insertEvent: Statement
    /// Takes `EventRow.columns`, then the id.
    let updateEvent: Statement
    let insertName: Statement
    let upsertLink: Statement
    let words: EventWords
    let positions: EventPositions
    let enqueue: Statement
    let insertChange: Statement
    /// event, source, rows, bytes.
    let insertShare: Statement
    /// event → source, rows, bytes of the share, which is removed.
    let removeShare: Statement
    /// provider, upstream id → time of the last listing in the feed.
    let findTombstone: Statement
    /// provider, upstream id → withdrawal, and the source that it counts for.
    let findWithdrawal: Statement

    init(_ connection: Connection) throws {
        findLink = try connection.prepare(
            """
            SELECT u.event_id, l.seen_hash, l.missing_since_ms, l.is_promised
            FROM upstream_id u LEFT JOIN link l ON l.event_id = u.event_id AND l.source_id = ?3
            WHERE u.provider = ?1 AND u.upstream_id = ?2
            """)
        findEvent = try connection.prepare("SELECT event_id FROM upstream_id WHERE provider = ? AND upstream_id = ?")
        loadEvent = try connection.prepare("SELECT id, \(EventRow.columns) FROM event WHERE id = ?")
        insertEvent = try connection.prepare("INSERT INTO event (\(EventRow.columns)) VALUES (\(EventRow.parameters))")
        updateEvent = try connection.prepare(
            "UPDATE event SET (\(EventRow.columns)) = (\(EventRow.parameters)) WHERE id = ?")
        insertName = try connection.prepare(
            "INSERT OR IGNORE INTO upstream_id (provider, upstream_id, event_id) VALUES (?, ?, ?)")
        upsertLink = try connection.prepare(
            """
            INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (event_id, source_id) DO UPDATE
            SET seen_hash = excluded.seen_hash, time_ms = excluded.time_ms, missing_since_ms = NULL,
              is_promised = 1
            """)
        words = try EventWords(connection)
        positions = try EventPositions(connection)
        enqueue = try connection.prepare(
            """
            INSERT INTO geocode_queue (event_id, enqueued_ms) VALUES (?, ?)
            ON CONFLICT (event_id) DO UPDATE SET enqueued_ms = excluded.enqueued_ms, state = 'new', generation = NULL,
              job_id = NULL, evidence = NULL, place_text = NULL, reason = NULL
            WHERE state <> 'new'
            """)
        insertChange = try connection.prepare("INSERT INTO change (seq, public_id, kind, at_ms) VALUES (?, ?, ?, ?)")
        insertShare = try connection.prepare(
            "INSERT INTO event_share (event_id, source_id, rows, bytes) VALUES (?, ?, ?, ?)")
        removeShare = try connection.prepare(
            "DELETE FROM event_share WHERE event_id = ? RETURNING source_id, rows, bytes")
        findTombstone = try connection.prepare(
            "SELECT listed_ms FROM tombstone WHERE provider = ? AND upstream_id = ?")
        findWithdrawal = try connection.prepare(
            """
            SELECT reason, time_ms, evidence, erases, replacements, takes_family, source_id FROM withdrawal
            WHERE provider = ? AND upstream_id = ?
            """)
    }
}
