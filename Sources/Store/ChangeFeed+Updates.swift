public import Model
import SQLite

extension ChangeFeed {
    /// The updates of the selected events by the changes of a page, in the order of each event's last change. Blocks.
    ///
    /// Each event comes once and in its present state. An event that has changed again since comes again with a later
    /// page. An event that is gone cannot be compared with the query, so its public id comes whatever the query
    /// selects; only a query by public ids leaves it out.
    /// - Parameters:
    ///   - page: The changes; without any, nothing is read and nothing returned.
    ///   - query: Selects the events; its order and limit are ignored. An event that no longer matches is left out.
    /// - Throws: `StoreError`; `noFullText` if the query has words but the database has no index for them.
    public func updates(_ page: ChangePage, matching query: EventQuery) throws(StoreError) -> [EventUpdate] {
        let wanted = Set(query.publicIDs)
        let changes = page.changes.filter { wanted.isEmpty || wanted.contains($0.publicID) }
        guard !changes.isEmpty else { return [] }
        let kinds = Dictionary(grouping: changes, by: \.publicID).mapValues { $0.map(\.kind) }
        var query = query
        query.publicIDs = Array(kinds.keys)
        query.limit = nil
        let present = Dictionary(
            try store.events(query).map { ($0.publicID, $0) }, uniquingKeysWith: { first, _ in first })
        var updates: [EventUpdate] = []
        var told: Set<String> = []
        for change in changes.reversed() where told.insert(change.publicID).inserted {
            let id = change.publicID
            if let update = try update(by: change, kinds[id] ?? [], now: present[id]) { updates.append(update) }
        }
        return updates.reversed()
    }

    /// - Parameters:
    ///   - change: The event's last change on the page.
    ///   - kinds: The kinds of all its changes on the page, oldest first.
    ///   - event: The event; nil if it is gone or not selected.
    private func update(
        by change: EventChange, _ kinds: [EventChange.Kind], now event: StoredEvent?
    ) throws(StoreError) -> EventUpdate? {
        if var event, change.kind != .truncated {
            // A later change comes with the next page, so the cursor must not pass it.
            event.changeSequence = change.sequence
            if kinds.contains(.new), event.withdrawal == nil { return .changed(event, .new) }
            return .changed(event, change.kind == .merged ? .revised : change.kind)
        }
        var change = change
        if kinds.contains(.truncated) {
            change.kind = .truncated
            return .gone(change, into: nil)
        }
        guard kinds.contains(.merged) else { return nil }
        change.kind = .merged
        let fate = try store.fate(of: change.publicID)
        return fate.isGone ? .gone(change, into: fate.successor) : nil
    }
}

extension EventStore {
    /// Whether no event has the public id any more, and the id of the event into which it was merged, if any.
    fileprivate func fate(of publicID: String) throws(StoreError) -> (isGone: Bool, successor: String?) {
        try read { connection in
            guard
                try connection.firstInt64(
                    "SELECT 1 FROM event WHERE public_id = ?", publicID) == nil
            else { return (false, nil) }
            let find = try connection.prepare(
                "SELECT e.public_id FROM merged_event m JOIN event e ON e.id = m.event_id WHERE m.public_id = ?",
                publicID)
            return (true, try find.first { $0.text(0) })
        }
    }
}
