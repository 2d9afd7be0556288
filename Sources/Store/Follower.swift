package import Model
package import SQLite

/// Keeps tables of its own in the database, which follow from the record, step by step.
///
/// Its rows and its cursor are written in one transaction, so a death at any moment leaves an earlier state of both.
/// What its functions throw rolls the transaction back.
package struct Follower: Sendable {
    /// Its name, unique in the database; its tables are named `follow_NAME_…`.
    let name: String
    /// The version of its tables and rules; the rows of another one are made anew.
    let version: Int64
    /// Makes the tables, empty, in place of what is there.
    let begin: @Sendable (Connection) throws -> Void
    /// Reads some events in the order of their arrival, after `begin`. They are all events but erased ones, in their
    /// present states; the steps that come afterwards may tell of earlier states of them.
    let read: @Sendable ([StoredEvent], Connection) throws -> Void
    /// Takes the next steps.
    let take: @Sendable ([CommittedStep], Connection) throws -> Void
    /// Removes all that it knows of some events, by public id: of those that were erased, truncated, or merged into
    /// others. It comes before the steps that tell of it. A later step may tell of an event again.
    let erase: @Sendable ([String], Connection) throws -> Void

    /// Creates a follower of these values and functions, which get the connection of the transaction.
    package init(
        name: String, version: Int64, begin: @escaping @Sendable (Connection) throws -> Void,
        read: @escaping @Sendable ([StoredEvent], Connection) throws -> Void,
        take: @escaping @Sendable ([CommittedStep], Connection) throws -> Void,
        erase: @escaping @Sendable ([String], Connection) throws -> Void
    ) {
        (self.name, self.version, self.begin) = (name, version, begin)
        (self.read, self.take, self.erase) = (read, take, erase)
    }
}

extension EventStore {
    /// Brings a follower nearer to the record, in one transaction. Blocks; one caller at a time for each follower.
    ///
    /// Events that have ended go first, however far behind the follower is. It reads all events anew if its version is
    /// another one or the log no longer has what comes after its cursor.
    /// - Parameters:
    ///   - follower: The follower.
    ///   - limit: The most changes taken, or events read, 1 or more; a step is taken as a whole.
    /// - Returns: Whether nothing is left to follow.
    /// - Throws: `StoreError`; the follower is where it was before.
    package func follow(_ follower: Follower, atMost limit: Int = 256) throws(StoreError) -> Bool {
        try transaction { writer in
            let connection = writer.connection
            let (oldest, newest) = try EventStore.keptChanges(connection)
            guard let before = try FollowerPlace.kept(of: follower, connection), before.cursor >= oldest - 1,
                before.cursor <= newest
            else {
                try follower.begin(connection)
                // What changes while events are read comes after the cursor.
                try FollowerPlace(cursor: newest, reading: 0, erased: newest).store(of: follower, connection)
                return false
            }
            var place = before
            let ended = try connection.endedEvents(after: before.erased)
            if !ended.isEmpty { try follower.erase(ended, connection) }
            place.erased = newest
            if let row = before.reading {
                let (events, last) = try connection.events(afterRow: row, atMost: limit)
                place.reading = last
                if !events.isEmpty { try follower.read(events, connection) }
            } else {
                let steps = try CommittedStep.next(after: before.cursor, atMost: limit, connection)
                if let last = steps.last {
                    try follower.take(steps, connection)
                    place.cursor = last.number
                }
            }
            if place != before { try place.store(of: follower, connection) }
            return place == before
        }
    }
}

/// How far a follower is.
private struct FollowerPlace: Equatable {
    /// The number of the last step taken.
    var cursor: Int64
    /// The row of the last event read while all are read; nil: they have been.
    var reading: Int64?
    /// The number of the last change whose end has reached the follower.
    var erased: Int64
}

extension FollowerPlace {
    /// Nil: the follower is new, or was of another version.
    static func kept(of follower: Follower, _ connection: Connection) throws -> FollowerPlace? {
        let find = try connection.prepare(
            "SELECT cursor, reading, erased FROM follower WHERE name = ? AND version = ?", follower.name,
            follower.version)
        return try find.first {
            FollowerPlace(cursor: $0.int64(0), reading: $0.optionalInt64(1), erased: $0.int64(2))
        }
    }

    func store(of follower: Follower, _ connection: Connection) throws {
        try connection.run(
            "INSERT OR REPLACE INTO follower VALUES (?, ?, ?, ?, ?)", follower.name, follower.version, cursor, reading,
            erased)
    }
}

extension Connection {
    /// The events that were truncated or erased, or are no longer there since a merge, by changes after a number.
    fileprivate func endedEvents(after change: Int64) throws -> [String] {
        let find = try prepare(
            """
            SELECT DISTINCT c.public_id FROM change c LEFT JOIN event e ON e.public_id = c.public_id
            WHERE c.seq > ? AND (c.kind = 'truncated' OR c.kind IN ('withdrawn', 'merged') AND coalesce(e.is_erased, 1))
            """, change)
        return try find.map { $0.string(0) }
    }

    /// The next events, erased ones aside, and the row of the last; nil: there are no more.
    fileprivate func events(afterRow row: Int64, atMost limit: Int) throws -> (events: [StoredEvent], last: Int64?) {
        let rows = try prepare(
            "SELECT \(StoredEvent.columns) FROM event e WHERE e.id > ? AND e.is_erased = 0 ORDER BY e.id LIMIT ?", row,
            limit
        ).map { (id: $0.int64(0), event: StoredEvent(row: $0)) }
        return (rows.map(\.event), rows.last?.id)
    }
}
