public import Foundation

/// An item of a source that was refused.
public struct RefusedItem: Sendable, Hashable {
    /// Its provider, as `Event.provider`; nil if the item could not be read.
    public var provider: String?
    /// Its upstream id; nil if the item could not be read.
    public var id: String?
    /// Its title, of an item that could not be read what was found and where; at most 200 Unicode scalars.
    public var title: String
    /// The word for the reason, as `StepResult.refused` has it.
    public var reason: String
    /// Since when it is refused for this reason, by wall time and to the millisecond.
    public var at: Date

    /// Creates an item of these values, which are not checked.
    package init(provider: String?, id: String?, title: String, reason: String, at: Date) {
        (self.provider, self.id, self.title, self.reason, self.at) = (provider, id, title, reason, at)
    }
}
