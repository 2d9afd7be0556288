package import Model

/// What may be stored of a source; what may not, waits.
///
/// 1. Something new may be stored while the source is below its budget, in all and on this day. What was paid for
///    always may.
/// 2. What belongs to a known event may be stored while the source is below twice its budget in all.
package enum Budget {
    /// What is to be stored.
    package enum Thing: Sendable { case new, known }

    /// Whether it may be stored.
    /// - Parameters:
    ///   - use: What the source had used before the transaction.
    ///   - grown: What the transaction has added.
    ///   - now: Wall time in milliseconds.
    package static func hasRoom(
        for thing: Thing, in use: SourceUse, grown: StoredAmount, isPaid: Bool, now: Int64
    ) -> Bool {
        var use = use
        use.total += grown
        use.ofDay += grown
        return switch thing {
        case .new: isPaid || use.hasRoom(at: .init(milliseconds: now))
        case .known: use.hasReserve
        }
    }
}
