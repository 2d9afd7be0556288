public import Foundation

/// What hangs on one event beyond its row.
public struct EventDetails: Sendable, Hashable {
    /// One earlier state.
    public struct Revision: Sendable, Hashable {
        /// The revision that replaced it.
        public var revision: Int
        /// When.
        public var at: Date
        /// Old values of the columns that changed, as the text of a JSON object.
        public var previous: String
    }

    /// All its upstream ids, sorted.
    public var upstreamIDs: [String]
    /// The sources that show it, with first sight, by name.
    public var sources: [String: Date]
    /// What changed when, oldest first; the first and the latest of many.
    public var history: [Revision]
}

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
