import Foundation
import Model

/// The SQL of summaries; tests check the plans. The order and the limit of the query count for nothing.
extension EventQuery {
    /// Rows of bin, category and number of events, the newest bin first.
    /// - Parameters:
    ///   - width: The length of a bin in milliseconds, 1 or more.
    ///   - origin: A time in milliseconds at which a bin begins.
    ///   - rows: The most rows.
    func histogramSQL(width: Int64, origin: Int64, rows: Int) -> SQLQuery {
        // SQLite's remainder has the sign of the dividend, which is negative before the origin.
        let time = "(e.time_ms - (\(origin)))"
        let bin = "(\(time) - (\(time) % \(width) + \(width)) % \(width)) / \(width)"
        var query = sql("\(bin), e.category, count(*)", suffix: "GROUP BY 1, 2 ORDER BY 1 DESC, 2 LIMIT ?")
        query.values.append(rows)
        return query
    }

    /// Rows of place id or square (column and row), number of events, time, name and coordinate of the newest, and the
    /// numbers by category as a JSON object; the most events come first.
    ///
    /// With a single `max`, the other columns come from the row that has it
    /// (<https://www.sqlite.org/lang_select.html#bareagg>).
    /// - Parameters:
    ///   - cell: The side of a square in degrees.
    ///   - limit: The most rows.
    func hotspotsSQL(cell: Double, limit: Int) -> SQLQuery {
        // 180° is the meridian of -180°.
        let column = "CAST((iif(e.longitude >= 180, -180, e.longitude) + 180) / \(cell) AS INTEGER)"
        let row = "CAST((e.latitude + 90) / \(cell) AS INTEGER)"
        var query = sql(
            """
            e.location_place_id AS place, iif(e.location_place_id IS NULL, \(column), NULL) AS x, \
            iif(e.location_place_id IS NULL, \(row), NULL) AS y, e.category AS kind, count(*) AS number, \
            max(e.time_ms) AS newest, e.location_matched_text AS name, e.longitude AS east, e.latitude AS north
            """, suffix: "GROUP BY 1, 2, 3, 4", conditions: ["e.latitude IS NOT NULL"])
        query.sql = """
            SELECT place, x, y, sum(number), max(newest), name, east, north, json_group_object(kind, number) \
            FROM (\(query.sql)) GROUP BY 1, 2, 3 ORDER BY 4 DESC, 5 DESC, 1, 2, 3 LIMIT ?
            """
        query.values.append(limit)
        return query
    }

    /// Rows of author, a page, number of events and time of the newest; the most events come first.
    /// - Parameter limit: The most rows.
    func authorsSQL(limit: Int) -> SQLQuery {
        var query = sql(
            "e.author_name, max(e.author_link), count(*), max(e.time_ms)",
            suffix: "GROUP BY e.author_name ORDER BY 3 DESC, 4 DESC, 1 LIMIT ?",
            conditions: ["e.author_name IS NOT NULL"])
        query.values.append(limit)
        return query
    }
}
