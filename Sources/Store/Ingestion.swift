import Foundation
import Model
import SQLite

/// Applies one answer to the stored events, within the transaction of its step.
///
/// Split by subject: events here, new rows in `Ingestion+Rows`, changed ones in `EventWriting`, two rows of one event
/// in `Ingestion+Merging`, two events of one row in `Ingestion+Splitting`, what providers take back in
/// `Ingestion+Withdrawals`, what complete snapshots no longer show in `Ingestion+Absence`.
final class Ingestion: EventWriting {
    let writer: Writer
    let source: StoredSource
    let filter: Filter
    let fingerprint: String
    /// The step's wall time in milliseconds.
    let now: Int64
    let isClockTrusted: Bool
    var result = StepResult()
    /// The answer's events.
    private(set) var events: [Event] = []
    /// The places of those that count among `events`, by hash of their name.
    private(set) var listed: [UInt64: Int] = [:]
    /// Rows the answer shows, and the place of the event that did so last.
    var shown: [Int64: Int] = [:]
    /// Whether the answer is a list that was made at one time.
    private(set) var isSnapshot = false
    private var topic: String?
    /// Names whose place events of the answer take.
    private var superseded: Set<String> = []
    private var checksTombstones = false
    private var checksWithdrawals = false

    init(_ writer: Writer, source: StoredSource, step: PollStep) {
        self.writer = writer
        self.source = source
        filter = step.filter
        fingerprint = step.fingerprint
        now = step.at.milliseconds
        isClockTrusted = step.isClockTrusted
    }

    var sourceID: Int64 { source.id }

    /// Applies events, then withdrawals, then what the answer proves by what it does not contain.
    func apply(_ answer: FeedAnswer) throws {
        let lastSnapshot = try answer.coverage.flatMap { try self.lastSnapshot(of: $0.provider) }
        if let coverage = answer.coverage, !isNewer(coverage, than: lastSnapshot) {
            result.wasStale = true
            return
        }
        isSnapshot = answer.coverage != nil
        topic = answer.topic
        for issue in answer.issues where issue.costsItem { refuse(issue.reason, times: issue.times) }
        checksTombstones = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM tombstone)") == 1
        checksWithdrawals = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM withdrawal)") == 1
        for withdrawal in answer.withdrawals where !withdrawal.replacements.isEmpty { superseded.insert(withdrawal.id) }
        shown.reserveCapacity(answer.events.count)
        // The same event may occur twice in one document: the version that was touched later counts, of equals the
        // first.
        events = answer.events
        listed.reserveCapacity(events.count)
        for (index, event) in events.enumerated() {
            let name = ContentHash.name(event.id, of: event.provider)
            guard let other = listed.updateValue(index, forKey: name) else { continue }
            if event.version ?? .min <= events[other].version ?? .min { listed[name] = other }
        }
        if listed.count == events.count {
            for index in events.indices { try take(index) }
        } else {
            for index in listed.values.sorted() { try take(index) }
        }
        for withdrawal in answer.withdrawals { try take(withdrawal) }
        if let coverage = answer.coverage { try judge(coverage, after: lastSnapshot) }
        try cover(answer.events)
    }

    /// Counts a refused item.
    func refuse(_ reason: String, times: Int = 1) { result.refused[reason, default: 0] += times }

    // MARK: - One event

    /// - Parameter index: The event's place among `events`.
    private func take(_ index: Int) throws {
        let event = events[index]
        let hash = ContentHash.of(event)
        // The usual case of a poll without news ends here, after two look-ups.
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
                // A topic that lags behind another must not bring the older words back.
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
        let origin = try isSnapshot ? split(event, from: &rows, newNames: &newNames) : nil
        if isSnapshot, rows.count > 1, !newNames.contains(event.id), let own = try load(rows[0]),
            try isOlder(event, than: own)
        {
            // What has been split since is not merged again by an older version.
            rows = [own.id]
        }
        guard let oldest = rows.min() else {
            if origin == nil, let reason = try refusal(of: event) { return refuse(reason) }
            return try add(index, under: newNames, hash: hash, splitFrom: origin)
        }
        let isListedTwice = shown[oldest] != nil
        for row in rows where row != oldest { try merge(row, into: oldest) }
        for name in newNames { try addName(name, of: event.provider, to: oldest) }
        // Words that were deleted under one name are not told under another; no version is newer than such a deletion.
        if !newNames.isEmpty, checksWithdrawals,
            let deletion = try standingWithdrawal(of: event, version: Int64.max), let row = try load(oldest)
        {
            try withdraw(row, by: deletion)
        }
        shown[oldest] = index
        if isListedTwice, rows.count == 1, !newNames.contains(event.id) {
            // One document lists the event under two of its names: the version that was touched later counts.
            let stored = try load(oldest)?.updated
            guard let new = event.updated?.milliseconds, new > (stored ?? .min) else {
                result.unchanged += 1
                return
            }
        }
        try update(oldest, from: event, hash: hash)
    }

    /// Whether a row to which a name leads is another event's, since it goes by none of the event's names: an Update
    /// takes the place of the alerts that it refers to, not of an Update that has taken it before (CAP 1.2 §3.2.1).
    private func isAnothers(_ row: Int64, named name: String, than event: Event) throws -> Bool {
        guard !superseded.isEmpty, Ingestion.families(of: name).contains(where: { superseded.contains($0.name) }),
            let upstreamID = try load(row)?.upstreamID
        else { return false }
        return !event.names.contains(upstreamID)
    }

    /// Whether this topic of the source has said the same last time, whatever another one has said since.
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

    /// The event that has this upstream id.
    func row(named name: String, of provider: String) throws -> Int64? {
        statements.findEvent.bind(provider)
        statements.findEvent.bind(name)
        return try statements.findEvent.firstInt64()
    }

    // MARK: - New

    /// Adds a row for an event that is let in.
    ///
    /// - Parameters:
    ///   - index: The event's place among `events`.
    ///   - names: Those of its names that lead to no row.
    ///   - origin: The row that it has shared; its public id may have led there, and is its own again.
    func add(_ index: Int, under names: [String], hash: Int64, splitFrom origin: Int64?) throws {
        let event = events[index]
        var row = EventRow(event, source: source.id, at: now, isProvisional: !isClockTrusted)
        if checksWithdrawals, let withdrawal = try standingWithdrawal(of: event, version: row.version) {
            row.withdraw(by: withdrawal)
        }
        try insert(&row)
        for name in names { try addName(name, of: event.provider, to: row.id) }
        try setLink(of: row, hash: hash)
        try keep(hash, of: row.id)
        if let origin {
            try shareLinks(of: origin, with: row)
            let delete = try connection.prepare("DELETE FROM merged_event WHERE public_id = ?")
            delete.bind(row.publicID)
            try delete.run()
        }
        shown[row.id] = index
        result.new += 1
        if row.withdrawnReason != nil { result.withdrawn += 1 }
    }

    /// Why a new event is not let in; nil when it is.
    private func refusal(of event: Event) throws -> String? {
        if let reason = filter.refusal(of: event) { return reason }
        let time = event.time?.milliseconds
        // A clock that may be wrong proves no age; only what was truncated before stays out.
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

    /// Whether a tombstone keeps the name out; notes once a day that the feed still lists it.
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
        if !isOlder, !row.isErased { row.update(from: event, source: source.id) }
        let isChanged = try save(&row, replacing: old, as: isRestored ? .restored : .revised)
        if isRestored { try enqueue(row) }
        try setLink(of: row, hash: hash)
        try keep(hash, of: id)
        if isChanged { result.changed += 1 } else { result.unchanged += 1 }
    }

    /// Whether the row says what is newer. Of two versions of one time, one that has been superseded is the older.
    private func isOlder(_ event: Event, than row: EventRow) throws -> Bool {
        guard let new = event.updated?.milliseconds, let stored = row.updated else { return false }
        guard new == stored, event.id != row.upstreamID, !event.aliases.contains(row.upstreamID) else {
            return new < stored
        }
        return try checksWithdrawals && isSuperseded(event.id, of: event.provider)
    }

    /// Whether a cancelled or deleted event stays so although the feed shows it: unless the version shown is newer.
    ///
    /// What was said of an earlier message in the same moment says nothing of the Update that takes its place.
    private func isWithdrawalStanding(_ row: EventRow, against event: Event) -> Bool {
        guard row.withdrawnReason != WithdrawalReason.absent else { return false }
        // Words that a provider has deleted do not come back, whatever the clock says.
        if row.isErased { return true }
        guard let version = event.version, let withdrawn = row.withdrawnAt else { return true }
        return version < withdrawn || version == withdrawn && !event.aliases.contains(row.upstreamID)
    }
}

extension Event {
    /// All its names, the one it goes by first.
    var names: [String] { [id] + aliases }

    /// The provider's time of this version in milliseconds, to tell which of two is newer; nil when it gives none.
    var version: Int64? { updated?.milliseconds ?? time?.milliseconds }
}

/// The words in `withdrawn_reason` beyond `Withdrawal.Reason`.
enum WithdrawalReason {
    /// Missing from complete snapshots.
    static let absent = "absent"
}
