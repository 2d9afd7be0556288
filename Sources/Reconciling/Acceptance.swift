package import Model

/// Whether an event that no row shows is stored, and whether it is born withdrawn.
///
/// 1. The source's filter refuses it.
/// 2. Its age counts from its time, or from now if that is earlier or there is none. Before the source's horizon it is
///    `truncated`; beyond the source's age it is `expired`. Under a clock that is not trusted only the event's own time
///    counts, and only the horizon refuses.
/// 3. A tombstone of one of its names keeps it out as `truncated`.
/// 4. It is born withdrawn if a stored withdrawal names it, or its family where the withdrawal takes families. A version
///    later than the withdrawal is not, unless the words were deleted. What was replaced concerns the replaced name
///    alone: neither an event that has that name as an alias nor one that replaced it.
package enum Acceptance {
    /// Why a new event is not accepted: `magnitude`, `keywords`, `truncated` or `expired`; nil if it is.
    /// - Parameters:
    ///   - horizon: The time before which events of the source have been truncated; nil: none have.
    ///   - maxAge: The age at which they expire.
    ///   - now: Wall time in milliseconds.
    ///   - isTruncated: Whether a tombstone has this name of the event's.
    package static func refusal(
        of event: Event, by filter: Filter, horizon: Int64?, maxAge: Int64, at now: Int64, isClockTrusted: Bool,
        isTruncated: (String) throws -> Bool
    ) rethrows -> String? {
        if let reason = filter.refusal(of: event) { return reason }
        let time = event.time?.milliseconds
        // An untrusted clock proves no age, so only events truncated before stay out.
        if let base = isClockTrusted ? min(time ?? now, now) : time {
            if let horizon, base < horizon { return "truncated" }
            if isClockTrusted, base < now - maxAge { return "expired" }
        }
        return try event.names.contains(where: isTruncated) ? "truncated" : nil
    }

    /// Whether a tombstone is to note that the feed lists its event still, which it does once a day.
    /// - Parameter listed: When it noted that last.
    package static func renews(_ listed: Int64, at now: Int64) -> Bool { now - listed > 86_400_000 }

    /// The stored withdrawal that applies to a newly arrived event; nil if there is none or the version is newer.
    /// - Parameters:
    ///   - version: The time of the event's version; nil: it has none, so that no withdrawal is too old. With
    ///     `Int64.max` only deletions apply.
    ///   - stored: The stored withdrawal of a name.
    package static func withdrawal(
        of event: Event, version: Int64?, stored: (String) throws -> StoredWithdrawal?
    ) rethrows -> StandingWithdrawal? {
        for name in event.names {
            for (candidate, isFamily) in Withdrawing.families(of: name) {
                guard let found = try stored(candidate), found.takesFamily || !isFamily else { continue }
                let standing = found.standing
                if !standing.erases, let version, version > standing.time { continue }
                // An event that replaced an earlier message does not exclude another one that replaces it, too.
                if name != event.id, !found.replacements.isEmpty { continue }
                if found.replacements.contains(event.id) { continue }
                return standing
            }
        }
        return nil
    }
}
