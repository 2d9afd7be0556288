public import Foundation
public import Model

/// A version of an event: its state from a change until before the next one.
public struct EventVersion: Sendable, Hashable {
    /// The state, with the number, revision and time of the change that made it. Its sources and aliases are the present
    /// ones.
    public var stored: StoredEvent
    /// When the next version was stored, or the event was merged into another one; nil: it is the present version.
    public package(set) var to: Date?
    /// Whether this was the state: of a version as it was known after a change then, else all the time until `to`. False
    /// where later revisions are no longer kept, and where older values are not known.
    public package(set) var isExact = true
    /// The number of the first change after it that is no longer kept; nil: none is missing.
    package var gap: Int64?

    /// When it was stored (wall time).
    public var from: Date { stored.lastChanged }

    /// Creates an exact version without a gap; by default the present one.
    package init(stored: StoredEvent, to: Date? = nil) { (self.stored, self.to) = (stored, to) }

    /// The version with `isExact` as of a change, which must not be before its own; by default, of all its time.
    package func judged(after change: Int64 = .max) -> EventVersion {
        var version = self
        version.isExact = isExact && gap.map { change < $0 } ?? true
        version.gap = nil
        return version
    }
}
