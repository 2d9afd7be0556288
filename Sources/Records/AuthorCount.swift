public import Foundation

/// An author of events that match a query, with figures of these events.
public struct AuthorCount: Sendable, Hashable {
    /// The name as the feeds give it, never empty; events without an author are not counted.
    public var name: String
    /// A page of the author, as an http or https URL; nil if no matching event gives one.
    public var link: String?
    /// The number of matching events, 1 or more.
    public var events: Int
    /// The event time of the newest of them, to the millisecond.
    public var latest: Date

    /// Creates a count of these values, which are not checked.
    package init(name: String, link: String?, events: Int, latest: Date) {
        (self.name, self.link, self.events, self.latest) = (name, link, events, latest)
    }
}
