package import Model

/// What an answer says as a whole.
///
/// 1. A snapshot is news if it was made later than the last one, after a change of settings also at the same time.
/// 2. Of the versions in which a document lists an event, the one updated later counts, of equal ones the first. It has
///    the names of all.
package enum Document {
    /// Whether a snapshot is news after the last one of its source and provider; nil: there was none.
    /// - Parameter fingerprint: The settings that it was taken with.
    package static func isNews(_ coverage: Coverage, after last: LastSnapshot?, under fingerprint: String) -> Bool {
        guard let last else { return true }
        let generated = coverage.generated.milliseconds
        return last.fingerprint == fingerprint ? generated > last.generated : generated >= last.generated
    }

    /// Gives the versions that count the names of those that do not.
    /// - Returns: The indexes of the versions that count, by the hash of the event's name (`ContentHash.name`).
    package static func join(_ events: inout [Event]) -> [UInt64: Int] {
        var listed: [UInt64: Int] = [:]
        listed.reserveCapacity(events.count)
        for index in events.indices {
            let name = ContentHash.name(events[index].id, of: events[index].provider)
            guard let other = listed[name] else {
                listed[name] = index
                continue
            }
            let isLater = events[index].version ?? .min > events[other].version ?? .min
            let (winner, loser) = isLater ? (index, other) : (other, index)
            listed[name] = winner
            let known = Set(events[winner].aliases)
            events[winner].aliases += events[loser].aliases.filter { !known.contains($0) }
        }
        return listed
    }
}

extension Event {
    /// The upstream id, then the aliases.
    package var names: [String] { [id] + aliases }

    /// The provider's time of this version in milliseconds, which tells the newer of two; nil if it gives none.
    package var version: Int64? { updated?.milliseconds ?? time?.milliseconds }
}
