import Model
import Reconciling
import SQLite

/// Applies one answer to the stored events, within the transaction of its step.
///
/// What the answer means is decided by a `Reconciliation`. Here is what is read for it (`Ingestion+Rows`), and what is
/// written (`Ingestion+Writing`; rows in `EventWriting`, two rows of one event in `Ingestion+Merging`, withdrawals and
/// erasure in `Ingestion+Withdrawals`, claims in `Ingestion+Authority`, refused items in `Ingestion+Refusals`).
final class Ingestion: EventWriting {
    let writer: Writer
    let source: StoredSource
    let step: PollStep
    /// The step's wall time in milliseconds.
    let now: Int64
    let reconciliation: Reconciliation
    /// Whether there are tombstones, of any source.
    private(set) var hasTombstones = false
    /// Whether withdrawals are kept, of any source.
    var hasWithdrawals = false
    /// Whether refused items are kept, of any source.
    var hasRefused = false

    init(_ writer: Writer, source: StoredSource, account: SourceAccount, step: PollStep) {
        self.writer = writer
        self.source = source
        self.step = step
        now = step.at.milliseconds
        reconciliation = Reconciliation(
            of: step, source: source.id, horizon: source.horizon, maxAge: source.maxAge, use: account.use)
    }

    var sourceID: Int64 { source.id }

    /// Applies events, then withdrawals, then absence.
    func apply(_ claimed: FeedAnswer) throws {
        let answer = try judged(claimed)
        let last = try answer.coverage.flatMap { try lastSnapshot(of: $0.provider) }
        guard reconciliation.begin(answer, after: last) else { return }
        hasRefused = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM refused_item)") == 1
        hasTombstones = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM tombstone)") == 1
        hasWithdrawals = try connection.firstInt64("SELECT EXISTS (SELECT 1 FROM withdrawal)") == 1
        for index in reconciliation.counting { try take(index) }
        try keepRefused(answer.issues)
        for withdrawal in answer.withdrawals { try write(reconciliation.take(withdrawal, in: self)) }
        try write(reconciliation.end(in: self))
    }

    /// - Parameter index: The event's index in the answer.
    private func take(_ index: Int) throws {
        let event = reconciliation.events[index]
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
            let topic = reconciliation.topic
            if try Sighting.isUnchanged(
                hash, seen: seen, missingSince: missingSince, isPromised: isPromised,
                isKnownInTopic: { try isKnown(hash, in: topic, of: row) })
            {
                // A topic that lags behind another must not bring back the older words.
                if topic != nil, try !isKnown(hash, in: topic, of: row) { try keep(hash, of: row, in: topic) }
                return reconciliation.note(row, shows: index, isUnchanged: true)
            }
            own = row
        }
        var adopted: Int64?
        if let adoption = try reconciliation.adopt(index, in: self) {
            try write(adoption)
            if case .move(let row, _, _) = adoption { adopted = row }
        }
        let found = try reconciliation.find(index, own: own, adopted: adopted, hash: hash, in: self)
        try write(found.mutations)
        guard let row = found.row else { return }
        try write(reconciliation.take(index, hash: hash, on: present(row), found, in: self))
    }

    /// Whether this topic of the source had the same version last time, even if other topics have had another since.
    private func isKnown(_ hash: Int64, in topic: String?, of row: Int64) throws -> Bool {
        guard let topic else { return false }
        return try connection.firstInt64(
            "SELECT seen_hash FROM topic_seen WHERE event_id = ? AND source_id = ? AND topic = ?", row, source.id, topic
        ) == hash
    }
}
