public import Model
import SQLite

extension ChangeFeed {
    /// What some changes have made of the events of a selection, in the order of each one's last change.
    ///
    /// Each event comes once, as it is now; one that has changed again since comes again with the next page. Of an event
    /// that has gone nothing is left to be compared, so its public id comes whatever is selected, public ids apart.
    /// - Parameters:
    ///   - page: The changes.
    ///   - query: Which events are meant; order and limit do not matter. One that is no longer among them is left out.
    public func updates(_ page: Page, matching query: EventQuery) throws(StoreError) -> [EventUpdate] {
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
    ///   - change: The last that has happened to the event.
    ///   - kinds: What has happened to it, oldest first.
    ///   - event: The event, if it is there and meant.
    private func update(
        by change: EventChange, _ kinds: [EventChange.Kind], now event: StoredEvent?
    ) throws(StoreError) -> EventUpdate? {
        if var event, change.kind != .truncated {
            // What has changed since comes with the next page; this number leads to it.
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
    /// Whether no event has a public id any more, and that of the one into which its event was merged.
    fileprivate func fate(of publicID: String) throws(StoreError) -> (isGone: Bool, successor: String?) {
        try read { connection in
            let find = try connection.prepare("SELECT 1 FROM event WHERE public_id = ?")
            find.bind(publicID)
            guard try find.firstInt64() == nil else { return (false, nil) }
            let successor = try connection.prepare(
                "SELECT e.public_id FROM merged_event m JOIN event e ON e.id = m.event_id WHERE m.public_id = ?")
            successor.bind(publicID)
            return (true, try successor.step() ? successor.text(0) : nil)
        }
    }
}
