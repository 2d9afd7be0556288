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
        let find = try connection.prepare("SELECT \(SourceRecord.storedColumns) FROM source WHERE id = ?", source.id)
        guard var record = try find.first({ SourceRecord(row: $0) }) else {
            throw StoreError(.unknownSource, "The source \(source.name) has gone")
        }
        try SourceAccount.begin(source.id, on: connection)
        if try forgetState(of: source.id, unlessOf: beginning.fingerprint) {
            record.state = FeedState()
            record.work = nil
            record.shortfalls = []
        }
        record.paidReads = Int(try reads(of: source.id, in: month(of: beginning.at)))
        record.remark = try connection.value(of: Meta.remark(on: source.name))
        record.validators = try validators(of: source.id, for: beginning)
        try connection.run(
            """
            UPDATE source SET attempts = attempts + 1, refused_kept = 0, last_attempt_ms = ?, next_due_ms = ?,
              due_reason = ?
            WHERE id = ?
            """, beginning.at.milliseconds, beginning.nextDue.milliseconds, beginning.dueReason.rawValue, source.id)
        return record
    }

    /// The most validators that a poll gets beside those of its first URLs.
    private static let mostValidators = 1000

    /// The validators of the URLs that the poll asks first, and the newest of the others, which are of documents.
    private func validators(of source: Int64, for beginning: PollBeginning) throws -> [String: Validators] {
        func validators(_ find: Statement) throws -> [String: Validators] {
            try find.dictionary { ($0.string(0), Validators(etag: $0.text(1), lastModified: $0.text(2))) }
        }
        let newest = try connection.prepare(
            """
            SELECT url, etag, last_modified FROM validator WHERE source_id = ? AND fingerprint = ?
            ORDER BY stored_ms DESC LIMIT \(Self.mostValidators)
            """, source, beginning.fingerprint)
        var found = try validators(newest)
        for url in beginning.urls where found[url] == nil {
            let one = try connection.prepare(
                "SELECT url, etag, last_modified FROM validator WHERE source_id = ? AND fingerprint = ? AND url = ?",
                source, beginning.fingerprint, url)
            found[url] = try validators(one)[url]
        }
        return found
    }

    /// Forgets state, work list and shortfalls that were stored under another fingerprint; returns whether there was
    /// another.
    private func forgetState(of source: Int64, unlessOf fingerprint: String) throws -> Bool {
        let isOther = try connection.firstInt64(
            "SELECT fingerprint IS NOT NULL AND fingerprint <> ?2 FROM source WHERE id = ?1", source, fingerprint)
        try connection.run(
            """
            UPDATE source SET state = iif(fingerprint IS NULL, state, NULL), work = iif(fingerprint IS NULL, work, NULL),
              shortfalls = NULL, fingerprint = ?2
            WHERE id = ?1 AND fingerprint IS NOT ?2
            """, source, fingerprint)
        return isOther == 1
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
            result = ingestion.reconciliation.result
            coverage = ingestion.reconciliation.coverage
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
            try connection.run(sql, now)
        }
    }

    /// The most codes of issues, and the most reasons of refusals, that are stored of a source.
    private static let mostCodes = 100

    /// Counts refused items, in all and for the present poll.
    private func count(_ items: Int, refusedFor reason: String, by source: Int64) throws {
        try connection.run(
            """
            INSERT INTO refusal (source_id, reason, items, last_items, attempt)
            SELECT id, ?2, ?3, ?3, attempts FROM source WHERE id = ?1
              AND ((SELECT count(*) FROM refusal WHERE source_id = ?1) < ?4
                OR EXISTS (SELECT 1 FROM refusal WHERE source_id = ?1 AND reason = ?2))
            ON CONFLICT (source_id, reason) DO UPDATE SET items = items + excluded.items,
              last_items = excluded.last_items + iif(attempt = excluded.attempt, last_items, 0),
              attempt = excluded.attempt
            """, source, reason, items, Self.mostCodes)
    }

    /// Adds issues to those of the present poll, which replace those of the poll before.
    private func store(_ issues: [String: IssueCount], of source: Int64) throws {
        guard !issues.isEmpty else { return }
        try connection.run(
            "DELETE FROM issue WHERE source_id = ?1 AND attempt <> (SELECT attempts FROM source WHERE id = ?1)", source)
        for (code, count) in issues.sorted(by: { $0.key < $1.key }) {
            try connection.run(
                """
                INSERT INTO issue (source_id, code, items, sample, attempt)
                SELECT id, ?2, ?3, ?4, attempts FROM source WHERE id = ?1
                  AND ((SELECT count(*) FROM issue WHERE source_id = ?1) < ?5
                    OR EXISTS (SELECT 1 FROM issue WHERE source_id = ?1 AND code = ?2))
                ON CONFLICT (source_id, code) DO UPDATE SET items = items + excluded.items
                """, source, code, count.items, count.sample, Self.mostCodes)
        }
    }

    /// The most bytes of a URL with its validators. What has longer ones is asked for unconditionally.
    private static let longestValidators = 4096

    private func store(_ validators: Validators, of url: String, source: Int64, step: PollStep) throws {
        let texts = [url, validators.etag ?? "", validators.lastModified ?? ""]
        let isShort = texts.reduce(0) { $0 + $1.utf8.count } <= Self.longestValidators
        guard !validators.isEmpty, isShort else {
            return try connection.run("DELETE FROM validator WHERE source_id = ? AND url = ?", source, url)
        }
        try connection.run(
            """
            INSERT OR REPLACE INTO validator (source_id, url, etag, last_modified, fingerprint, stored_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """, source, url, validators.etag, validators.lastModified, step.fingerprint,
            writer.stamp(step.at.milliseconds, isClockTrusted: step.isClockTrusted))
    }

    private func updateSource(_ source: StoredSource, step: PollStep, result: StepResult) throws {
        let now = step.at.milliseconds
        let isAnswered = step.answer != nil && !result.wasStale
        // Tombstones go thirty days before the last answer, so an untrusted clock must not set it.
        let answered = isAnswered && step.isClockTrusted ? now : nil
        try connection.run(
            """
            UPDATE source SET state = coalesce(?, state), work = ?, last_new_ms = coalesce(?, last_new_ms),
              last_answer_ms = coalesce(?, last_answer_ms), moved_from = coalesce(?, moved_from),
              moved_to = coalesce(?, moved_to), answered = iif(?, attempts, answered)
            WHERE id = ?
            """, StoredJSON.encoded(step.state), StoredJSON.encoded(step.work), result.new > 0 ? now : nil, answered,
            step.moved?.from, step.moved?.to, isAnswered || !step.issues.isEmpty, source.id)
    }

    private func store(_ end: PollEnd, of source: StoredSource, at now: Int64) throws {
        let partialFailures = end.partialFailures.isEmpty ? nil : end.partialFailures
        let shortfalls = end.shortfalls.flatMap { $0.isEmpty ? nil : $0 }
        var failure = end.failure
        failure?.excerpt = nil
        let success = failure == nil ? now : nil
        let failed = failure == nil ? nil : now
        try connection.run(
            """
            UPDATE source SET next_due_ms = ?, due_reason = ?, failures = ?, failing_since_ms = ?,
              partial_failures = ?, shortfalls = iif(?, ?, shortfalls), requested_interval_ms = ?,
              last_success_ms = coalesce(?, last_success_ms),
              last_failure = coalesce(?, last_failure), last_failure_ms = coalesce(?, last_failure_ms), refused_kept = 0,
              failed_polls = failed_polls + ?, poll_ms = poll_ms + ?, received_bytes = received_bytes + ?
            WHERE id = ?
            """, end.nextDue.milliseconds, end.dueReason.rawValue, failure == nil ? 0 : end.failures,
            failed.map { source.failingSince ?? $0 }, StoredJSON.encoded(partialFailures), end.shortfalls != nil,
            StoredJSON.encoded(shortfalls), end.requestedInterval?.milliseconds, success, StoredJSON.encoded(failure),
            failed, failure != nil, end.duration.milliseconds, end.bytes, source.id)
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
        try connection.firstInt64(
            "SELECT reads FROM spend WHERE source_id = ? AND month = ?", source, month) ?? 0
    }

    private func setReads(_ reads: Int64, of source: Int64, in month: String) throws {
        try connection.run(
            "INSERT OR REPLACE INTO spend (source_id, month, reads) VALUES (?, ?, ?)", source, month, reads)
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
