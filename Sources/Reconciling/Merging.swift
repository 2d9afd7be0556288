import Model

/// What becomes of two rows of one event.
///
/// 1. The older row, which was stored first, stays with its public id and what it shows. The younger's names, links,
///    revisions and public id lead to it.
/// 2. It has the earlier first sight, provisional only if both are.
/// 3. The younger's revisions follow its own, with the same gaps; number 1 is the creation and no revision. The merge is
///    one more, under which the store keeps the younger's last state.
/// 4. If the provider has deleted the words of one, the words of both are erased.
package struct Merging: Sendable {
    /// The row that stays, still without the number of the change.
    package var row: EventRow
    /// What is added to the numbers of the younger's revisions.
    package let shift: Int64
    /// The old values of the merge's revision, as the text of a JSON object.
    package let previous: String
    /// The deletion that both rows come under; nil: neither was deleted.
    package let deletion: StandingWithdrawal?

    /// Merges a row into an older one.
    package init(_ younger: EventRow, into older: EventRow, at now: Int64) {
        row = older
        row.firstSeen = min(older.firstSeen, younger.firstSeen)
        row.isFirstSeenProvisional = older.isFirstSeenProvisional && younger.isFirstSeenProvisional
        row.lastChanged = now
        row.revision += younger.revision
        shift = older.revision - 1
        let sight = row.firstSeen == older.firstSeen ? "" : ",\"first_seen_ms\":\(older.firstSeen)"
        previous = "{\"merged_public_id\":\(younger.publicID.jsonQuoted)\(sight)}"
        deletion = [older, younger].first(where: \.isErased).map {
            StandingWithdrawal(
                reason: $0.withdrawnReason ?? Withdrawal.Reason.deleted.rawValue, time: $0.withdrawnAt ?? now,
                evidence: $0.withdrawnEvidence ?? "", erases: true)
        }
    }
}
