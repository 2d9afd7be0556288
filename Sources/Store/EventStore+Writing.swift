import Foundation
public import Model
import SQLite

extension EventStore {
    /// Applies the writes of polls in one transaction, which stores all of them or none. Blocks.
    ///
    /// Returns the results in the order of `writes` once everything is committed. The commit waits for the disk if it
    /// reserves or settles paid reads.
    /// - Throws: `StoreError`; `unknownSource` if a write names a source that is not stored.
    public func write(_ writes: [StoreWrite]) throws(StoreError) -> [StoreResult] {
        let isDurable = writes.contains { write in
            switch write {
            case .begin, .giveBack, .reconcile: false
            case .reserve: true
            case .step(let step): step.settlement != nil
            }
        }
        return try transaction(isDurable: isDurable) { writer in
            var results: [StoreResult] = []
            for write in writes {
                switch write {
                case .begin(let beginning): results.append(.begun(try PollWriter(writer).begin(beginning)))
                case .step(let step): results.append(.stepped(try PollWriter(writer).step(step)))
                case .reserve(let reservation): results.append(.reserved(try PollWriter(writer).reserve(reservation)))
                case .giveBack(let reservation):
                    try PollWriter(writer).giveBack(reservation)
                    results.append(.gaveBack)
                case .reconcile(let sources):
                    try writer.reconcile(sources)
                    results.append(.reconciled(try SourceRecord.all(on: writer.connection)))
                }
            }
            return results
        }
    }
}

/// Writes attempts, answers, ends and paid reads of polls.
private struct PollWriter {
    let connection: Connection
    let writer: Writer

    init(_ writer: Writer) {
        self.writer = writer
        connection = writer.connection
    }

    // MARK: - begin

    /// Stores the attempt; returns the source as it was before, with the validators that still apply.
    func begin(_ beginning: PollBeginning) throws -> SourceRecord {
        let source = try StoredSource(named: beginning.source, on: connection)
        let find = try connection.prepare("SELECT \(SourceRecord.storedColumns) FROM source WHERE id = ?")
        find.bind(source.id)
        guard try find.step() else { throw StoreError(.unknownSource, "The source \(source.name) has gone") }
        var record = SourceRecord(row: find)
        find.reset()
        try SourceAccount.begin(source.id, on: connection)
        if try forgetState(of: source.id, unlessOf: beginning.fingerprint) {
            record.state = FeedState()
            record.work = nil
            record.shortfalls = []
        }
        record.paidReads = Int(try reads(of: source.id, in: month(of: beginning.at)))
        record.remark = try connection.value(of: Meta.remark(on: source.name))
        record.validators = try validators(of: source.id, for: beginning)
        let update = try connection.prepare(
            """
            UPDATE source SET attempts = attempts + 1, refused_kept = 0, last_attempt_ms = ?, next_due_ms = ?,
              due_reason = ?
            WHERE id = ?
            """)
        update.bind(beginning.at.milliseconds)
        update.bind(beginning.nextDue.milliseconds)
        update.bind(beginning.dueReason.rawValue)
        update.bind(source.id)
        try update.run()
        return record
    }

    /// The most validators that a poll gets beside those of its first URLs.
    private static let mostValidators = 1000

    /// The validators of the URLs that the poll asks first, and the newest of the others, which are of documents.
    private func validators(of source: Int64, for beginning: PollBeginning) throws -> [String: Validators] {
        var found: [String: Validators] = [:]
        func take(_ find: Statement) throws {
            while try find.step() {
                found[find.string(0)] = Validators(etag: find.text(1), lastModified: find.text(2))
            }
        }
        let newest = try connection.prepare(
            """
            SELECT url, etag, last_modified FROM validator WHERE source_id = ? AND fingerprint = ?
            ORDER BY stored_ms DESC LIMIT \(Self.mostValidators)
            """)
        newest.bind(source)
        newest.bind(beginning.fingerprint)
        try take(newest)
        let one = try connection.prepare(
            "SELECT url, etag, last_modified FROM validator WHERE source_id = ? AND fingerprint = ? AND url = ?")
        for url in beginning.urls where found[url] == nil {
            one.bind(source)
            one.bind(beginning.fingerprint)
            one.bind(url)
            try take(one)
        }
        return found
    }

    /// Forgets state, work list and shortfalls that were stored under another fingerprint; returns whether there was
    /// another.
    private func forgetState(of source: Int64, unlessOf fingerprint: String) throws -> Bool {
        let update = try connection.prepare(
            """
            UPDATE source SET state = iif(fingerprint IS NULL, state, NULL), work = iif(fingerprint IS NULL, work, NULL),
              shortfalls = NULL, fingerprint = ?2
            WHERE id = ?1 AND fingerprint IS NOT ?2
            """)
        let known = try connection.prepare(
            "SELECT fingerprint IS NOT NULL AND fingerprint <> ?2 FROM source WHERE id = ?1")
        known.bind(source)
        known.bind(fingerprint)
        let isOther = try known.firstInt64() == 1
        update.bind(source)
        update.bind(fingerprint)
        try update.run()
        return isOther
    }

    // MARK: - step

    /// Stores an answer with everything that must be consistent with it.
    func step(_ step: PollStep) throws -> StepResult {
        let source = try StoredSource(named: step.source, on: connection)
        var account = try SourceAccount(of: source.id, at: step.at, on: connection)
        if step.isClockTrusted { try settleFirstSeen(at: step.at.milliseconds) }
        var result = StepResult()
        var coverage: Coverage?
        if let answer = step.answer {
            let ingestion = Ingestion(writer, source: source, account: account, step: step)
            try ingestion.apply(answer)
            result = ingestion.result
            coverage = ingestion.coverage
        }
        result.count(step.issues)
        let added = writer.grown[source.id] ?? StoredAmount()
        try writer.storeUse()
        result.isOverBudget = account.isWaiting || result.refused[StepResult.overBudget] != nil
        try account.store(added: added, isWaiting: result.isOverBudget, on: connection)
        let isComplete = step.answer?.isWhole == true && !result.isOverBudget
        try writer.endStep(of: source.id, observing: coverage, isComplete: isComplete)
        // What waits must be asked for again, by this poll's requests from the beginning.
        let step = result.isOverBudget ? step.withoutProgress : step
        for (reason, items) in result.refused.sorted(by: { $0.key < $1.key }) {
            try count(items, refusedFor: reason, by: source.id)
        }
        try store(result.issues, of: source.id)
        for (url, validators) in step.validators.sorted(by: { $0.key < $1.key }) {
            try store(validators, of: url, source: source.id, step: step)
        }
        if let settlement = step.settlement {
            let month = self.month(of: step.at)
            let reads = try self.reads(of: source.id, in: month) + Int64(settlement.used - settlement.reserved)
            try setReads(max(0, reads), of: source.id, in: month)
            result.paidReads = Int(max(0, reads))
        }
        try updateSource(source, step: step, result: result)
        if let pauses = step.documentPauses { try connection.set(Meta.documentPauses, to: pauses) }
        if let end = step.end {
            try store(end, of: source, at: step.at.milliseconds)
            if step.isClockTrusted { try connection.set(Meta.lastTrustedTime, to: step.at) }
        }
        return result
    }

    /// Sets the first sight of events that came under an untrusted clock to now.
    private func settleFirstSeen(at now: Int64) throws {
        for sql in [
            """
            UPDATE event_position SET min_hour = ?1 / 3600000.0, max_hour = ?1 / 3600000.0 WHERE id IN (
              SELECT id FROM event WHERE first_seen_is_provisional = 1 AND time_source <> 'feed'
              UNION ALL SELECT -id FROM event WHERE first_seen_is_provisional = 1 AND time_source <> 'feed')
            """,
            """
            UPDATE link SET first_seen_ms = ?1,
              time_ms = iif((SELECT time_source FROM event e WHERE e.id = event_id) = 'feed', time_ms, ?1)
            WHERE event_id IN (SELECT id FROM event WHERE first_seen_is_provisional = 1)
            """,
            """
            UPDATE event SET first_seen_ms = ?1, first_seen_is_provisional = 0,
              time_ms = iif(time_source = 'feed', time_ms, ?1),
              age_base_ms = iif(time_source = 'feed', min(time_ms, ?1), ?1)
            WHERE first_seen_is_provisional = 1
            """,
        ] {
            let update = try connection.prepare(sql)
            update.bind(now)
            try update.run()
        }
    }

    /// The most codes of issues, and the most reasons of refusals, that are stored of a source.
    private static let mostCodes = 100

    /// Counts refused items, in all and for the present poll.
    private func count(_ items: Int, refusedFor reason: String, by source: Int64) throws {
        let upsert = try connection.prepare(
            """
            INSERT INTO refusal (source_id, reason, items, last_items, attempt)
            SELECT id, ?2, ?3, ?3, attempts FROM source WHERE id = ?1
              AND ((SELECT count(*) FROM refusal WHERE source_id = ?1) < ?4
                OR EXISTS (SELECT 1 FROM refusal WHERE source_id = ?1 AND reason = ?2))
            ON CONFLICT (source_id, reason) DO UPDATE SET items = items + excluded.items,
              last_items = excluded.last_items + iif(attempt = excluded.attempt, last_items, 0),
              attempt = excluded.attempt
            """)
        upsert.bind(source)
        upsert.bind(reason)
        upsert.bind(items)
        upsert.bind(Self.mostCodes)
        try upsert.run()
    }

    /// Adds issues to those of the present poll, which replace those of the poll before.
    private func store(_ issues: [String: IssueCount], of source: Int64) throws {
        guard !issues.isEmpty else { return }
        let delete = try connection.prepare(
            "DELETE FROM issue WHERE source_id = ?1 AND attempt <> (SELECT attempts FROM source WHERE id = ?1)")
        delete.bind(source)
        try delete.run()
        let upsert = try connection.prepare(
            """
            INSERT INTO issue (source_id, code, items, sample, attempt)
            SELECT id, ?2, ?3, ?4, attempts FROM source WHERE id = ?1
              AND ((SELECT count(*) FROM issue WHERE source_id = ?1) < ?5
                OR EXISTS (SELECT 1 FROM issue WHERE source_id = ?1 AND code = ?2))
            ON CONFLICT (source_id, code) DO UPDATE SET items = items + excluded.items
            """)
        for (code, count) in issues.sorted(by: { $0.key < $1.key }) {
            upsert.bind(source)
            upsert.bind(code)
            upsert.bind(count.items)
            upsert.bind(count.sample)
            upsert.bind(Self.mostCodes)
            try upsert.run()
        }
    }

    /// The most bytes of a URL with its validators. What has longer ones is asked for unconditionally.
    private static let longestValidators = 4096

    private func store(_ validators: Validators, of url: String, source: Int64, step: PollStep) throws {
        let texts = [url, validators.etag ?? "", validators.lastModified ?? ""]
        let isShort = texts.reduce(0) { $0 + $1.utf8.count } <= Self.longestValidators
        guard !validators.isEmpty, isShort else {
            let delete = try connection.prepare("DELETE FROM validator WHERE source_id = ? AND url = ?")
            delete.bind(source)
            delete.bind(url)
            return try delete.run()
        }
        let upsert = try connection.prepare(
            """
            INSERT OR REPLACE INTO validator (source_id, url, etag, last_modified, fingerprint, stored_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        upsert.bind(source)
        upsert.bind(url)
        upsert.bind(validators.etag)
        upsert.bind(validators.lastModified)
        upsert.bind(step.fingerprint)
        upsert.bind(try writer.stamp(step.at.milliseconds, isClockTrusted: step.isClockTrusted))
        try upsert.run()
    }

    private func updateSource(_ source: StoredSource, step: PollStep, result: StepResult) throws {
        let update = try connection.prepare(
            """
            UPDATE source SET state = coalesce(?, state), work = ?, last_new_ms = coalesce(?, last_new_ms),
              last_answer_ms = coalesce(?, last_answer_ms), moved_from = coalesce(?, moved_from),
              moved_to = coalesce(?, moved_to), answered = iif(?, attempts, answered)
            WHERE id = ?
            """)
        let now = step.at.milliseconds
        let isAnswered = step.answer != nil && !result.wasStale
        update.bind(try StoredJSON.encoded(step.state))
        update.bind(try StoredJSON.encoded(step.work))
        update.bind(result.new > 0 ? now : nil)
        // Tombstones go thirty days before this time, so an untrusted clock must not set it.
        update.bind(isAnswered && step.isClockTrusted ? now : nil)
        update.bind(step.moved?.from)
        update.bind(step.moved?.to)
        update.bind(isAnswered || !step.issues.isEmpty)
        update.bind(source.id)
        try update.run()
    }

    private func store(_ end: PollEnd, of source: StoredSource, at now: Int64) throws {
        let update = try connection.prepare(
            """
            UPDATE source SET next_due_ms = ?, due_reason = ?, failures = ?, failing_since_ms = ?,
              partial_failures = ?, shortfalls = iif(?, ?, shortfalls), requested_interval_ms = ?,
              last_success_ms = coalesce(?, last_success_ms),
              last_failure = coalesce(?, last_failure), last_failure_ms = coalesce(?, last_failure_ms), refused_kept = 0,
              failed_polls = failed_polls + ?, poll_ms = poll_ms + ?, received_bytes = received_bytes + ?
            WHERE id = ?
            """)
        let partialFailures = end.partialFailures.isEmpty ? nil : end.partialFailures
        var failure = end.failure
        failure?.excerpt = nil
        update.bind(end.nextDue.milliseconds)
        update.bind(end.dueReason.rawValue)
        update.bind(failure == nil ? 0 : end.failures)
        update.bind(failure == nil ? nil : source.failingSince ?? now)
        update.bind(try StoredJSON.encoded(partialFailures))
        update.bind(end.shortfalls != nil)
        update.bind(try StoredJSON.encoded(end.shortfalls.flatMap { $0.isEmpty ? nil : $0 }))
        update.bind(end.requestedInterval?.milliseconds)
        update.bind(failure == nil ? now : nil)
        update.bind(try StoredJSON.encoded(failure))
        update.bind(failure == nil ? nil : now)
        update.bind(failure != nil)
        update.bind(end.duration.milliseconds)
        update.bind(end.bytes)
        update.bind(source.id)
        try update.run()
        guard let remark = end.remark else { return }
        try connection.set(Meta.remark(on: source.name), to: remark.isEmpty ? nil : remark)
    }

    // MARK: - Paid reads

    /// Adds the reads to the month's sum, unless the sum would exceed the cap or the budget has no room for what they
    /// bring.
    func reserve(_ reservation: Reservation) throws -> ReadGrant {
        let source = try StoredSource(named: reservation.source, on: connection)
        let account = try SourceAccount(of: source.id, at: reservation.at, on: connection)
        guard account.use.hasRoom(at: reservation.at) else { return .overBudget }
        let month = self.month(of: reservation.at)
        let reads = try self.reads(of: source.id, in: month) + Int64(reservation.reads)
        guard reads <= reservation.monthlyCap else { return .capReached }
        try setReads(reads, of: source.id, in: month)
        return .granted
    }

    /// Subtracts the reads from the month's sum.
    func giveBack(_ reservation: Reservation) throws {
        let source = try StoredSource(named: reservation.source, on: connection)
        let month = self.month(of: reservation.at)
        let reads = try self.reads(of: source.id, in: month) - Int64(reservation.reads)
        try setReads(max(0, reads), of: source.id, in: month)
    }

    private func month(of date: Date) -> String { String(date.rfc3339.prefix(7)) }

    private func reads(of source: Int64, in month: String) throws -> Int64 {
        let find = try connection.prepare("SELECT reads FROM spend WHERE source_id = ? AND month = ?")
        find.bind(source)
        find.bind(month)
        return try find.firstInt64() ?? 0
    }

    private func setReads(_ reads: Int64, of source: Int64, in month: String) throws {
        let upsert = try connection.prepare("INSERT OR REPLACE INTO spend (source_id, month, reads) VALUES (?, ?, ?)")
        upsert.bind(source)
        upsert.bind(month)
        upsert.bind(reads)
        try upsert.run()
    }
}

extension PollStep {
    /// The step of a poll whose items wait: nothing is stored that keeps the server from sending them again.
    fileprivate var withoutProgress: PollStep {
        var step = self
        step.validators = [:]
        step.state = nil
        step.work = nil
        if end != nil, let endOverBudget { step.end = endOverBudget }
        return step
    }
}
