package import Model

/// When a stored event changes, stays, or comes back after a withdrawal.
///
/// 1. A version is older by its time of update. Of two with the same time, the one under a name that other events have
///    replaced is older, unless it knows the row's name. A version or row without that time is never older.
/// 2. Words that the provider has deleted (`isErased`) never come back.
/// 3. An event that was only missing (`absent`) comes back as soon as a source shows it, in any version.
/// 4. After a withdrawal by its provider it comes back with a version later than the withdrawal, or of the same time
///    if the id that the row shows is one of the version's aliases (a CAP Update has the alerts that it refers to).
///    If either time is missing, the withdrawal stands.
/// 5. A version that is not older is taken over (`EventRow.update`), also while a withdrawal stands. A corrected place
///    stays; the feed's is kept beneath it.
/// 6. The event has changed if users see a difference (`EventRow.previous`). `Upkeep` says what follows.
package enum Revising {
    /// Whether a version is older than the row.
    /// - Parameter isSuperseded: Whether other events have replaced the version's name.
    package static func isOlder(_ event: Event, than row: EventRow, isSuperseded: () throws -> Bool) rethrows -> Bool {
        guard let new = event.updated?.milliseconds, let stored = row.updated else { return false }
        guard new == stored, event.id != row.upstreamID, !event.aliases.contains(row.upstreamID) else {
            return new < stored
        }
        return try isSuperseded()
    }

    /// Whether the row's withdrawal stands although a source shows this version.
    ///
    /// A withdrawal with the time of an Update concerns the message that the Update replaces, not the Update.
    package static func withdrawalStands(_ row: EventRow, against event: Event) -> Bool {
        guard row.withdrawnReason != WithdrawalReason.absent else { return false }
        // Words that a provider has deleted never come back, whatever the clock says.
        if row.isErased { return true }
        guard let version = event.version, let withdrawn = row.withdrawnAt else { return true }
        return version < withdrawn || version == withdrawn && !event.aliases.contains(row.upstreamID)
    }

    /// What becomes of a row whose event a source shows.
    package struct Taken: Sendable {
        /// The row with the version.
        package var row: EventRow
        /// `restored` if the event comes back, else `revised`.
        package var kind: EventChange.Kind
        /// The correction of the event's place with another place by the feed; nil: it stays as it is.
        package var correction: Correction?
    }

    /// Takes a version.
    /// - Parameters:
    ///   - source: The source that shows it.
    ///   - isSuperseded: Whether other events have replaced the version's name; asked only where it decides.
    ///   - correction: The correction of the event's place; asked only if the version is taken over.
    package static func take(
        _ event: Event, on old: EventRow, from source: Int64, isSuperseded: () throws -> Bool,
        correction: () throws -> Correction?
    ) rethrows -> Taken {
        var taken = Taken(row: old, kind: .revised)
        let isOlder = try isOlder(event, than: old, isSuperseded: isSuperseded)
        if old.withdrawnReason != nil, !withdrawalStands(old, against: event) {
            taken.kind = .restored
            (taken.row.withdrawnReason, taken.row.withdrawnAt, taken.row.withdrawnEvidence) = (nil, nil, nil)
            taken.row.isErased = false
        }
        guard !isOlder, !taken.row.isErased else { return taken }
        guard var kept = try correction() else {
            taken.row.update(from: event, source: source)
            return taken
        }
        let place = taken.row.location
        taken.row.location = kept.feedPlace
        taken.row.update(from: event, source: source)
        if taken.row.location != kept.feedPlace {
            kept.feedPlace = taken.row.location
            taken.correction = kept
        }
        taken.row.location = place
        return taken
    }
}
