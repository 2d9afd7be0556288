import Model
import Reconciling
import SQLite

/// Stores the outcomes of searches for places (`Placing`), within one transaction.
final class Locating: EventWriting {
    let writer: Writer
    let now: Int64
    /// The source whose version the event shows.
    private(set) var sourceID: Int64 = 0

    init(_ writer: Writer, at now: Int64) {
        self.writer = writer
        self.now = now
    }

    // MARK: - City table

    /// Stores an outcome, unless the event has been revised since it was read or no longer waits.
    func apply(
        _ outcome: LocalOutcome, to event: UnlocatedEvent, generation: String?, into result: inout LocateResult
    ) throws {
        let id = event.handle.number
        let waiting = try connection.prepare(QueueSQL.waitingEvent, id).first {
            (revision: $0.int64(0), enqueued: $0.int64(1), state: $0.string(2))
        }
        guard let waiting, waiting.revision == event.revision else {
            result.stale += 1
            return
        }
        switch outcome {
        case .located(let location):
            let isLocated = try locate(id, at: location)
            if isLocated { result.located += 1 } else { result.stale += 1 }
            // It was looked up before, in another table or without one.
            if isLocated, waiting.state != "new" { try writer.silence(as: .seeding) }
        case .ask(let query):
            let job = try job(of: query, touched: waiting.enqueued)
            try mark(id, "asked", by: generation, job: job, query: query)
            result.asked += 1
        case .unresolved(let reason):
            try mark(id, "unresolved", by: generation, reason: reason)
            result.unresolved += 1
        }
    }

    private func mark(
        _ event: Int64, _ state: String, by generation: String?, job: Int64? = nil, query: PlaceQuery? = nil,
        reason: String? = nil
    ) throws {
        try connection.run(
            """
            UPDATE geocode_queue
            SET state = ?2, generation = ?3, job_id = ?4, evidence = ?5, place_text = ?6, reason = ?7
            WHERE event_id = ?1
            """, event, state, generation, job, query?.evidence.rawValue, query?.text, reason)
    }

    /// The job of a question, created if needed. Its age is that of the newest event that asks. An unresolved job stays
    /// so.
    private func job(of query: PlaceQuery, touched: Int64) throws -> Int64 {
        let known = try connection.firstInt64(
            "UPDATE geocode_job SET touched_ms = max(touched_ms, ?2) WHERE key = ?1 RETURNING id", query.key, touched)
        if let known { return known }
        let answered = Answered.text(try connection.keptAnswers(to: query.key, at: now))
        try connection.run(
            "INSERT INTO geocode_job (key, query, state, answered, touched_ms) VALUES (?, ?, 'waiting', ?, ?)",
            query.key, StoredJSON.encoded(query), answered, touched)
        return connection.lastInsertedRow
    }

    /// Locates an event; false if it already has a place, is withdrawn or is gone.
    private func locate(_ id: Int64, at location: Location) throws -> Bool {
        guard let old = try load(id), let row = Placing.located(old, at: location) else {
            try dequeue(id)
            return false
        }
        sourceID = old.source
        return try save(row, replacing: old, as: .located)
    }

    /// Takes away an event's place, which was found by name, unless the event has been revised since it was read.
    func unlocate(_ event: UnlocatedEvent) throws {
        guard let old = try load(event.handle.number), let row = Placing.unlocated(old, revision: event.revision)
        else { return }
        sourceID = old.source
        try save(row, replacing: old, as: .revised)
    }

    // MARK: - Services

    /// Stores an answer and the outcome of its job, and locates up to `limit` of the waiting events.
    ///
    /// Jobs are found by their question, because a job may be deleted and created again under another row.
    func settle(_ settlement: GeocodeSettlement, limit: Int) throws -> (located: Int, isDone: Bool) {
        let query = settlement.job.query
        // Without a waiting event, the words may have been deleted by their provider meanwhile.
        if let fresh = settlement.fresh,
            try settlement.job.id == nil
                || connection.firstInt64("SELECT 1 FROM geocode_job WHERE key = ?", query.key) != nil
        {
            try connection.keep(fresh, to: query, at: now)
        }
        let answers = try connection.keptAnswers(to: query.key, at: now)
        try connection.run(
            "UPDATE geocode_job SET state = ?2, answered = ?3 WHERE key = ?1", query.key,
            settlement.end == .unresolved ? "unresolved" : "waiting", Answered.text(answers))
        guard case .located(let location) = settlement.end else { return (0, true) }
        return try locateAskers(of: query, at: location, limit: limit)
    }

    private func locateAskers(
        of query: PlaceQuery, at location: Location, limit: Int
    ) throws -> (located: Int, isDone: Bool) {
        let find = try connection.prepare(QueueSQL.askers, query.key, limit)
        let askers = try find.map {
            let evidence = $0.text(1).map(PlaceEvidence.init(rawValue:))
            return (event: $0.int64(0), location: Placing.own(location, evidence: evidence, words: $0.text(2)))
        }
        var located = 0
        for asker in askers {
            if try locate(asker.event, at: asker.location) { located += 1 }
        }
        let isDone = askers.count < limit
        // The job went with its last event, unless it had none.
        if isDone { try connection.run("DELETE FROM geocode_job WHERE key = ?", query.key) }
        return (located, isDone)
    }
}
