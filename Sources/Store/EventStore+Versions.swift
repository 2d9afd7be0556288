import Model
import Reconciling
import SQLite

extension EventStore {
    /// Calls `body` with each matching version of the stored events, one at a time; its error ends the walk.
    ///
    /// Each version is compared with the query on its own. The versions of one event come together, oldest first;
    /// events come in no certain order. Of the query, keys and order are ignored, and the limit counts versions (100 by
    /// default). Erased and truncated events are left out.
    ///
    /// Nothing is being read while `body` runs. Events without earlier versions are found as by `forEach`, at most as
    /// many as the limit; all events with such are read, a few at a time.
    /// - Parameter query: Selects the versions.
    /// - Throws: the error of `body`, or `StoreError` as `events`, also between two reads if the budget is over.
    public func forEachVersion(_ query: EventQuery, _ body: (EventVersion) throws -> Void) throws {
        var left = query.limit ?? .max
        var all = query
        // Each event without earlier versions that the SQL finds gives one version, so the limit stays.
        (all.olderThan, all.newerThan, all.order) = (nil, nil, .newestFirst)
        let matching = EventMatcher(all)
        func pass(_ versions: [EventVersion]) throws {
            for version in versions where left > 0 && matching.matches(version.stored) {
                try body(version)
                left -= 1
            }
        }
        let single = try read { connection in
            try Self.check(all, connection)
            let isUnrevised = "NOT EXISTS (SELECT 1 FROM history h WHERE h.event_id = e.id)"
            let find = try all.sql("e.id", conditions: ["e.is_erased = 0", isUnrevised]).prepare(on: connection)
            return try find.map { $0.int64(0) }
        }
        func passAll(of rows: [Int64]) throws {
            for start in stride(from: 0, to: rows.count, by: Self.eventsAtOnce) where left > 0 {
                try checkBudget()
                try pass(try versions(of: rows[start..<min(start + Self.eventsAtOnce, rows.count)]))
            }
        }
        try passAll(of: single)
        let passed = Set(single)
        var last = Int64.min
        while left > 0 {
            try checkBudget()
            let revised = try revisedEvents(after: last)
            guard let end = revised.last else { return }
            last = end
            try passAll(of: revised.filter { !passed.contains($0) })
        }
    }

    /// The events whose versions are in memory at a time: there may be many, and long ones.
    private static let eventsAtOnce = 16

    /// Some rows with a history, in their order.
    private func revisedEvents(after row: Int64) throws(StoreError) -> [Int64] {
        try read { connection in
            let find = try connection.prepare(
                "SELECT DISTINCT event_id FROM history WHERE event_id > ? ORDER BY event_id LIMIT 1000", row)
            return try find.map { $0.int64(0) }
        }
    }

    /// The versions of the events in these rows, and of those merged into them.
    private func versions(of rows: ArraySlice<Int64>) throws(StoreError) -> [EventVersion] {
        try read { connection in
            let past = try PastVersions(connection)
            let load = try connection.prepare(
                "SELECT \(StoredEvent.columns) FROM event e WHERE e.id = ? AND e.is_erased = 0")
            let findMerged = try connection.prepare(MergedEvent.select + " AND h.event_id = ?")
            var found: [EventVersion] = []
            for row in rows {
                load.bind(row)
                guard try load.step() else { continue }
                let first = load.int64(EventRow.firstSequenceColumn)
                let own = try past.versions(of: StoredEvent(row: load), first: first, row: row)
                load.reset()
                found += own.reversed().map { $0.judged() }
                findMerged.bind(row)
                while try findMerged.step() {
                    found += try MergedEvent(row: findMerged).versions(past).reversed().map { $0.judged() }
                }
            }
            return found
        }
    }
}
