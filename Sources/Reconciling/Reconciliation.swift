package import Model

/// What an answer means for the record, decided item by item; the store writes what each item means before the next.
///
/// 1. A snapshot that is no news (`Document`) means nothing.
/// 2. Each event that counts is taken in the document's order. If the source shows it as before, nothing is written
///    (`Sighting`). Otherwise its rows are found and become one (`adopt`: `Claims`; `find`: `Matching`, `Splitting`,
///    `Merging`), or it is refused or added (`Acceptance`, `Budget`). Then that row takes the version (`take`:
///    `Revising`).
/// 3. Words deleted under one name do not return under another: an event that gets new names is withdrawn if one of
///    them was deleted.
/// 4. Withdrawals come after the events (`Withdrawing`), and the proof of absence after the withdrawals (`Absence`).
/// 5. What is over budget waits, is counted as refused, and keeps the snapshot from counting as seen.
package final class Reconciliation {
    /// What has been decided so far.
    package var result = StepResult()
    /// The answer's claims; nil: whatever it claims holds.
    package var claims: Claims?
    /// The answer's events, with all their names.
    package private(set) var events: [Event] = []
    /// The topic of the source that the answer is of; nil: the source has none.
    package private(set) var topic: String?
    /// What absence from the answer proves; nil: nothing.
    package private(set) var coverage: Coverage?
    /// The first hundred events that were refused, with the reasons.
    package private(set) var refused: [(event: Event, reason: String)] = []
    let step: PollStep
    let source: Int64
    let now: Int64
    /// The facts of the snapshot before.
    private(set) var lastSnapshot: LastSnapshot?
    /// The indexes of the events that count, by the hash of their names.
    private(set) var listed: [UInt64: Int] = [:]
    /// The rows that the answer shows, with the index of the last event that showed each.
    private(set) var shown: [Int64: Int] = [:]
    /// Whether words have been erased.
    var hasErased = false
    private let horizon: Int64?
    private let maxAge: Int64
    private let use: SourceUse
    /// Names of events that the answer's events replace.
    private var superseded: Set<String> = []

    /// Prepares for the answer of a step.
    /// - Parameters:
    ///   - source: The source's number.
    ///   - horizon: The time before which its events have been truncated; nil: none have.
    ///   - maxAge: The age at which its events expire.
    ///   - use: What it had used of its budget before the transaction.
    package init(of step: PollStep, source: Int64, horizon: Int64?, maxAge: Int64, use: SourceUse) {
        self.step = step
        self.source = source
        self.horizon = horizon
        self.maxAge = maxAge
        self.use = use
        now = step.at.milliseconds
    }

    /// Begins with an answer whose claims have been judged; false: it is no news.
    /// - Parameter last: The facts of the last snapshot of its provider; nil: there was none.
    package func begin(_ answer: FeedAnswer, after last: LastSnapshot?) -> Bool {
        if let coverage = answer.coverage, !Document.isNews(coverage, after: last, under: step.fingerprint) {
            result.wasStale = true
            return false
        }
        (coverage, lastSnapshot, topic) = (answer.coverage, last, answer.topic)
        result.count(answer.issues)
        for withdrawal in answer.withdrawals where !withdrawal.replacements.isEmpty { superseded.insert(withdrawal.id) }
        shown.reserveCapacity(answer.events.count)
        events = answer.events
        listed = Document.join(&events)
        return true
    }

    /// The indexes of the events that count, in order.
    package var counting: [Int] { listed.count == events.count ? Array(events.indices) : listed.values.sorted() }

    // MARK: - Budget

    private func hasRoom(for thing: Budget.Thing, in rows: some Rows) -> Bool {
        Budget.hasRoom(for: thing, in: use, grown: rows.grown, isPaid: step.isPaid, now: now)
    }

    /// Whether something may be stored; otherwise it waits.
    func mayStore(_ thing: Budget.Thing, in rows: some Rows) -> Bool {
        if hasRoom(for: thing, in: rows) { return true }
        result.refused[StepResult.overBudget, default: 0] += 1
        return false
    }

    // MARK: - Events

    /// What is written to find the row of an event.
    package struct Found: Sendable {
        /// What is written.
        package fileprivate(set) var mutations: [Mutation] = []
        /// The row that takes the version afterwards; nil: none does.
        package fileprivate(set) var row: Int64?
        fileprivate var match = Matching.Match()
        fileprivate var isListedTwice = false
        fileprivate var deletion: StandingWithdrawal?
    }

    /// Notes that a row shows an event of the answer: a new one, or one that is as before.
    package func note(_ row: Int64, shows index: Int, isUnchanged: Bool) {
        shown[row] = index
        if isUnchanged { result.unchanged += 1 }
    }

    /// What becomes of the row that an event has under the identity which is not in force; nil: nothing.
    package func adopt(_ index: Int, in rows: some Rows) throws -> Mutation? {
        guard let claims, hasRoom(for: .known, in: rows), let other = claims.otherName(of: events[index]),
            let row = try rows.row(named: other.id, of: other.provider)
        else { return nil }
        return switch claims.adoption(for: events[index], by: source, links: try rows.sources(of: row)) {
        case .stays: nil
        case .moves: .move(row, to: events[index].provider, id: events[index].id)
        case .unlinks: .unlink(row)
        }
    }

    /// Finds the row of an event that its source does not show as before.
    /// - Parameters:
    ///   - index: The index in `events`.
    ///   - own: The row of the event's id; nil: there is none.
    ///   - adopted: The row that has moved to the event's identity; nil: none has.
    ///   - hash: The event's hash (`ContentHash.of`).
    package func find(
        _ index: Int, own: Int64?, adopted: Int64?, hash: Int64, in rows: some Rows
    ) throws -> Found {
        let event = events[index]
        var found = Found()
        var match = try Matching.match(
            event, own: own, superseded: superseded, row: { try rows.row(named: $0, of: event.provider) },
            shownName: { try rows.load($0)?.upstreamID })
        if adopted == nil, !match.rows.isEmpty, !mayStore(.known, in: rows) {
            for row in match.rows { shown[row] = index }
            return found
        }
        if let adopted, !match.rows.contains(adopted) { match.rows.append(adopted) }
        let origin = try coverage == nil ? nil : split(event, from: &match, in: rows, into: &found.mutations)
        let mergesNothing = try Matching.mergesNothing(
            event, match, isSnapshot: coverage != nil, own: rows.load,
            isSuperseded: { try isSuperseded(event, in: rows) })
        if mergesNothing { match.rows = [match.rows[0]] }
        guard let oldest = match.oldest else {
            guard try origin != nil || accepts(event, in: rows, touching: &found.mutations) else { return found }
            found.mutations.append(try add(index, under: match.newNames, hash: hash, splitFrom: origin, in: rows))
            return found
        }
        for row in match.rows where row != oldest { found.mutations.append(.merge(row, into: oldest)) }
        result.merged += match.rows.count - 1
        if !match.newNames.isEmpty {
            found.mutations.append(.name(oldest, match.newNames, of: event.provider))
            // No version is newer than a deletion.
            found.deletion = try withdrawal(of: event, version: Int64.max, in: rows)
        }
        (found.row, found.match, found.isListedTwice) = (oldest, match, shown[oldest] != nil)
        shown[oldest] = index
        return found
    }

    /// Separates an event from others that share the rows of its names, which become its own names, or the other's.
    /// - Returns: The row from which the event was split; nil: it was not.
    private func split(
        _ event: Event, from match: inout Matching.Match, in rows: some Rows, into mutations: inout [Mutation]
    ) throws -> Int64? {
        var origin: Int64?
        for row in match.rows {
            let (name, updated) = try rows.version(of: row)
            let leaving = Splitting.split(event, name: name, updated: updated, shown: shown[row], events: events) {
                listed[ContentHash.name($0, of: event.provider)]
            }
            guard let leaving else { continue }
            let one = if case .other(let index) = leaving { events[index] } else { event }
            let names = try one.names.filter { try rows.row(named: $0, of: one.provider) == row }
            mutations.append(.unname(row, names, of: one.provider))
            switch leaving {
            case .other(let index):
                shown[row] = nil
                mutations.append(
                    try add(index, under: names, hash: ContentHash.of(one), splitFrom: row, in: rows))
            case .event:
                match.newNames += names
                match.rows.removeAll { $0 == row }
                origin = row
            }
        }
        return origin
    }

    /// Whether a new event may be stored.
    private func accepts(
        _ event: Event, in rows: some Rows, touching mutations: inout [Mutation]
    ) throws -> Bool {
        let reason = try Acceptance.refusal(
            of: event, by: step.filter, horizon: horizon, maxAge: maxAge, at: now, isClockTrusted: step.isClockTrusted
        ) { name in
            guard let listed = try rows.tombstone(of: name, by: event.provider) else { return false }
            if Acceptance.renews(listed, at: now) { mutations.append(.touch(name, of: event.provider)) }
            return true
        }
        guard let reason else { return mayStore(.new, in: rows) }
        result.refused[reason, default: 0] += 1
        if refused.count < Refusals.most { refused.append((event, reason)) }
        return false
    }

    private func add(
        _ index: Int, under names: [String], hash: Int64, splitFrom origin: Int64?, in rows: some Rows
    ) throws -> Mutation {
        var row = EventRow(events[index], source: source, at: now, isProvisional: !step.isClockTrusted)
        result.new += 1
        if let withdrawal = try withdrawal(of: events[index], version: row.version, in: rows) {
            row.withdraw(by: withdrawal)
            result.withdrawn += 1
        }
        return .add(row, index: index, names: names, hash: hash, splitFrom: origin)
    }

    /// Has the row that was found take the version of an event.
    /// - Parameter row: The row, after what `found` writes.
    package func take(
        _ index: Int, hash: Int64, on row: EventRow, _ found: Found, in rows: some Rows
    ) throws -> [Mutation] {
        let event = events[index]
        var row = row
        var mutations: [Mutation] = []
        if let deletion = found.deletion {
            mutations = withdraw(row, by: deletion)
            row.withdraw(by: deletion)
        }
        guard Matching.counts(event, found.match, isListedTwice: found.isListedTwice, stored: { row }) else {
            result.unchanged += 1
            return mutations
        }
        let taken = try Revising.take(
            event, on: row, from: source, isSuperseded: { try isSuperseded(event, in: rows) },
            correction: { try rows.correction(of: row.publicID, isGone: false) })
        if let correction = taken.correction {
            mutations.append(.keepFeedPlace(correction.feedPlace, of: row.publicID))
        }
        let replacement = Replacement(of: row, by: taken.row, as: taken.kind, at: now)
        if let replacement { mutations.append(.revise(replacement)) }
        mutations.append(.show(row.id, time: taken.row.time, hash: hash))
        if replacement?.previous == nil { result.unchanged += 1 } else { result.changed += 1 }
        return mutations
    }

    // MARK: - Kept withdrawals

    /// The kept withdrawal that applies to an event of the answer (`Acceptance`); nil: there is none.
    package func withdrawal(of event: Event, version: Int64?, in rows: some Rows) throws -> StandingWithdrawal? {
        try Acceptance.withdrawal(of: event, version: version) { try rows.withdrawal(of: $0, by: event.provider) }
    }

    /// Whether other events have replaced the event's name.
    private func isSuperseded(_ event: Event, in rows: some Rows) throws -> Bool {
        try Withdrawing.isSuperseded(event.id) { try rows.withdrawal(of: $0, by: event.provider) }
    }
}
