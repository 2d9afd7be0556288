public import Foundation

/// An author with figures of the matching events.
public struct AuthorCount: Sendable, Hashable {
    /// The name; events without an author are not counted.
    public var name: String
    /// A page of the author, as an http or https URL; nil if no matching event gives one.
    public var link: String?
    /// The number of matching events.
    public var events: Int
    /// The event time of the newest of them.
    public var latest: Date
}
