package import Model

/// What is to be written because of an answer. Rows are known by their ids; "the source" is the one that answered.
///
/// The store writes mutations in their order. Change numbers, public ids and the ids of new rows are its own, and so is
/// the upkeep of indexes and counts.
package enum Mutation: Sendable {
    // MARK: - Events

    /// Adds the row of an event of the answer under names that lead to no row. If it is split from another one, all
    /// sources of that one show it, too.
    indirect case add(EventRow, index: Int, names: [String], hash: Int64, splitFrom: Int64?)
    /// Replaces a row.
    indirect case revise(Replacement)
    /// Merges a row into an older one (`Merging`).
    case merge(Int64, into: Int64)
    /// Gives a row another provider and id, and takes away its names.
    case move(Int64, to: String, id: String)
    /// Gives a row names of a provider, which lead to no row, and the correction that waits under one of them.
    case name(Int64, [String], of: String)
    /// Takes names of a provider from a row.
    case unname(Int64, [String], of: String)

    // MARK: - Links

    /// The source shows the row in the version with this hash, and misses it no longer.
    case show(Int64, time: Int64, hash: Int64)
    /// The source misses the row since this time; nil: it does not.
    case miss(Int64, since: Int64?)
    /// The source promises the row no longer.
    case unpromise(Int64)
    /// The source shows the row no longer.
    case unlink(Int64)
    /// The next listing by any source counts as another version.
    case renewLinks(Int64)

    /// Keeps the place by the feed beneath the correction of a public id.
    indirect case keepFeedPlace(Location?, of: String)

    // MARK: - Withdrawals

    /// Keeps a withdrawal for events that come later.
    indirect case keep(StoredWithdrawal, of: Withdrawal)
    /// Erases the services' answers about the words of a row, and the correction of its place.
    indirect case eraseAnswers(EventRow)
    /// Erases the words of a row in revisions and failed bodies.
    indirect case eraseTraces(EventRow)
    /// Erases what a deletion names among the refused items and the waiting corrections; `samples`: and what sources of
    /// this kind have shown without an id.
    indirect case eraseWaiting(Withdrawal, samples: Bool)

    // MARK: - The source

    /// Keeps the facts of a snapshot of a provider.
    indirect case cover(LastSnapshot, of: String)
    /// Extends what is covered back to a time.
    case widen(Int64)
    /// Notes that the feed lists the event of a tombstone still.
    case touch(String, of: String)
}
