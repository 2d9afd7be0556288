package import Model

/// What makes two rows one: names alone, never place or time.
///
/// 1. The rows of an event are those that its id and its aliases lead to, within its provider.
/// 2. A name that events of the answer replace leads to another event's row, if that row shows none of this event's
///    names: an Update replaces the alerts that it refers to, but not an earlier Update of theirs (CAP 1.2 §3.2.1).
/// 3. Two events that a snapshot lists apart are no one event (`Splitting`). Nor does a snapshot merge rows by a version
///    older than the row of the event's id, since they may have been split after it.
/// 4. All other rows of an event become one, the oldest (`Merging`).
/// 5. A document may list an event under two of its names without knowing of it. Then the version updated later counts,
///    of equal ones the first.
package enum Matching {
    /// The rows and names of an event.
    package struct Match: Sendable, Hashable {
        /// The rows of the event's names, that of its id first.
        package var rows: [Int64] = []
        /// The event's names that lead to no row.
        package var newNames: [String] = []

        /// Creates a match; by default nothing is known of the event.
        package init(rows: [Int64] = [], newNames: [String] = []) {
            self.rows = rows
            self.newNames = newNames
        }

        /// The row that stays; nil: the event is new.
        package var oldest: Int64? { rows.min() }
    }

    /// Finds the rows of an event.
    /// - Parameters:
    ///   - own: The row of the event's id; nil: there is none.
    ///   - superseded: The names that events of the answer replace.
    ///   - row: The row of a name.
    ///   - shownName: The name that a row shows; asked only where it decides.
    package static func match(
        _ event: Event, own: Int64?, superseded: Set<String>, row: (String) throws -> Int64?,
        shownName: (Int64) throws -> String?
    ) rethrows -> Match {
        var match = own.map { Match(rows: [$0]) } ?? Match(newNames: [event.id])
        for name in event.aliases {
            guard let found = try row(name) else {
                match.newNames.append(name)
                continue
            }
            if match.rows.contains(found) { continue }
            if !superseded.isEmpty, Withdrawing.families(of: name).contains(where: { superseded.contains($0.name) }),
                let shown = try shownName(found), !event.names.contains(shown)
            {
                continue
            }
            match.rows.append(found)
        }
        return match
    }

    /// Whether the version of a snapshot merges nothing, because it is older than the row of its id.
    /// - Parameters:
    ///   - own: The row of the event's id; asked only where it decides.
    ///   - isSuperseded: Whether other events have replaced the event's name.
    package static func mergesNothing(
        _ event: Event, _ match: Match, isSnapshot: Bool, own: (Int64) throws -> EventRow?,
        isSuperseded: () throws -> Bool
    ) rethrows -> Bool {
        guard isSnapshot, match.rows.count > 1, !match.newNames.contains(event.id), let own = try own(match.rows[0])
        else { return false }
        return try Revising.isOlder(event, than: own, isSuperseded: isSuperseded)
    }

    /// Whether a version counts that comes after another one of the same row in one answer.
    /// - Parameter stored: The row with the other version; asked only where it decides.
    package static func counts(
        _ event: Event, _ match: Match, isListedTwice: Bool, stored: () throws -> EventRow?
    ) rethrows -> Bool {
        guard isListedTwice, match.rows.count == 1, !match.newNames.contains(event.id) else { return true }
        let known = try stored()?.updated
        return event.updated.map { $0.milliseconds > known ?? .min } ?? false
    }
}
