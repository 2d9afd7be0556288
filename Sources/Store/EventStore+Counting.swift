import Foundation
public import Model
import SQLite

extension EventStore {
    /// The number of matching events, whatever the query's order and limit; nil if there are more than `limit`. Reads
    /// at most one row more than that; throws `StoreError`.
    /// - Parameter withErased: Whether events count whose words their provider has deleted, as by default.
    public func count(_ query: EventQuery, atMost limit: Int, withErased: Bool = true) throws(StoreError) -> Int? {
        let found = try read { connection -> Int in
            try Self.check(query, connection)
            var sql = query.sql("e.id", suffix: "LIMIT ?", conditions: query.conditions(withErased: withErased))
            sql.sql = "SELECT count(*) FROM (\(sql.sql))"
            sql.values.append(Int64(limit) + 1)
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
                """, category.rawValue)
            return try find.map { (source: $0.string(0), provider: $0.string(1)) }
        }
        return (Set(pairs.map(\.source)).sorted(), Set(pairs.map(\.provider)).sorted())
    }

    /// The extents by category, in alphabetical order. Reads all events, about a second a million, and the boxes of
    /// those with a shape from the R*Tree; throws `StoreError`.
    public func extents() throws(StoreError) -> [CategoryExtent] {
        try read { connection in
            let shapes = try Self.boxesOfShapes(connection)
            let find = try connection.prepare(
                """
                SELECT category, min(time_ms), max(time_ms), min(longitude), min(latitude), max(longitude),
                  max(latitude)
                FROM event WHERE withdrawn_reason IS NULL GROUP BY category ORDER BY category
                """)
            return try find.map {
                let category = $0.string(0)
                return CategoryExtent(
                    category: Model.Category(rawValue: category),
                    box: BoundingBox(round: [Self.box($0, at: 3), shapes[category]].compactMap { $0 }),
                    first: Date(milliseconds: $0.int64(1)), last: Date(milliseconds: $0.int64(2)))
            }
        }
    }

    /// By category the box round the shapes of the events that are not withdrawn. A shape across 180° has two entries
    /// in the tree. That rounds outwards to 32-bit floats; here the edges are rounded outwards to five decimals.
    private static func boxesOfShapes(_ connection: Connection) throws -> [String: BoundingBox] {
        try connection.prepare(shapeExtents).dictionary { row in
            box(row, at: 1)?.roundedOutwards.map { (row.string(0), $0) }
        }
    }

    /// The box of west, south, east and north in four columns; nil for NULL. The tree may round beyond the ends of the
    /// map.
    private static func box(_ row: Statement, at first: Int32) -> BoundingBox? {
        guard let west = row.double(first), let south = row.double(first + 1), let east = row.double(first + 2),
            let north = row.double(first + 3)
        else { return nil }
        return BoundingBox(west: max(-180, west), south: max(-90, south), east: min(180, east), north: min(90, north))
    }

    static let shapeExtents = """
        SELECT e.category, min(p.min_longitude), min(p.min_latitude), max(p.max_longitude), max(p.max_latitude)
        FROM event e INDEXED BY event_shape CROSS JOIN event_position p ON p.id IN (e.id, -e.id)
        WHERE e.geometry IS NOT NULL AND e.withdrawn_reason IS NULL GROUP BY e.category
        """
}

extension BoundingBox {
    /// The box with its edges at five decimals, none of them further inside.
    fileprivate var roundedOutwards: BoundingBox? {
        func rounded(_ edge: Double, _ rule: FloatingPointRoundingRule) -> Double {
            (edge * 100_000).rounded(rule) / 100_000
        }
        return BoundingBox(
            west: rounded(west, .down), south: rounded(south, .down), east: rounded(east, .up),
            north: rounded(north, .up))
    }
}
