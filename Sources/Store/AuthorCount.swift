public import Foundation

/// An author with what the matching events say.
public struct AuthorCount: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The author's page.
    public var link: String?
    /// How many events.
    public var events: Int
    /// Time of the newest.
    public var latest: Date
}
