package import Model

/// What it proves that a snapshot does not list an event which its source has promised.
///
/// A source promises an event once it has listed the event itself: its complete snapshots then list it as long as they
/// cover the event's time.
///
/// 1. Only a complete snapshot (`Coverage.window`) proves anything, and only for promised events within its window and of
///    its provider. The caller gives those alone.
/// 2. The first complete snapshot under other settings is a baseline: what it misses is promised no longer.
/// 3. An item that the snapshot has, though unreadable, is there. Otherwise the event is missing from this source, since
///    the first snapshot in a row that missed it.
/// 4. It is gone if no other enabled source that promises it still shows it. A source shows it if it does not miss it
///    and the event's time is not before the begin of its coverage. The end does not matter: it may have listed newer
///    events meanwhile.
/// 5. Gone events are withdrawn at once, but not if they are more than five and more than a tenth of what the window
///    promises: then those alone that an earlier snapshot missed, too.
package struct Absence: Sendable {
    /// How a source shows an event.
    package struct Link: Sendable {
        /// The source.
        package var source: Int64
        /// Whether the source is polled.
        package var isEnabled: Bool
        /// Whether its snapshots promise the event.
        package var isPromised: Bool
        /// Since when its snapshots miss the event; nil: they do not.
        package var missingSince: Int64?
        /// The begin of what its last complete snapshot covers; nil: none has been seen.
        package var coveredFrom: Int64?

        /// Creates a link; times in milliseconds.
        package init(source: Int64, isEnabled: Bool, isPromised: Bool, missingSince: Int64?, coveredFrom: Int64?) {
            self.source = source
            self.isEnabled = isEnabled
            self.isPromised = isPromised
            self.missingSince = missingSince
            self.coveredFrom = coveredFrom
        }
    }

    private let source: Int64
    private let coverage: Coverage
    private let present: Set<String>
    /// How many events the window promises, without those that are no proof.
    private var inside: Int
    private var gone: [(row: EventRow, since: Int64)] = []

    /// Begins to judge a complete snapshot.
    /// - Parameters:
    ///   - source: The source whose snapshot it is.
    ///   - inside: How many events the source promises within the window.
    package init(_ coverage: Coverage, of source: Int64, inside: Int) {
        self.coverage = coverage
        self.source = source
        present = Set(coverage.present)
        self.inside = inside
    }

    /// Judges an event that the source promises and the answer does not show.
    /// - Parameters:
    ///   - row: The event; nil: there is none any more.
    ///   - since: Since when the source misses it.
    ///   - names: All its names.
    ///   - links: How sources show it, those without any coverage may be left out; asked only where they decide.
    /// - Returns: What becomes of the note that the source misses it; nil: it stays as it is.
    package mutating func judge(
        _ row: EventRow?, since: Int64?, names: () throws -> [String], links: () throws -> [Link]
    ) rethrows -> Mutation? {
        guard let row, row.provider == coverage.provider else {
            inside -= 1
            return nil
        }
        if try names().contains(where: present.contains) { return since == nil ? nil : .miss(row.id, since: nil) }
        if row.withdrawnReason != nil {
            inside -= 1
        } else if try Self.isMissingElsewhere(row, than: source, links()) {
            gone.append((row, since ?? generated))
        }
        return since == nil ? .miss(row.id, since: generated) : nil
    }

    /// The events to withdraw, in the order of their judgement, with the time since when they are missing.
    package var proved: [(row: EventRow, since: Int64)] {
        let isMass = gone.count > 5 && gone.count * 10 > inside
        return isMass ? gone.filter { $0.since < generated } : gone
    }

    /// Whether no source but one shows the event. A source also covers events newer than its last snapshot, which it may
    /// have listed since: in an incomplete document, or under a clock by which no snapshot could be judged.
    package static func isMissingElsewhere(_ row: EventRow, than source: Int64, _ links: [Link]) -> Bool {
        !links.contains { link in
            guard link.source != source, link.isEnabled, link.isPromised, link.missingSince == nil,
                let coveredFrom = link.coveredFrom
            else { return false }
            return row.time >= coveredFrom
        }
    }

    /// How an event is withdrawn that is gone.
    /// - Parameters:
    ///   - name: The source whose snapshot proves it.
    ///   - since: The time of the first snapshot that missed it, in milliseconds since 1970.
    package func withdrawal(from name: String, since: Int64) -> StandingWithdrawal {
        let first = type(of: coverage.generated).init(milliseconds: since).rfc3339
        return StandingWithdrawal(
            reason: WithdrawalReason.absent, time: generated,
            evidence: "missing from \(name) since \(first); it may only have fallen below the feed's threshold",
            erases: false)
    }

    private var generated: Int64 { coverage.generated.milliseconds }
}

/// The stored facts of the last snapshot of a source and provider; times in milliseconds since 1970.
///
/// A snapshot replaces them, but an incomplete one not what the last complete one covers. Under other settings than
/// those of the last complete one the next complete one is a baseline, and settles the settings.
package struct LastSnapshot: Sendable, Hashable {
    /// When the provider made it.
    package var generated: Int64
    /// The settings it was taken with.
    package var fingerprint: String
    /// The settings of the last complete one; other settings promise other events.
    package var settledFingerprint: String
    /// The begin of what is covered; nil: none was complete.
    package var from: Int64?
    /// The end of what is covered; nil: none was complete.
    package var to: Int64?

    /// Creates the facts of a snapshot; by default none was complete.
    package init(
        generated: Int64, fingerprint: String, settledFingerprint: String, from: Int64? = nil, to: Int64? = nil
    ) {
        self.generated = generated
        self.fingerprint = fingerprint
        self.settledFingerprint = settledFingerprint
        self.from = from
        self.to = to
    }

    /// The facts after a snapshot.
    /// - Parameters:
    ///   - last: The facts before it; nil: it is the first.
    ///   - isWaiting: Whether some of its items wait, so that the same snapshot must be news again.
    package init(_ coverage: Coverage, after last: LastSnapshot?, under fingerprint: String, isWaiting: Bool) {
        generated = coverage.generated.milliseconds - (isWaiting ? 1 : 0)
        self.fingerprint = fingerprint
        let isSettled = coverage.window != nil || !Self.isBaseline(after: last, under: fingerprint)
        settledFingerprint = isSettled ? fingerprint : last?.settledFingerprint ?? fingerprint
        from = coverage.window?.lowerBound.milliseconds ?? last?.from
        to = coverage.window?.upperBound.milliseconds ?? last?.to
    }

    /// Whether a complete snapshot taken with these settings is a baseline, since other events were promised before.
    package static func isBaseline(after last: LastSnapshot?, under fingerprint: String) -> Bool {
        last.map { $0.settledFingerprint != fingerprint } ?? false
    }
}
