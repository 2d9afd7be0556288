/// Queries of the geocode queue whose plans matter; tests check the plans.
enum QueueSQL {
    /// Rows for `UnlocatedEvent.init(row:)`, newest first. ?1 is the table's generation, ?2 the limit.
    ///
    /// One query for each reason to look: never looked up, looked up without a table, in a table whose name sorts
    /// before ?1 or after it. Each walks its index and stops after ?2 rows.
    static let unlocated: [String] = [
        ("q.state = 'new'", "q.enqueued_ms DESC, q.event_id DESC"),
        ("q.state <> 'new' AND q.generation IS NULL", "q.enqueued_ms DESC, q.event_id DESC"),
        ("q.state <> 'new' AND q.generation < ?1", "q.generation DESC, q.enqueued_ms DESC, q.event_id DESC"),
        ("q.state <> 'new' AND q.generation > ?1", "q.generation DESC, q.enqueued_ms DESC, q.event_id DESC"),
    ].map { condition, order in
        """
        SELECT q.event_id, e.revision, s.name, e.category, e.place,
          iif(json_valid(e.details), json_extract(e.details, '$.place_from'), NULL), e.title, e.summary,
          e.language
        FROM geocode_queue q CROSS JOIN event e ON e.id = q.event_id LEFT JOIN source s ON s.id = e.source_id
        WHERE \(condition) ORDER BY \(order) LIMIT ?2
        """
    }

    /// Rows for `UnlocatedEvent.init(row:)`: up to ?3 events of the source ?1 after row ?2, in the order of rows.
    static let homeEvents = """
        SELECT e.id, e.revision, s.name, e.category, e.place,
          iif(json_valid(e.details), json_extract(e.details, '$.place_from'), NULL), e.title, e.summary,
          e.language
        FROM source s CROSS JOIN event e WHERE s.name = ?1 AND e.id > ?2 AND e.source_id = s.id ORDER BY e.id LIMIT ?3
        """

    /// Rows for `UnlocatedEvent.init(row:)`: the next ?3 events after row ?2, in the order of rows. The place is the words
    /// by which an event of the source ?1 was located, and NULL for all others.
    static let placedByName = """
        SELECT e.id, e.revision, ?1, e.category,
          iif(e.source_id = (SELECT id FROM source WHERE name = ?1)
            AND e.location_method IN ('gazetteer', 'mapquest', 'nominatim'), e.location_matched_text, NULL),
          NULL, '', NULL, NULL
        FROM event e WHERE e.id > ?2 ORDER BY e.id LIMIT ?3
        """

    /// Lets the unresolved events of the source ?1 be looked up once more.
    static let lookAgain = """
        UPDATE geocode_queue SET generation = NULL
        WHERE state = 'unresolved'
          AND event_id IN (SELECT event_id FROM link WHERE source_id = (SELECT id FROM source WHERE name = ?1))
        """

    /// The revision and the queue time of a waiting event.
    static let waitingEvent = """
        SELECT e.revision, q.enqueued_ms, q.state FROM geocode_queue q JOIN event e ON e.id = q.event_id WHERE q.event_id = ?
        """

    /// The state of a waiting event, that of its job and the reason, by public id.
    static let missingPlace = """
        SELECT q.state, j.state, q.reason
        FROM event e CROSS JOIN geocode_queue q ON q.event_id = e.id LEFT JOIN geocode_job j ON j.id = q.job_id
        WHERE e.public_id = ?
        """

    /// Up to ?2 events that wait for the question ?1, each with the text that asks it.
    static let askers = """
        SELECT q.event_id, q.evidence, q.place_text
        FROM geocode_job j CROSS JOIN geocode_queue q ON q.job_id = j.id
        WHERE j.key = ?1 LIMIT ?2
        """

    /// Waiting jobs with the given `answered`, newest or oldest first.
    static func nextJobs(oldest: Bool) -> String {
        let order = oldest ? "ASC" : "DESC"
        return """
            SELECT touched_ms, id, key, query,
              (SELECT s.name FROM geocode_queue q CROSS JOIN event e ON e.id = q.event_id
               CROSS JOIN source s ON s.id = e.source_id WHERE q.job_id = geocode_job.id ORDER BY q.event_id LIMIT 1)
            FROM geocode_job WHERE state = 'waiting' AND answered = ?
            ORDER BY touched_ms \(order), id \(order)
            """
    }

    /// Up to ?2 jobs after ?1.
    static let jobs = "SELECT id, key, state, answered FROM geocode_job WHERE id > ?1 ORDER BY id LIMIT ?2"

    /// Answers to the question ?1 that have not expired at ?2.
    static let answers = """
        SELECT provider, text, answer, reason FROM place_cache WHERE key = ?1 AND expires_ms > ?2
        """

    /// Removes up to ?2 answers that have expired at ?1.
    static let deleteAnswers = """
        DELETE FROM place_cache WHERE (key, provider) IN (
          SELECT key, provider FROM place_cache WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT ?2)
        """

    // MARK: - Figures

    /// Events not looked up yet.
    static let newEvents = "SELECT count(*) FROM geocode_queue WHERE state = 'new'"
    /// Their number, and when the first of them was queued.
    static let newEventAges = "SELECT count(*), min(enqueued_ms) FROM geocode_queue WHERE state = 'new'"
    /// Events whose question waits for a service.
    static let askedEvents = """
        SELECT count(*) FROM geocode_job j CROSS JOIN geocode_queue q ON q.job_id = j.id WHERE j.state = 'waiting'
        """
    /// Questions that wait for a service.
    static let waitingJobs = "SELECT count(*) FROM geocode_job WHERE state = 'waiting'"
    /// Their number, and when the newest event joined the oldest of them.
    static let waitingJobAges = "SELECT count(*), min(touched_ms) FROM geocode_job WHERE state = 'waiting'"
    /// Places and misses that have not expired at ?1, by service.
    static let keptAnswers = """
        SELECT provider, count(*) - count(reason), count(reason) FROM place_cache WHERE expires_ms > ?1
        GROUP BY provider
        """
}
