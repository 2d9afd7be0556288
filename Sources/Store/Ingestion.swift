import Foundation
import Model
import Reconciling
import SQLite

/// Applies one answer to the stored events, within the transaction of its step.
///
/// The subjects are split: events here, new rows in `Ingestion+Rows`, changed rows in `EventWriting`, two rows of one
/// event in `Ingestion+Merging`, two events in one row in `Ingestion+Splitting`, withdrawals by providers in
/// `Ingestion+Withdrawals`, absence from complete snapshots in `Ingestion+Absence`, claims in `Ingestion+Authority`,
/// the source's budget in `Ingestion+Budget`, what is kept of refused items in `Ingestion+Refusals`.
final class Ingestion: EventWriting {
    let writer: Writer
    let source: StoredSource
    let account: SourceAccount
    let step: PollStep
    let filter: Filter
    let fingerprint: String
    /// For whom the source may speak; nil: for everyone.
    let authority: Authority?
    /// The providers that events under the source's own identity claim, by their ids.
    var claims: [String: String] = [:]
    /// The step's wall time in milliseconds.
    let now: Int64
    let isClockTrusted: Bool
    var result = StepResult()
    private(set) var events: [Event] = []
    /// Indexes in `events` of the versions that count, by the hash of the event's name.
    private(set) var listed: [UInt64: Int] = [:]
    /// The rows that the answer shows, with the index in `events` of the last event that showed each.
    var shown: [Int64: Int] = [:]
    /// Whether the answer is a list made at one time.
    private(set) var isSnapshot = false
    private var topic: String?
    /// Names of events that the answer's events replace.
    private var superseded: Set<String> = []
    private var checksTombstones = false
    private(set) var checksWithdrawals = false
    /// Whether refused items are kept, of any source.
    var hasRefused = false
    /// Whether the answer has erased words.
    var hasErased = false
    /// The answer's refused items, the first hundred, with the reasons.
    var refusedItems: [(event: Event, reason: String)] = []

    init(_ writer: Writer, source: StoredSource, account: SourceAccount, step: PollStep) {
        self.writer = writer
        self.source = source
        self.account = account
        self.step = step
        filter = step.filter
        fingerprint = step.fingerprint
        authority = step.authority
        now = step.at.milliseconds
        isClockTrusted = step.isClockTrusted
    }

    var sourceID: Int64 { source.id }

    /// Applies events, then withdrawals, then absence.
    func apply(_ claimed: FeedAnswer) throws {
        let answer = try judged(claimed)
        let lastSnapshot = try answer.coverage.flatMap { try self.lastSnapshot(of: $0.provider) }
        if let coverage = answer.coverage, !Document.isNews(coverage, after: lastSnapshot, under: fingerprint) {
            result.wasStale = true
            return
        }
        isSnapshot = answer.coverage != nil
        topic = answer.topic
        result.count(answer.issues)
        hasRefused = try hasRefusedItems()
        checksTombstones = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM tombstone)") == 1
        checksWithdrawals = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM withdrawal)") == 1
        for withdrawal in answer.withdrawals where !withdrawal.replacements.isEmpty { superseded.insert(withdrawal.id) }
        shown.reserveCapacity(answer.events.count)
        events = answer.events
        listed = Document.join(&events)
        if listed.count == events.count {
            for index in events.indices { try take(index) }
        } else {
            for index in listed.values.sorted() { try take(index) }
        }
        try keepRefused(answer.issues)
        for withdrawal in answer.withdrawals { try take(withdrawal) }
        if let coverage = answer.coverage { try judge(coverage, after: lastSnapshot) }
        try cover(answer.events)
    }

    func refuse(_ reason: String) { result.refused[reason, default: 0] += 1 }

    // MARK: - One event

    /// - Parameter index: The event's index in `events`.
    private func take(_ index: Int) throws {
        let event = events[index]
        let hash = ContentHash.of(event)
        // An unchanged event ends here, after two look-ups.
        let find = statements.findLink
        find.bind(event.provider)
        find.bind(event.id)
        find.bind(source.id)
        var rows: [Int64] = []
        var newNames: [String] = []
        if try find.step() {
            let (row, seen, isMissing) = (find.int64(0), find.optionalInt64(1), !find.isNull(2))
            find.reset()
            if let seen, seen != ContentHash.ofNothing, !isMissing,
                try seen == hash || isKnown(hash, in: topic, of: row)
            {
                // A topic that lags behind another must not bring back the older words.
                if topic != nil, try !isKnown(hash, in: topic, of: row) { try keep(hash, of: row) }
                shown[row] = index
                result.unchanged += 1
                return
            }
            rows.append(row)
        } else {
            newNames.append(event.id)
        }
        for name in event.aliases {
            if let row = try self.row(named: name, of: event.provider) {
                if try !rows.contains(row) && !isAnothers(row, named: name, than: event) { rows.append(row) }
            } else {
                newNames.append(name)
            }
        }
        if !rows.isEmpty, !hasReserve() {
            for row in rows { shown[row] = index }
            return
        }
        if use.hasReserve, let row = try adopted(event), !rows.contains(row) { rows.append(row) }
        let origin = try isSnapshot ? split(event, from: &rows, newNames: &newNames) : nil
        if isSnapshot, rows.count > 1, !newNames.contains(event.id), let own = try load(rows[0]),
            try isOlder(event, than: own)
        {
            // An older version does not merge events that have been split since.
            rows = [own.id]
        }
        guard let oldest = rows.min() else {
            if origin == nil {
                if let reason = try refusal(of: event) { return refuse(event, because: reason) }
                guard hasRoom() else { return }
            }
            return try add(index, under: newNames, hash: hash, splitFrom: origin)
        }
        let isListedTwice = shown[oldest] != nil
        for row in rows where row != oldest { try merge(row, into: oldest) }
        try grow(oldest, by: addNames(newNames, of: event.provider, to: oldest))
        try Correcting(writer: writer, now: now).restore(under: newNames, of: event.provider, on: oldest)
        // Words deleted under one name must not return under another. No version is newer than a deletion.
        if !newNames.isEmpty, checksWithdrawals,
            let deletion = try standingWithdrawal(of: event, version: Int64.max), let row = try load(oldest)
        {
            try withdraw(row, by: deletion)
        }
        shown[oldest] = index
        if isListedTwice, rows.count == 1, !newNames.contains(event.id) {
            // A document lists the event under two of its names: the version updated later counts.
            let stored = try load(oldest)?.updated
            guard let new = event.updated?.milliseconds, new > (stored ?? .min) else {
                result.unchanged += 1
                return
            }
        }
        try update(oldest, from: event, hash: hash)
    }

    /// Whether a name leads to the row of another event, which shows none of this event's names. An Update replaces the
    /// alerts that it refers to, but not another Update that replaced them before (CAP 1.2 §3.2.1).
    private func isAnothers(_ row: Int64, named name: String, than event: Event) throws -> Bool {
        guard !superseded.isEmpty, Withdrawing.families(of: name).contains(where: { superseded.contains($0.name) }),
            let upstreamID = try load(row)?.upstreamID
        else { return false }
        return !event.names.contains(upstreamID)
    }

    /// Whether this topic of the source had the same version last time, even if other topics have had another since.
    private func isKnown(_ hash: Int64, in topic: String?, of row: Int64) throws -> Bool {
        guard let topic else { return false }
        let find = try connection.prepare(
            "SELECT seen_hash FROM topic_seen WHERE event_id = ? AND source_id = ? AND topic = ?")
        find.bind(row)
        find.bind(source.id)
        find.bind(topic)
        return try find.firstInt64() == hash
    }

    private func keep(_ hash: Int64, of row: Int64) throws {
        guard let topic else { return }
        let upsert = try connection.prepare(
            "INSERT OR REPLACE INTO topic_seen (event_id, source_id, topic, seen_hash) VALUES (?, ?, ?, ?)")
        upsert.bind(row)
        upsert.bind(source.id)
        upsert.bind(topic)
        upsert.bind(hash)
        try upsert.run()
    }

    /// The row of the event with this upstream id; nil if there is none.
    func row(named name: String, of provider: String) throws -> Int64? {
        statements.findEvent.bind(provider)
        statements.findEvent.bind(name)
        return try statements.findEvent.firstInt64()
    }

    // MARK: - New

    /// Adds a row for an accepted event.
    ///
    /// - Parameters:
    ///   - index: The event's index in `events`.
    ///   - names: The event's names that have no row.
    ///   - origin: The row that the event shared; its public id may have led there and becomes its own again.
    func add(_ index: Int, under names: [String], hash: Int64, splitFrom origin: Int64?) throws {
        let event = events[index]
        var row = EventRow(event, source: source.id, at: now, isProvisional: !isClockTrusted)
        if checksWithdrawals, let withdrawal = try standingWithdrawal(of: event, version: row.version) {
            row.withdraw(by: withdrawal)
        }
        try insert(&row)
        try addShare(of: row, under: names)
        try setLink(of: row, hash: hash)
        try keep(hash, of: row.id)
        if let origin {
            try shareLinks(of: origin, with: row)
            let delete = try connection.prepare("DELETE FROM merged_event WHERE public_id = ?")
            delete.bind(row.publicID)
            try delete.run()
        }
        try Correcting(writer: writer, now: now).restore(under: event.names, of: event.provider, on: row.id)
        shown[row.id] = index
        result.new += 1
        if row.withdrawnReason != nil { result.withdrawn += 1 }
    }

    /// Why a new event is not accepted; nil if it is.
    private func refusal(of event: Event) throws -> String? {
        if let reason = filter.refusal(of: event) { return reason }
        let time = event.time?.milliseconds
        // An untrusted clock proves no age, so only events truncated before stay out.
        if let base = isClockTrusted ? min(time ?? now, now) : time {
            if let horizon = source.horizon, base < horizon { return "truncated" }
            if isClockTrusted, base < now - source.maxAge { return "expired" }
        }
        guard checksTombstones else { return nil }
        for name in event.names {
            if try isTruncated(name, of: event.provider) { return "truncated" }
        }
        return nil
    }

    /// Whether a tombstone keeps the name out. Updates once a day when the feed last listed it.
    private func isTruncated(_ name: String, of provider: String) throws -> Bool {
        let find = statements.findTombstone
        find.bind(provider)
        find.bind(name)
        guard let listed = try find.firstInt64() else { return false }
        if now - listed > Truncation.day {
            let touch = try connection.prepare(
                "UPDATE tombstone SET listed_ms = ? WHERE provider = ? AND upstream_id = ?")
            touch.bind(now)
            touch.bind(provider)
            touch.bind(name)
            try touch.run()
        }
        return true
    }

    // MARK: - Known

    private func update(_ id: Int64, from event: Event, hash: Int64) throws {
        guard let old = try load(id) else { throw StoreError(.corrupt, "An upstream id leads to no event") }
        var row = old
        let isOlder = try isOlder(event, than: old)
        let isRestored = old.withdrawnReason != nil && !isWithdrawalStanding(old, against: event)
        if isRestored {
            (row.withdrawnReason, row.withdrawnAt, row.withdrawnEvidence) = (nil, nil, nil)
            row.isErased = false
        }
        if !isOlder, !row.isErased { try revise(&row, from: event, source: source.id) }
        let isChanged = try save(&row, replacing: old, as: isRestored ? .restored : .revised)
        if isRestored { try enqueue(row) }
        try setLink(of: row, hash: hash)
        try keep(hash, of: id)
        if isChanged { result.changed += 1 } else { result.unchanged += 1 }
    }

    /// Whether the event is older than the row. Of two versions with the same time, the superseded one is older.
    private func isOlder(_ event: Event, than row: EventRow) throws -> Bool {
        guard let new = event.updated?.milliseconds, let stored = row.updated else { return false }
        guard new == stored, event.id != row.upstreamID, !event.aliases.contains(row.upstreamID) else {
            return new < stored
        }
        return try checksWithdrawals && isSuperseded(event.id, of: event.provider)
    }

    /// Whether a withdrawal stands although the feed shows the event; it ends when the shown version is newer.
    ///
    /// A withdrawal with the time of an Update concerns the message that the Update replaces, not the Update.
    private func isWithdrawalStanding(_ row: EventRow, against event: Event) -> Bool {
        guard row.withdrawnReason != WithdrawalReason.absent else { return false }
        // Words that a provider has deleted never come back, whatever the clock says.
        if row.isErased { return true }
        guard let version = event.version, let withdrawn = row.withdrawnAt else { return true }
        return version < withdrawn || version == withdrawn && !event.aliases.contains(row.upstreamID)
    }
}
