public import Foundation
public import Model
import SQLite

/// The extent of the events of one category that are not withdrawn.
public struct CategoryExtent: Sendable, Hashable {
    /// The category.
    public var category: Model.Category
    /// The smallest box round their coordinates that does not cross 180°; nil if none has a coordinate.
    public var box: BoundingBox?
    /// The time of the first.
    public var first: Date
    /// The time of the last.
    public var last: Date
}

extension EventStore {
    /// The number of matching events, whatever the query's order and limit; nil if there are more than `limit`. Reads
    /// at most one row more than that; throws `StoreError`.
    public func count(_ query: EventQuery, atMost limit: Int) throws(StoreError) -> Int? {
        let found = try read { connection -> Int in
            try Self.check(query, connection)
            var sql = query.sql("e.id", suffix: "LIMIT ?")
            sql.sql = "SELECT count(*) FROM (\(sql.sql))"
            sql.values.append(.integer(Int64(limit) + 1))
            return Int(try sql.prepare(on: connection).firstInt64() ?? 0)
        }
        return found > limit ? nil : found
    }

    /// The number of events of these categories that are not withdrawn; of all for none. Reads indexes and the
    /// withdrawn events, about 10 ms a million events; throws `StoreError`.
    public func count(ofCategories categories: [Model.Category]) throws(StoreError) -> Int {
        let marks = categories.map { _ in "?" }.joined(separator: ", ")
        let isOfAll = categories.isEmpty
        return try read { connection in
            let find = try connection.prepare(
                """
                SELECT (SELECT count(*) FROM event\(isOfAll ? "" : " WHERE category IN (\(marks))"))
                  - (SELECT count(*) FROM event WHERE withdrawn_reason IS NOT NULL\
                \(isOfAll ? "" : " AND +category IN (\(marks))"))
                """)
            for category in categories + categories { find.bind(category.rawValue) }
            return Int(try find.firstInt64() ?? 0)
        }
    }

    /// The sources that show events of a category, withdrawn ones included, and the providers of these events, both in
    /// alphabetical order. Reads all events of the category, about a second a million; throws `StoreError`.
    public func origins(
        of category: Model.Category
    ) throws(StoreError) -> (sources: [String], providers: [String]) {
        let pairs = try read { connection -> [(source: String, provider: String)] in
            let find = try connection.prepare(
                """
                SELECT s.name, o.provider FROM (
                  SELECT DISTINCT l.source_id, e.provider
                  FROM event e INDEXED BY event_category CROSS JOIN link l ON l.event_id = e.id
                  WHERE e.category = ?) o JOIN source s ON s.id = o.source_id
                """)
            find.bind(category.rawValue)
            var pairs: [(source: String, provider: String)] = []
            while try find.step() { pairs.append((source: find.string(0), provider: find.string(1))) }
            return pairs
        }
        return (Set(pairs.map(\.source)).sorted(), Set(pairs.map(\.provider)).sorted())
    }

    /// The extents by category, in alphabetical order. Reads all events, about a second a million; throws
    /// `StoreError`.
    public func extents() throws(StoreError) -> [CategoryExtent] {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT category, min(time_ms), max(time_ms), min(longitude), min(latitude), max(longitude),
                  max(latitude)
                FROM event WHERE withdrawn_reason IS NULL GROUP BY category ORDER BY category
                """)
            var extents: [CategoryExtent] = []
            while try find.step() {
                var box: BoundingBox?
                if let west = find.double(3), let south = find.double(4), let east = find.double(5),
                    let north = find.double(6)
                {
                    box = BoundingBox(west: west, south: south, east: east, north: north)
                }
                extents.append(
                    CategoryExtent(
                        category: Model.Category(rawValue: find.string(0)), box: box,
                        first: Date(milliseconds: find.int64(1)), last: Date(milliseconds: find.int64(2))))
            }
            return extents
        }
    }
}
