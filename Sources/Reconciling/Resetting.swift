/// What becomes of a source's events when the source is reset with them.
///
/// 1. The source shows an event no longer. The event goes if no other source shows it.
/// 2. The changes have the time of the reset, or that of the last change where this is later: the clock was set back, or
///    others have written meanwhile.
package enum Resetting {
    /// What becomes of an event.
    package enum Fate: Sendable {
        /// It stays, since the source does not show it.
        case stays
        /// It stays without the source's link.
        case unlinks
        /// It goes.
        case goes
    }

    /// Decides on an event.
    /// - Parameter links: The sources that show it.
    package static func fate(of links: [Int64], without source: Int64) -> Fate {
        guard links.contains(source) else { return .stays }
        return links.count == 1 ? .goes : .unlinks
    }

    /// The time of the changes, in milliseconds.
    /// - Parameter lastChange: The time of the last change; nil: there is none.
    package static func time(_ now: Int64, lastChange: Int64?) -> Int64 { max(now, lastChange ?? now) }
}
