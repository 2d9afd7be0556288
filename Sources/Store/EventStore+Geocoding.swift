public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Events located, or jobs reviewed, in one transaction.
    private static let batch = 500

    /// The next waiting job that one of the services has not answered, or that a kept place settles; nil if there is
    /// none.
    ///
    /// It is the newest job of the source that has asked least today, as far as the newest 256 jobs tell, or the oldest
    /// job.
    ///
    /// The job stays in the queue and is returned again until it is settled. Jobs are brought up to date with the kept
    /// answers on the way, so this is a write; it throws `StoreError` if the database cannot be written.
    /// - Parameters:
    ///   - oldest: Whether to take the oldest job; its age is that of the newest event that asks its question.
    ///   - providers: The services that can be asked now; empty: only jobs that a kept place settles.
    ///   - skipping: Rows of jobs to pass over; keep them few.
    ///   - sources: Names of sources whose jobs are passed over, because their shares are used up.
    ///   - now: Wall time, by which answers expire.
    public func takeJob(
        oldest: Bool, providers: [GeocodeProvider], skipping: [Int64] = [], without sources: Set<String> = [],
        at now: Date
    ) throws(StoreError) -> GeocodeJob? {
        let open = Answered.open(to: providers)
        let skipping = Set(skipping)
        return try transaction { writer in
            let connection = writer.connection
            let requests = oldest ? [:] : try connection.requestsBySource(at: now)
            func mayTake(_ id: Int64, _ source: String?) -> Bool {
                !skipping.contains(id) && source.map { !sources.contains($0) } ?? true
            }
            while let job = try Job(
                next: oldest, answered: open, requests: requests, where: mayTake, on: connection)
            {
                guard let query = StoredJSON.decoded(PlaceQuery.self, from: job.query) else {
                    // The question is from another version of this program, so its events are looked up again.
                    try connection.lookUpAgain(job.id)
                    continue
                }
                let answers = try connection.keptAnswers(to: job.key, at: now.milliseconds)
                let answered = Answered.text(answers)
                if answered != job.answered {
                    try connection.update(job.id, state: "waiting", answered: answered)
                    guard open.contains(answered) else { continue }
                }
                return GeocodeJob(id: job.id, query: query, answers: answers, source: job.source)
            }
            return nil
        }
    }

    /// Stores a new answer, if there is one, and the outcome of the job; returns the number of events located.
    ///
    /// One transaction locates up to 500 events. The first one stores the answer, so a kill in between repeats no
    /// request. Each event keeps its own matched text and evidence. Throws `StoreError`; after one the settlement may
    /// be repeated.
    public func settle(_ settlement: GeocodeSettlement) throws(StoreError) -> Int {
        var located = 0
        while true {
            let some = try transaction { writer in
                try Locating(writer, at: settlement.at.milliseconds).settle(settlement, limit: EventStore.batch)
            }
            located += some.located
            if some.isDone { return located }
        }
    }

    /// The services' earlier answers to a question, misses included, that have not expired at `now`; a service without
    /// one is left out. Throws `StoreError`.
    public func keptAnswers(
        to query: PlaceQuery, at now: Date
    ) throws(StoreError) -> [GeocodeProvider: ProviderAnswer] {
        try read { try $0.keptAnswers(to: query.key, at: now.milliseconds) }
    }

    /// Opens the jobs that a configured service has still to answer and closes the others as unresolved; returns the
    /// number opened.
    ///
    /// For the start, after answers have expired, and after new questions if no service is configured. One transaction
    /// reviews up to 500 jobs; throws `StoreError`, and may be repeated.
    /// - Parameters:
    ///   - providers: All configured services, including those that cannot be asked now; empty: all jobs are closed.
    ///   - now: Wall time, by which answers expire.
    public func reopenJobs(providers: [GeocodeProvider], at now: Date) throws(StoreError) -> Int {
        var reopened = 0
        var last: Int64? = 0
        while let from = last {
            let some = try transaction { writer in
                try writer.connection.reviewJobs(
                    after: from, limit: EventStore.batch, providers: providers, at: now.milliseconds)
            }
            reopened += some.reopened
            last = some.last
        }
        return reopened
    }
}

/// A row of `geocode_job`.
private struct Job {
    var id: Int64
    var key: String
    var query: String
    var answered: String
    var source: String?

    /// The most jobs that are compared, and that are passed over, in looking for the next one.
    private static let (mostCompared, mostPassed) = (256, 20_000)
}

extension Job {
    /// The waiting job, among those with one of the texts as `answered`, whose source has made the fewest requests; of
    /// several the newest or oldest.
    init?(
        next oldest: Bool, answered: [String], requests: [String: Int64], where mayTake: (Int64, String?) -> Bool,
        on connection: Connection
    ) throws {
        let find = try connection.prepare(QueueSQL.nextJobs(oldest: oldest))
        var best: (requests: Int64, touched: Int64, job: Job)?
        for text in answered {
            find.bind(text)
            defer { find.reset() }
            var (compared, passed) = (0, 0)
            while compared < Self.mostCompared, passed < Self.mostPassed, try find.step() {
                let job = Job(
                    id: find.int64(1), key: find.string(2), query: find.string(3), answered: text, source: find.text(4))
                guard mayTake(job.id, job.source) else {
                    passed += 1
                    continue
                }
                compared += 1
                let made = job.source.flatMap { requests[$0] } ?? 0
                // The rank of a newer job is lower, unless the oldest is wanted.
                let touched = oldest ? find.int64(0) : -find.int64(0)
                let id = oldest ? job.id : -job.id
                let isBetter = best.map { best in
                    (made, touched, id) < (best.requests, best.touched, oldest ? best.job.id : -best.job.id)
                }
                if isBetter ?? true { best = (made, touched, job) }
                // The rows come in this order, so no later one is better.
                if oldest || made == 0 { break }
            }
        }
        guard let best else { return nil }
        self = best.job
    }
}

extension Connection {
    fileprivate func update(_ job: Int64, state: String, answered: String) throws {
        try run("UPDATE geocode_job SET state = ?2, answered = ?3 WHERE id = ?1", job, state, answered)
    }

    /// Deletes a job and marks its events as not looked up.
    fileprivate func lookUpAgain(_ job: Int64) throws {
        try run(
            """
            UPDATE geocode_queue SET state = 'new', generation = NULL, job_id = NULL, evidence = NULL, place_text = NULL
            WHERE job_id = ?
            """, job)
        try run("DELETE FROM geocode_job WHERE id = ?", job)
    }

    /// Reviews up to `limit` jobs after `from`; `last` is nil at the end of the table.
    fileprivate func reviewJobs(
        after from: Int64, limit: Int, providers: [GeocodeProvider], at now: Int64
    ) throws -> (reopened: Int, last: Int64?) {
        let open = Answered.open(to: providers)
        let find = try prepare(QueueSQL.jobs, from, limit)
        let jobs = try find.map { (id: $0.int64(0), key: $0.string(1), state: $0.string(2), answered: $0.string(3)) }
        var reopened = 0
        for job in jobs {
            // Answers of services that are no longer configured do not count.
            let answers = try keptAnswers(to: job.key, at: now).filter { providers.contains($0.key) }
            let answered = Answered.text(answers)
            let state = open.contains(answered) ? "waiting" : "unresolved"
            guard state != job.state || answered != job.answered else { continue }
            try update(job.id, state: state, answered: answered)
            if state != job.state, state == "waiting" { reopened += 1 }
        }
        return (reopened, jobs.count < limit ? nil : jobs.last?.id)
    }
}
