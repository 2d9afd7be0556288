package import Model

/// When two events that have shared a row become two rows again.
///
/// 1. Only a snapshot splits, so the caller asks for snapshots alone: it lists both under ids of their own, and no name
///    belongs to both. The other event is the one listed under the row's name, or the one that came before in the answer
///    and has this row.
/// 2. The row stays with the event that has the name it shows; if neither has, with the one that came before.
/// 3. A snapshot older than the row proves nothing: the version that stays must not be older.
/// 4. The event that leaves takes its names, and becomes a row with links to all sources of the shared one, none of
///    which promises it until it lists the event itself.
package enum Splitting {
    /// Which event leaves a row.
    package enum Leaving: Sendable, Hashable {
        /// The event that is taken.
        case event
        /// The other event, with its index in the answer.
        case other(Int)
    }

    /// Which of two events leaves a row that a name of `event` leads to; nil: neither.
    /// - Parameters:
    ///   - name: The name that the row shows.
    ///   - updated: The provider's time of the version it shows, in milliseconds.
    ///   - shown: The index of the last event that the answer has shown for the row.
    ///   - events: The events of the answer.
    ///   - listed: The index of the event that the answer lists under a name; asked only where it decides.
    package static func split(
        _ event: Event, name: String, updated: Int64?, shown: Int?, events: [Event], listed: (String) -> Int?
    ) -> Leaving? {
        let isOwn = event.names.contains(name)
        // The other event is listed under the row's own name, or the row was shown before without news.
        guard let found = (isOwn ? nil : listed(name)) ?? shown else { return nil }
        let other = events[found]
        guard Set(other.names).isDisjoint(with: event.names) else { return nil }
        if let updated, let new = (isOwn ? event : other).updated?.milliseconds, new < updated { return nil }
        return isOwn ? .other(found) : .event
    }
}
