import Foundation
import Model
import Reconciling
import SQLite

/// Applies one answer to the stored events, within the transaction of its step.
///
/// What it means is decided in `Reconciling`; here is what is read for it, and in which order it is written. The
/// subjects are split: events here, new rows in `Ingestion+Rows`, changed rows in `EventWriting`, two rows of one
/// event in `Ingestion+Merging`, two events in one row in `Ingestion+Splitting`, withdrawals by providers in
/// `Ingestion+Withdrawals`, absence from complete snapshots in `Ingestion+Absence`, claims in `Ingestion+Authority`,
/// the source's budget in `Ingestion+Budget`, what is kept of refused items in `Ingestion+Refusals`.
final class Ingestion: EventWriting {
    let writer: Writer
    let source: StoredSource
    let account: SourceAccount
    let step: PollStep
    let bounds: Acceptance.Bounds
    let fingerprint: String
    /// For whom the source may speak; nil: for everyone.
    let authority: Authority?
    /// What the answer claims; nil: whatever it does holds.
    var claims: Claims?
    /// The step's wall time in milliseconds.
    let now: Int64
    let isClockTrusted: Bool
    var result = StepResult()
    private(set) var events: [Event] = []
    /// Indexes in `events` of the versions that count, by the hash of the event's name.
    private(set) var listed: [UInt64: Int] = [:]
    /// The rows that the answer shows, with the index in `events` of the last event that showed each.
    var shown: [Int64: Int] = [:]
    /// What absence from the answer proves; nil: nothing.
    private(set) var coverage: Coverage?
    /// Whether the answer is a list made at one time.
    var isSnapshot: Bool { coverage != nil }
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
        fingerprint = step.fingerprint
        authority = step.authority
        now = step.at.milliseconds
        isClockTrusted = step.isClockTrusted
        bounds = Acceptance.Bounds(
            filter: step.filter, horizon: source.horizon, maxAge: source.maxAge, now: now,
            isClockTrusted: isClockTrusted)
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
        coverage = answer.coverage
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
        var own: Int64?
        if try find.step() {
            let row = find.int64(0)
            let (seen, missingSince, isPromised) = (find.optionalInt64(1), find.optionalInt64(2), find.int64(3) != 0)
            find.reset()
            if try Sighting.isUnchanged(
                hash, seen: seen, missingSince: missingSince, isPromised: isPromised,
                isKnownInTopic: { try isKnown(hash, in: topic, of: row) })
            {
                // A topic that lags behind another must not bring back the older words.
                if topic != nil, try !isKnown(hash, in: topic, of: row) { try keep(hash, of: row) }
                shown[row] = index
                result.unchanged += 1
                return
            }
            own = row
        }
        var match = try Matching.match(
            event, own: own, superseded: superseded, row: { try self.row(named: $0, of: event.provider) },
            shownName: { try load($0)?.upstreamID })
        if !match.rows.isEmpty, !mayStore(.known) {
            for row in match.rows { shown[row] = index }
            return
        }
        if hasRoom(for: .known), let row = try adopted(event), !match.rows.contains(row) { match.rows.append(row) }
        let origin = try isSnapshot ? split(event, from: &match) : nil
        let mergesNothing = try Matching.mergesNothing(
            event, match, isSnapshot: isSnapshot, own: load, isSuperseded: { try isSuperseded(event) })
        if mergesNothing { match.rows = [match.rows[0]] }
        guard let oldest = match.oldest else {
            if origin == nil {
                if let reason = try refusal(of: event) { return refuse(event, because: reason) }
                guard mayStore(.new) else { return }
            }
            return try add(index, under: match.newNames, hash: hash, splitFrom: origin)
        }
        let isListedTwice = shown[oldest] != nil
        for row in match.rows where row != oldest { try merge(row, into: oldest) }
        try grow(oldest, by: addNames(match.newNames, of: event.provider, to: oldest))
        try Correcting(writer: writer, now: now).restore(under: match.newNames, of: event.provider, on: oldest)
        // Words deleted under one name must not return under another. No version is newer than a deletion.
        if !match.newNames.isEmpty, checksWithdrawals,
            let deletion = try standingWithdrawal(of: event, version: Int64.max), let row = try load(oldest)
        {
            try withdraw(row, by: deletion)
        }
        shown[oldest] = index
        let counts = try Matching.counts(event, match, isListedTwice: isListedTwice, stored: { try load(oldest) })
        guard counts else {
            result.unchanged += 1
            return
        }
        try update(oldest, from: event, hash: hash)
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
        try connection.run(
            "INSERT OR REPLACE INTO topic_seen (event_id, source_id, topic, seen_hash) VALUES (?, ?, ?, ?)", row,
            source.id, topic, hash)
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
            try connection.run("DELETE FROM merged_event WHERE public_id = ?", row.publicID)
        }
        try Correcting(writer: writer, now: now).restore(under: event.names, of: event.provider, on: row.id)
        shown[row.id] = index
        result.new += 1
        if row.withdrawnReason != nil { result.withdrawn += 1 }
    }

    /// Why a new event is not accepted; nil if it is.
    private func refusal(of event: Event) throws -> String? {
        try Acceptance.refusal(of: event, by: bounds) {
            try checksTombstones && isTruncated($0, of: event.provider)
        }
    }

    /// Whether a tombstone keeps the name out. Updates once a day when the feed last listed it.
    private func isTruncated(_ name: String, of provider: String) throws -> Bool {
        let find = statements.findTombstone
        find.bind(provider)
        find.bind(name)
        guard let listed = try find.firstInt64() else { return false }
        if Acceptance.renews(listed, at: now) {
            try connection.run(
                "UPDATE tombstone SET listed_ms = ? WHERE provider = ? AND upstream_id = ?", now, provider, name)
        }
        return true
    }

    // MARK: - Known

    private func update(_ id: Int64, from event: Event, hash: Int64) throws {
        guard let old = try load(id) else { throw StoreError(.corrupt, "An upstream id leads to no event") }
        var taken = try Revising.take(
            event, on: old, from: source.id, isSuperseded: { try isSuperseded(event) },
            correction: { try correction(of: old.publicID) })
        if let correction = taken.correction { try keepFeedPlace(correction.feedPlace, of: old.publicID) }
        let isChanged = try save(&taken.row, replacing: old, as: taken.kind)
        if taken.kind == .restored { try enqueue(taken.row) }
        try setLink(of: taken.row, hash: hash)
        try keep(hash, of: id)
        if isChanged { result.changed += 1 } else { result.unchanged += 1 }
    }

    /// Whether other events have replaced the event's name.
    private func isSuperseded(_ event: Event) throws -> Bool {
        try checksWithdrawals && isSuperseded(event.id, of: event.provider)
    }
}
