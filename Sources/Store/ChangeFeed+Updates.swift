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
            if let update = try update(of: id, kinds[id] ?? [], now: present[id]) { updates.append(update) }
        }
        return updates.reversed()
    }

    /// - Parameters:
    ///   - kinds: What has happened to it, oldest first.
    ///   - event: The event, if it is there and meant.
    private func update(
        of publicID: String, _ kinds: [EventChange.Kind], now event: StoredEvent?
    ) throws(StoreError) -> EventUpdate? {
        let last = kinds.last ?? .revised
        if let event, last != .truncated {
            if kinds.contains(.new), event.withdrawal == nil { return .changed(event, .new) }
            return .changed(event, last == .merged ? .revised : last)
        }
        if kinds.contains(.truncated) { return .gone(publicID: publicID, .truncated, into: nil) }
        guard kinds.contains(.merged) else { return nil }
        let fate = try store.fate(of: publicID)
        return fate.isGone ? .gone(publicID: publicID, .merged, into: fate.successor) : nil
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
