import Foundation
import Model
import SQLite
public import Store

extension PictureStore {
    /// The most events that are read at a time, so that polls need not wait long.
    private static let page = 1_000

    /// Brings the named links a step nearer to the database, and removes the pictures that nothing names any more.
    ///
    /// The file keeps the number of the last change that it has followed, in the transaction of what followed from it. So
    /// a death costs nothing, and each step reads some events that have changed since. All events are read for a new file,
    /// for other hosts, and where changes are no longer kept.
    /// - Returns: Whether a link may be due that was not, and whether there is nothing more to follow.
    /// - Throws: `StoreError`.
    public func followOn(_ store: EventStore) throws(StoreError) -> (isNews: Bool, isDone: Bool) {
        let names = hosts.names.sorted().joined(separator: " ")
        let before = try write { connection in
            let cursor = try Self.value("cursor", connection).flatMap { Int64($0) }
            let read = try Self.value("read", connection).flatMap { EventHandle($0) }
            return (hosts: try Self.value("hosts", connection), cursor: cursor, read: read)
        }
        guard before.hosts == names, let cursor = before.cursor else { return try begin(store, hosts: names) }
        if let read = before.read { return (try readOn(store, after: read), false) }
        let page = try ChangeFeed(of: store).next(after: cursor, limit: Self.page)
        if page.isTooOld { return try begin(store, hosts: names) }
        if page.changes.isEmpty { return (try followPoints(store), true) }
        let namings = try store.pictureNamings(of: Set(page.changes.map(\.publicID)).sorted())
        let isNews = try write { connection in
            let isNews = try name(namings, connection)
            try Self.set("cursor", "\(page.cursor)", connection)
            return isNews
        }
        return (isNews, false)
    }

    /// Begins anew with all events.
    private func begin(_ store: EventStore, hosts names: String) throws(StoreError) -> (isNews: Bool, isDone: Bool) {
        // Read before the events: what changes meanwhile comes after it.
        let newest = try ChangeFeed(of: store).kept().newest
        try write { connection in
            try connection.run("DELETE FROM naming WHERE NOT (event >= 'point:' AND event < 'point;')")
            // The points are compared with their names afterwards.
            try connection.run("DELETE FROM meta WHERE name = 'points'")
            for (name, value) in [("cursor", "\(newest)"), ("hosts", names), ("read", EventHandle.start.text)] {
                try Self.set(name, value, connection)
            }
        }
        return (false, false)
    }

    /// Reads the next events of all; the last time it removes the pictures that none of them names.
    private func readOn(_ store: EventStore, after event: EventHandle) throws(StoreError) -> Bool {
        let found = try store.pictureNamings(after: event, atMost: Self.page)
        return try write { connection in
            let isNews = try name(found.namings, connection)
            if let last = found.last {
                try Self.set("read", last.text, connection)
            } else {
                try connection.run("DELETE FROM meta WHERE name = 'read'")
                try connection.run("DELETE FROM picture WHERE id NOT IN (SELECT picture FROM naming)")
            }
            return isNews
        }
    }

    /// Notes what events name, and drops the links beyond the most.
    private func name(_ namings: [PictureNaming], _ connection: Connection) throws -> Bool {
        var isNews = false
        for naming in namings {
            isNews = try name(naming.event, naming.link, at: naming.time, connection) || isNews
        }
        let surplus = try (connection.firstInt64("SELECT count(*) FROM picture") ?? 0) - Int64(mostLinks)
        guard surplus > 0 else { return isNews }
        let points = "SELECT picture FROM naming WHERE event >= 'point:' AND event < 'point;'"
        let oldest = "SELECT id FROM picture WHERE id NOT IN (\(points)) ORDER BY named_ms LIMIT \(surplus)"
        try connection.run("DELETE FROM naming WHERE picture IN (\(oldest))")
        try connection.run("DELETE FROM picture WHERE id IN (\(oldest))")
        return isNews
    }

    /// Follows the points of interest, whose seeding is no change of an event.
    private func followPoints(_ store: EventStore) throws(StoreError) -> Bool {
        let points = try store.picturePoints()
        let state = FNV64.hex(points.map { "\($0.key) \($0.link)" }.joined(separator: "\n"))
        return try write { connection in
            if try Self.value("points", connection) == state { return false }
            let find = try connection.prepare("SELECT event FROM naming WHERE event >= 'point:' AND event < 'point;'")
            let keys = try find.map { $0.string(0) }
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
        let find = try connection.prepare(
            "SELECT p.key, p.id FROM naming n JOIN picture p ON p.id = n.picture WHERE n.event = ?", event)
        let old = try find.first { (key: $0.string(0), id: $0.int64(1)) }
        guard old?.key != key else { return false }
        if let old {
            try connection.run("DELETE FROM naming WHERE event = ?", event)
            let last = try connection.firstInt64("SELECT max(named_ms) FROM naming WHERE picture = ?", old.id)
            let change = try connection.prepare(
                last == nil ? "DELETE FROM picture WHERE id = ?1" : "UPDATE picture SET named_ms = ?2 WHERE id = ?1",
                old.id)
            if let last { change.bind(last) }
            try change.run()
        }
        guard let key, let link else { return false }
        let add = try connection.prepare(
            """
            INSERT INTO picture (key, link, named_ms, due_ms) VALUES (?, ?, ?, 0)
            ON CONFLICT (key) DO UPDATE SET named_ms = max(named_ms, excluded.named_ms),
              due_ms = iif(due_ms = \(Self.never), 0, due_ms)
            RETURNING due_ms, id
            """, key, link, time)
        guard let (due, id) = try add.first({ ($0.int64(0), $0.int64(1)) }) else { return false }
        try connection.run("INSERT INTO naming (event, picture, named_ms) VALUES (?, ?, ?)", event, id, time)
        return due == 0
    }
}
