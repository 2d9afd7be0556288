public import Foundation
public import Model

/// Which points of interest are wanted; every condition that is set must hold.
public struct PointQuery: Sendable, Hashable {
    /// Folded words that must all occur in its name, or in one it had in another list; `*` at the end of a word stands
    /// for any ending. Empty: all.
    public var words: [String] = []
    /// Within a distance; right across 180° and at the poles.
    public var near: EventQuery.Circle?
    /// How many at the most; nil: all.
    public var limit: Int?

    /// Creates a query for all.
    public init() {}

    /// Whether the words occur in a folded name.
    func matches(_ foldedName: String) -> Bool {
        let parts = foldedName.split(separator: " ")
        return words.allSatisfy { word in
            word.hasSuffix("*")
                ? parts.contains { $0.hasPrefix(word.dropLast()) } : parts.contains { $0 == word }
        }
    }
}

/// A point of interest as it is stored.
public struct StoredPoint: Sendable, Hashable {
    /// Its key, which stays the same until its number becomes known.
    public var key: String
    /// The place.
    public var point: PointOfInterest
    /// When it was last seeded with something new.
    public var seeded: Date
    /// Great-circle distance from the centre of the query in kilometres; nil without one.
    public var kilometres: Double?
}

/// What seeding a list came to.
public struct PointSeedResult: Sendable, Hashable {
    /// Places that were not known.
    public var new = 0
    /// Places of which something has changed, or of which two rows have become one.
    public var changed = 0
    /// Places that were known just so; nothing was written.
    public var unchanged = 0

    /// Creates a result of nothing.
    public init() {}
}
