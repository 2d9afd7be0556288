public import Foundation
import Model
import SQLite

extension EventStore {
    /// The times of the first and the last matching event, its first sight where an event has no time; nil if none
    /// matches. Ignores the query's order and limit.
    /// - Throws: `StoreError` as `events`.
    public func span(of query: EventQuery) throws(StoreError) -> ClosedRange<Date>? {
        var query = query
        query.limit = 1
        query.order = .oldestFirst
        guard let first = try events(query).first.map({ EventQuery.Key($0).time }) else { return nil }
        query.order = .newestFirst
        let last = try events(query).first.map { EventQuery.Key($0).time } ?? first
        return min(first, last)...max(first, last)
    }

    /// The numbers of matching events by category in each of so many bins, those without events included. Ignores the
    /// query's order and limit.
    ///
    /// A query for categories and times alone reads indexes and the withdrawn events, about 0.1 s a million events. Any
    /// other is counted as by `histogram`, and so are more than a hundred categories.
    /// - Parameters:
    ///   - query: Selects the events; those outside the bins do not count.
    ///   - start: When the first bin begins.
    ///   - width: The length of a bin, 1 ms or more.
    ///   - count: The number of bins, 1 or more.
    /// - Returns: The bins, oldest first, and whether some of the older ones are empty because there are too many
    ///   categories, as in `histogram`.
    /// - Throws: `StoreError` as `events`.
    public func timeline(
        _ query: EventQuery, from start: Date, width: Duration, bins count: Int
    ) throws(StoreError) -> (bins: [TimeBin], isCut: Bool) {
        let length = max(1, width.milliseconds)
        let end = Date(milliseconds: start.milliseconds + length * Int64(clamping: count))
        var bins = (0..<max(0, count)).map { index in
            TimeBin(start: Date(milliseconds: start.milliseconds + length * Int64(clamping: index)), events: [:])
        }
        guard query.isOfCategoriesAndTimes, try !hasManyCategories(query) else {
            var query = query
            query.since = max(query.since ?? start, start)
            let last = Date(milliseconds: end.milliseconds - 1)
            query.until = min(query.until ?? last, last)
            let (counted, isCut) = try histogram(query, width: width, origin: start, limit: count)
            for bin in counted {
                let index = Int(clamping: (bin.start.milliseconds - start.milliseconds) / length)
                if bins.indices.contains(index) { bins[index].events = bin.events }
            }
            return (bins, isCut)
        }
        let all = try read { connection -> [TimeBin] in
            let find = try query.timelineSQL(from: start.milliseconds, width: length, to: end.milliseconds)
                .prepare(on: connection)
            while try find.step() {
                let (index, number) = (Int(clamping: find.int64(0)), Int(clamping: find.int64(2)))
                guard number != 0, bins.indices.contains(index) else { continue }
                bins[index].events[Model.Category(rawValue: find.string(1)), default: 0] += number
            }
            return bins.map { bin in TimeBin(start: bin.start, events: bin.events.filter { $0.value > 0 }) }
        }
        return (all, false)
    }

    /// Whether the query counts so many categories, which feeds may name at will, that a look into the index for each
    /// bin and category would cost more than reading the events.
    private func hasManyCategories(_ query: EventQuery) throws(StoreError) -> Bool {
        guard query.categories.isEmpty else { return query.categories.count > EventQuery.mostCategories }
        return try read { connection -> Bool in
            let sql = """
                WITH RECURSIVE kind(name) AS (\(EventQuery.allCategories) LIMIT \(EventQuery.mostCategories + 1))
                SELECT count(name) FROM kind
                """
            let count = try connection.firstInt64(sql) ?? 0
            return count > Int64(clamping: EventQuery.mostCategories)
        }
    }
}

extension EventQuery {
    /// The most categories of which each bin has a look of its own.
    fileprivate static let mostCategories = 100

    /// The categories of all events by one look into the index each, for a recursive table `kind`; NULL comes last.
    fileprivate static let allCategories = """
        SELECT min(category) FROM event UNION ALL
        SELECT (SELECT min(category) FROM event WHERE category > kind.name) FROM kind WHERE kind.name IS NOT NULL
        """

    /// Whether it has no condition but categories and times, so that indexes alone can count its events.
    fileprivate var isOfCategoriesAndTimes: Bool {
        var plain = EventQuery()
        (plain.categories, plain.since, plain.until) = (categories, since, until)
        (plain.order, plain.limit) = (order, limit)
        return self == plain
    }

    /// Rows of bin (from 0), category and number of events; the number of the withdrawn ones comes apart, with a minus
    /// sign, also for other categories. The categories come by one look into the index each.
    /// - Parameters:
    ///   - start: When the first bin begins, in milliseconds.
    ///   - width: The length of a bin in milliseconds.
    ///   - end: When the last bin ends, in milliseconds.
    func timelineSQL(from start: Int64, width: Int64, to end: Int64) -> SQLQuery {
        let first = max(start, since?.milliseconds ?? start)
        let behind = min(end, until.map { $0.milliseconds + 1 } ?? end)
        let marks = categories.map { _ in "(?)" }.joined(separator: ", ")
        let kinds = categories.isEmpty ? Self.allCategories : "SELECT DISTINCT column1 FROM (VALUES \(marks))"
        return SQLQuery(
            sql: """
                WITH RECURSIVE kind(name) AS (\(kinds)),
                bin(number, start) AS (
                  SELECT 0, \(start) UNION ALL
                  SELECT number + 1, start + \(width) FROM bin WHERE start + \(width) < \(end))
                SELECT bin.number, kind.name, (
                  SELECT count(*) FROM event e INDEXED BY event_category WHERE e.category = kind.name
                    AND e.time_ms >= max(bin.start, \(first)) AND e.time_ms < min(bin.start + \(width), \(behind)))
                FROM bin CROSS JOIN kind WHERE kind.name IS NOT NULL
                UNION ALL
                SELECT (e.time_ms - (\(start))) / \(width), e.category, -count(*)
                FROM event e INDEXED BY event_withdrawn
                WHERE e.withdrawn_reason IS NOT NULL AND e.time_ms >= \(first) AND e.time_ms < \(behind) GROUP BY 1, 2
                """,
            values: categories.map(\.rawValue))
    }
}
