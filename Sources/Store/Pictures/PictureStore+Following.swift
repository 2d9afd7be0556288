import Foundation
import Model
import SQLite

extension PictureStore {
    /// Brings the named links up to date with the database, and removes the pictures that nothing names any more.
    ///
    /// The file keeps the number of the last change that it has followed, in the transaction of what followed from it. So
    /// a death costs nothing, and each call reads the events that have changed since. All events that name a picture are
    /// read for a new file, for other hosts, and where changes are no longer kept.
    /// - Returns: Whether a link may be due that was not.
    /// - Throws: `StoreError`.
    public func follow(_ store: EventStore) throws(StoreError) -> Bool {
        var isNews = false
        let names = hosts.names.sorted().joined(separator: " ")
        let before = try write { connection in
            let cursor = try Self.value("cursor", connection).flatMap { Int64($0) }
            return (hosts: try Self.value("hosts", connection), cursor: cursor)
        }
        var cursor = before.hosts == names ? before.cursor : nil
        let feed = ChangeFeed(of: store)
        while let last = cursor {
            let page = try feed.next(after: last)
            if page.isTooOld {
                cursor = nil
                break
            }
            if page.changes.isEmpty { break }
            let namings = try store.pictureNamings(of: Set(page.changes.map(\.publicID)).sorted())
            try write { connection in
                for (event, naming) in namings {
                    isNews = try name(event, naming?.link, at: naming?.time ?? 0, connection) || isNews
                }
                try Self.set("cursor", "\(page.cursor)", connection)
            }
            cursor = page.cursor
        }
        if cursor == nil { isNews = try readAll(store, hosts: names) || isNews }
        return try followPoints(store) || isNews
    }

    /// Begins anew with all events.
    private func readAll(_ store: EventStore, hosts names: String) throws(StoreError) -> Bool {
        // Read before the events: what changes meanwhile comes after it.
        let newest = try ChangeFeed(of: store).kept().newest
        return try write { connection in
            try connection.run("DELETE FROM naming WHERE NOT (event >= 'point:' AND event < 'point;')")
            // The points are compared with their names afterwards.
            try connection.run("DELETE FROM meta WHERE name = 'points'")
            var isNews = false
            try store.forEachPictureNaming { event, link, time in
                isNews = try name(event, link, at: time, connection) || isNews
            }
            try connection.run("DELETE FROM picture WHERE key NOT IN (SELECT key FROM naming)")
            try Self.set("cursor", "\(newest)", connection)
            try Self.set("hosts", names, connection)
            return isNews
        }
    }

    /// Follows the points of interest, whose seeding is no change of an event.
    private func followPoints(_ store: EventStore) throws(StoreError) -> Bool {
        let points = try store.picturePoints()
        let state = FNV64.hex(points.map { "\($0.key) \($0.link)" }.joined(separator: "\n"))
        return try write { connection in
            if try Self.value("points", connection) == state { return false }
            var keys: [String] = []
            let find = try connection.prepare("SELECT event FROM naming WHERE event >= 'point:' AND event < 'point;'")
            while try find.step() { keys.append(find.string(0)) }
            var isNews = false
            let present = Set(points.map { "point:" + $0.key })
            for key in keys where !present.contains(key) { _ = try name(key, nil, at: 0, connection) }
            for point in points {
                isNews = try name("point:" + point.key, point.link, at: point.time, connection) || isNews
            }
            try Self.set("points", state, connection)
            return isNews
        }
    }

    /// Notes the link that an event names now, nil: none, and removes the picture that it named last.
    /// - Returns: Whether the link is due that was not.
    private func name(_ event: String, _ link: String?, at time: Int64, _ connection: Connection) throws -> Bool {
        let key = link.flatMap { hosts.allows($0) ? PictureKey.of($0) : nil }
        let find = try connection.prepare("SELECT key FROM naming WHERE event = ?")
        find.bind(event)
        let old = try find.step() ? find.text(0) : nil
        find.reset()
        guard old != key else { return false }
        if let old {
            try connection.run("DELETE FROM naming WHERE event = ?", event)
            let others = try connection.prepare("SELECT max(named_ms) FROM naming WHERE key = ?")
            others.bind(old)
            if let last = try others.firstInt64() {
                let update = try connection.prepare("UPDATE picture SET named_ms = ? WHERE key = ?")
                update.bind(last)
                update.bind(old)
                try update.run()
            } else {
                try connection.run("DELETE FROM picture WHERE key = ?", old)
            }
        }
        guard let key, let link else { return false }
        let insert = try connection.prepare("INSERT INTO naming (event, key, named_ms) VALUES (?, ?, ?)")
        insert.bind(event)
        insert.bind(key)
        insert.bind(time)
        try insert.run()
        let add = try connection.prepare(
            """
            INSERT INTO picture (key, link, named_ms, due_ms) VALUES (?, ?, ?, 0)
            ON CONFLICT (key) DO UPDATE SET named_ms = max(named_ms, excluded.named_ms),
              due_ms = iif(due_ms = \(Self.never), 0, due_ms)
            RETURNING due_ms
            """)
        add.bind(key)
        add.bind(link)
        add.bind(time)
        return try add.firstInt64() == 0
    }
}

extension EventStore {
    /// What these events name now, nil for those that name no picture or are gone, with the time of their first sight.
    fileprivate func pictureNamings(
        of events: [String]
    ) throws(StoreError) -> [(event: String, naming: (link: String, time: Int64)?)] {
        try read { connection in
            let find = try connection.prepare(
                "SELECT author_picture, first_seen_ms FROM event WHERE public_id = ? AND is_erased = 0")
            return try events.map { event in
                find.bind(event)
                defer { find.reset() }
                guard try find.step(), let link = find.text(0) else { return (event, nil) }
                return (event, (link, find.int64(1)))
            }
        }
    }

    /// Passes each event that names a picture, with the time of its first sight.
    fileprivate func forEachPictureNaming(
        _ body: (_ event: String, _ link: String, _ time: Int64) throws -> Void
    ) throws(StoreError) {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT public_id, author_picture, first_seen_ms FROM event
                WHERE author_picture IS NOT NULL AND is_erased = 0
                """)
            while try find.step() { try body(find.string(0), find.string(1), find.int64(2)) }
        }
    }

    /// The points of interest with a picture.
    fileprivate func picturePoints() throws(StoreError) -> [(key: String, link: String, time: Int64)] {
        try read { connection in
            let find = try connection.prepare(
                "SELECT key, picture, seeded_ms FROM point_of_interest WHERE picture IS NOT NULL ORDER BY key")
            var points: [(key: String, link: String, time: Int64)] = []
            while try find.step() { points.append((find.string(0), find.string(1), find.int64(2))) }
            return points
        }
    }
}
