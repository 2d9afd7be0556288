import GRDBSQLite
import Model

// Rows of `event` with everything that hangs on them: names, links, history, full text, position, queue, changes.
extension Ingestion {
    /// The row of an event.
    func load(_ id: Int64) throws -> EventRow? {
        statements.loadEvent.bind(id)
        guard try statements.loadEvent.step() else { return nil }
        defer { statements.loadEvent.reset() }
        return EventRow(row: statements.loadEvent)
    }

    /// All upstream ids of an event.
    func names(of id: Int64) throws -> [String] {
        var names: [String] = []
        statements.names.bind(id)
        while try statements.names.step() { names.append(statements.names.string(0)) }
        return names
    }

    func addName(_ name: String, of provider: String, to id: Int64) throws {
        statements.insertName.bind(provider)
        statements.insertName.bind(name)
        statements.insertName.bind(id)
        try statements.insertName.run()
    }

    /// Notes that the source shows the event and what it said; the event is no longer missing there.
    func setLink(of row: EventRow, hash: Int64) throws {
        let upsert = statements.upsertLink
        upsert.bind(row.id)
        upsert.bind(source.id)
        upsert.bind(row.time)
        upsert.bind(hash)
        upsert.bind(now)
        try upsert.run()
    }

    /// Inserts a new row and fills in its id, public id and change number.
    func insert(_ row: inout EventRow) throws {
        row.changeSequence = writer.nextSequence + (row.withdrawnReason == nil ? 0 : 1)
        var attempt: UInt64 = 0
        repeat {
            guard attempt < 16 else { throw StoreError(.other, "No free public id for an event of \(row.provider)") }
            row.publicID = PublicID.of(provider: row.provider, upstreamID: row.upstreamID, attempt: attempt)
            row.bind(to: statements.insertEvent)
            attempt += 1
        } while try !statements.insertEvent.runUnlessTaken()
        row.id = connection.lastInsertedRow
        try writer.appendChange(.new, of: row.publicID, at: now)
        if row.withdrawnReason != nil { try writer.appendChange(.withdrawn, of: row.publicID, at: now) }
        try addText(of: row)
        try addPosition(of: row)
    }

    /// Writes a changed row with a new revision, its history and what hangs on it.
    ///
    /// Returns whether users see a difference; a row without any difference is not written.
    @discardableResult
    func save(_ row: inout EventRow, replacing old: EventRow, as kind: EventChange.Kind) throws -> Bool {
        let previous = old.previous(comparedTo: row)
        guard previous != nil || row.updated != old.updated || row.source != old.source else { return false }
        if let previous {
            row.revision += 1
            row.lastChanged = now
            row.changeSequence = try writer.appendChange(kind, of: row.publicID, at: now)
            try addHistory(of: row, previous: previous)
        }
        row.bind(to: statements.updateEvent)
        statements.updateEvent.bind(row.id)
        try statements.updateEvent.run()
        guard previous != nil else { return false }
        if row.title != old.title || row.summary != old.summary || row.place != old.place
            || row.author?.name != old.author?.name
        {
            try removeText(of: old)
            try addText(of: row)
        }
        if row.location?.coordinate != old.location?.coordinate {
            try removePosition(of: old)
            try addPosition(of: row)
        }
        if row.time != old.time {
            let update = try connection.prepare("UPDATE link SET time_ms = ? WHERE event_id = ?")
            update.bind(row.time)
            update.bind(row.id)
            try update.run()
        }
        return true
    }

    /// Keeps the first and the latest revisions, twenty in all.
    func addHistory(of row: EventRow, previous: String) throws {
        let insert = statements.insertHistory
        insert.bind(row.id)
        insert.bind(row.revision)
        insert.bind(now)
        insert.bind(source.id)
        insert.bind(previous)
        try insert.run()
        guard row.revision > 21 else { return }
        try trimHistory(of: row.id)
    }

    func trimHistory(of id: Int64) throws {
        let trim = try connection.prepare(
            """
            DELETE FROM history WHERE event_id = ?1
              AND revision <> (SELECT min(revision) FROM history WHERE event_id = ?1)
              AND revision NOT IN (SELECT revision FROM history WHERE event_id = ?1 ORDER BY revision DESC LIMIT 19)
            """)
        trim.bind(id)
        try trim.run()
    }

    // MARK: - Full text, position, queue

    func addText(of row: EventRow) throws { try runText(statements.insertText, of: row) }

    func removeText(of row: EventRow) throws { try runText(statements.deleteText, of: row) }

    private func runText(_ statement: Statement, of row: EventRow) throws {
        statement.bind(row.id)
        statement.bind(row.title)
        statement.bind(row.summary)
        statement.bind(row.place)
        statement.bind(row.author?.name)
        try statement.run()
    }

    /// Puts the event on the map, or into the queue of those that wait for a place.
    func addPosition(of row: EventRow) throws {
        if let coordinate = row.location?.coordinate {
            statements.insertPosition.bind(row.id)
            statements.insertPosition.bind(coordinate.longitude)
            statements.insertPosition.bind(coordinate.latitude)
            try statements.insertPosition.run()
        } else if row.withdrawnReason == nil, !(row.place ?? row.title).isEmpty {
            statements.enqueue.bind(row.id)
            statements.enqueue.bind(now)
            try statements.enqueue.run()
        }
    }

    func removePosition(of row: EventRow) throws {
        let statement = row.location == nil ? statements.dequeue : statements.deletePosition
        statement.bind(row.id)
        try statement.run()
    }
}

extension Connection {
    /// The rowid of the last insert.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
}
