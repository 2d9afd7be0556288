public import Foundation
public import Model

/// Selects points of interest. A point must meet every condition that is set.
public struct PointQuery: Sendable, Hashable {
    /// Folded words that must all occur in one of its names, present or former; `*` at the end of a word stands for any
    /// ending. Empty: all.
    public var words: [String] = []
    /// Whether a word may be any part of a name, its beginning or a piece of it; by default it is a whole word.
    public var takesParts = false
    /// A circle that contains the point, by great-circle distance, its edge included; also across 180° and at the
    /// poles. Nil: anywhere.
    public var near: EventQuery.Circle?
    /// The most points returned; nil: all; below 1: none.
    public var limit: Int?

    /// Creates a query for all points.
    public init() {}

    /// Whether all words occur in a folded name.
    package func matches(_ foldedName: String) -> Bool {
        let parts = foldedName.split(separator: " ")
        if takesParts {
            return words.allSatisfy { word in
                let part = word.hasSuffix("*") ? String(word.dropLast()) : word
                return !word.isEmpty && parts.contains { part.isEmpty || $0.contains(part) }
            }
        }
        return words.allSatisfy { word in
            word.hasSuffix("*")
                ? parts.contains { $0.hasPrefix(word.dropLast()) } : parts.contains { $0 == word }
        }
    }
}

/// A stored point of interest, as `EventStore.pointsOfInterest` returns it.
public struct StoredPoint: Sendable, Hashable {
    /// The key (`PointOfInterest.key`), which stays the same until the number is known.
    public var key: String
    /// The place itself, as the lists give it.
    public var point: PointOfInterest
    /// Folded names that it has in lists seeded before, at most nine.
    public var formerNames: [String]
    /// When seeding last stored or changed it, to the millisecond.
    public var seeded: Date
    /// Great-circle distance from the query's centre in kilometres; nil without a centre.
    public var kilometres: Double?

    /// Creates a stored point of these values, which are not checked.
    package init(key: String, point: PointOfInterest, formerNames: [String], seeded: Date, kilometres: Double?) {
        (self.key, self.point, self.formerNames) = (key, point, formerNames)
        (self.seeded, self.kilometres) = (seeded, kilometres)
    }

    /// The place under its name, then under each former one, which is folded: texts may use any of them.
    public var spellings: [PointOfInterest] {
        [point]
            + formerNames.map { name in
                var other = point
                other.name = name
                return other
            }
    }
}

/// Counts of a seeding; together they are the places of the list.
public struct PointSeedResult: Sendable, Hashable {
    /// Places stored for the first time.
    public var new = 0
    /// Places changed, or merged from two rows.
    public var changed = 0
    /// Places already stored in the same form, so that nothing was written.
    public var unchanged = 0

    /// Creates a result of zeros.
    public init() {}
}
