package import Model
import Reconciling
import SQLite

extension EventChange.Kind {
    /// Kinds of changes after which an event may wait for a place: those whose writes call `enqueue` for an event that
    /// is not withdrawn and has no place.
    package static let queueing: Set<EventChange.Kind> = [.new, .revised, .restored]
}

/// Writes rows of `event` with their history, full text, position, queue item and changes.
protocol EventWriting {
    var writer: Writer { get }
    /// The source to which the history attributes revisions.
    var sourceID: Int64 { get }
    /// The transaction's wall time in milliseconds.
    var now: Int64 { get }
}

extension EventWriting {
    var statements: IngestionStatements { writer.statements }
    var connection: Connection { writer.connection }

    func load(_ id: Int64) throws -> EventRow? {
        statements.loadEvent.bind(id)
        return try statements.loadEvent.first { EventRow(row: $0) }
    }

    /// Writes a changed row with a new revision and its dependent rows; returns whether users see a difference.
    @discardableResult
    func save(_ row: EventRow, replacing old: EventRow, as kind: EventChange.Kind) throws -> Bool {
        guard let replacement = Replacement(of: old, by: row, as: kind, at: now) else { return false }
        try write(replacement)
        return replacement.previous != nil
    }

    /// Writes a row that replaces another one, with its revision and its dependent rows.
    func write(_ replacement: Replacement) throws {
        let (old, previous) = (replacement.old, replacement.previous)
        var row = replacement.row
        var growth = StoredAmount(bytes: row.storedBytes - old.storedBytes)
        if let previous {
            row.changeSequence = try writer.appendChange(replacement.kind, of: row.publicID, at: now)
            growth += try addHistory(of: row, previous: previous)
        }
        row.bind(to: statements.updateEvent)
        statements.updateEvent.bind(row.id)
        try statements.updateEvent.run()
        try grow(row.id, by: growth)
        let upkeep = Upkeep(of: old, replacedBy: row)
        if upkeep.contains(.text) {
            try removeText(of: old)
            try addText(of: row)
        }
        guard previous != nil else { return }
        if upkeep.contains(.position) {
            try statements.positions.remove(old.id, hasShape: old.geometry != nil)
            try addPosition(of: row)
        }
        if upkeep.contains(.dequeue) { try dequeue(row.id) }
        if upkeep.contains(.enqueue) { try enqueue(row) }
        if upkeep.contains(.linkTime) {
            try connection.run("UPDATE link SET time_ms = ? WHERE event_id = ?", row.time, row.id)
        }
    }

    /// Counts what an event has grown by, for the source that added it.
    func grow(_ event: Int64, by growth: StoredAmount) throws {
        guard growth != StoredAmount() else { return }
        let source = try connection.firstInt64(
            "UPDATE event_share SET rows = rows + ?2, bytes = bytes + ?3 WHERE event_id = ?1 RETURNING source_id",
            event,
            growth.rows, growth.bytes)
        if let source { writer.count(growth, for: source) }
    }

    // MARK: - Names

    /// All upstream ids of an event.
    func names(of id: Int64) throws -> [String] {
        try connection.prepare("SELECT upstream_id FROM upstream_id WHERE event_id = ?", id).map { $0.string(0) }
    }

    /// Adds names to an event; returns what they count. A name that leads to an event already stays there.
    func addNames(_ names: [String], of provider: String, to id: Int64) throws -> StoredAmount {
        var added = StoredAmount()
        for name in names {
            statements.insertName.bind(provider)
            statements.insertName.bind(name)
            statements.insertName.bind(id)
            try statements.insertName.run()
            if connection.changedRows > 0 { added.bytes += StoredBytes.name(name, of: provider) }
        }
        return added
    }

    /// Moves an event to another provider and id. It has no name afterwards.
    func move(_ old: EventRow, to provider: String, id: String) throws {
        let bytes = try names(of: old.id).reduce(0) { $0 + StoredBytes.name($1, of: old.provider) }
        try grow(old.id, by: StoredAmount(bytes: -bytes))
        try connection.run("DELETE FROM upstream_id WHERE event_id = ?", old.id)
        var new = old
        (new.provider, new.upstreamID) = (provider, id)
        try save(new, replacing: old, as: .revised)
    }

    // MARK: - History

    /// Adds a revision; keeps the first and the latest nineteen.
    /// - Parameter merged: The event that a merge took in, in its last state; nil for other revisions.
    /// - Returns: What the history has grown by.
    func addHistory(of row: EventRow, previous: String, merged: EventRow? = nil) throws -> StoredAmount {
        let state = merged?.state
        try connection.run(
            """
            INSERT INTO history (event_id, revision, at_ms, source_id, previous, seq, merged, merged_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, row.id, row.revision, now, sourceID, previous, row.changeSequence, state, merged?.publicID)
        let added = StoredAmount(rows: 1, bytes: StoredBytes.revision(previous, merged: state))
        guard row.revision > 21 else { return added }
        return try added + HistoryTrimming.run(of: row.id, on: connection)
    }

    // MARK: - Full text, position, queue

    func addText(of row: EventRow) throws {
        guard writer.keepsFullText else { return }
        try statements.words.add(row.id, row.words)
    }

    func removeText(of row: EventRow) throws {
        guard writer.keepsFullText else { return }
        try statements.words.remove(row.id, row.words)
    }

    func addPosition(of row: EventRow) throws {
        try statements.positions.add(
            row.id, at: row.location?.coordinate, geometry: row.geometry, time: row.time)
    }

    /// Takes an event out of the queue of those that wait for a place.
    func dequeue(_ event: Int64) throws {
        try connection.run("DELETE FROM geocode_queue WHERE event_id = ?", event)
    }

    /// Queues an event without a place as new, unless it is withdrawn or the operator has taken its place away.
    func enqueue(_ row: EventRow) throws {
        guard row.waitsForPlace, try correction(of: row.publicID) == nil else { return }
        statements.enqueue.bind(row.id)
        statements.enqueue.bind(now)
        try statements.enqueue.run()
    }
}
