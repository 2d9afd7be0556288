import GRDBSQLite
import Model
import Reconciling
import SQLite

// Writes what a `Reconciliation` has decided.
extension Ingestion {
    /// Writes mutations in their order.
    func write(_ mutations: [Mutation]) throws { for mutation in mutations { try write(mutation) } }

    func write(_ mutation: Mutation) throws {
        switch mutation {
        case .add(let row, let index, let names, let hash, let origin):
            try add(row, of: index, under: names, hash: hash, splitFrom: origin)
        case .revise(let replacement): try write(replacement)
        case .merge(let younger, let older): try merge(younger, into: older)
        case .move(let id, let provider, let name):
            if let old = try load(id) { try move(old, to: provider, id: name) }
        case .name(let id, let names, let provider):
            try grow(id, by: addNames(names, of: provider, to: id))
            try Correcting(writer: writer, now: now).restore(under: names, of: provider, on: id)
        case .unname(let id, let names, let provider): try takeNames(names, of: provider, from: id)
        case .show(let id, let time, let hash): try show(id, time: time, hash: hash)
        case .miss(let id, let since):
            try connection.run(
                "UPDATE link SET missing_since_ms = ? WHERE event_id = ? AND source_id = ?", since, id, source.id)
        case .unpromise(let id):
            try connection.run(
                "UPDATE link SET is_promised = 0, missing_since_ms = NULL WHERE event_id = ? AND source_id = ?", id,
                source.id)
        case .unlink(let id):
            for table in ["link", "topic_seen"] {
                try connection.run("DELETE FROM \(table) WHERE event_id = ? AND source_id = ?", id, source.id)
            }
        case .renewLinks(let id):
            try connection.run("UPDATE link SET seen_hash = ?2 WHERE event_id = ?1", id, ContentHash.ofNothing)
        case .keepFeedPlace(let place, let publicID): try keepFeedPlace(place, of: publicID)
        case .keep(let kept, let withdrawal): try keep(kept, of: withdrawal)
        case .eraseAnswers(let row): try forgetAnswers(about: row)
        case .eraseTraces(let row): try eraseTraces(of: row)
        case .eraseWaiting(let withdrawal, let samples):
            try eraseRefused(withdrawal, samples: samples)
            try writer.forgetWaitingCorrections(of: withdrawal)
        case .cover(let snapshot, let provider): try keep(snapshot, of: provider)
        case .widen(let from):
            try connection.run(
                "UPDATE coverage SET from_ms = ?2 WHERE source_id = ?1 AND from_ms > ?2", source.id, from)
        case .touch(let name, let provider):
            try connection.run(
                "UPDATE tombstone SET listed_ms = ? WHERE provider = ? AND upstream_id = ?", now, provider, name)
        }
    }

    // MARK: - New rows

    /// Adds a row; the public id of one that is split from another may have led there, and becomes its own again.
    private func add(
        _ new: EventRow, of index: Int, under names: [String], hash: Int64, splitFrom origin: Int64?
    ) throws {
        let row = try insert(new)
        let share = try StoredAmount(rows: 1, bytes: row.storedBytes) + addNames(names, of: row.provider, to: row.id)
        let insert = statements.insertShare
        insert.bind(row.id)
        insert.bind(source.id)
        insert.bind(share.rows)
        insert.bind(share.bytes)
        try insert.run()
        writer.count(share, for: source.id)
        try show(row.id, time: row.time, hash: hash)
        if let origin {
            // Each source may have meant this event, so the reset of one does not remove it from the others. None
            // promises it until it lists the event itself.
            try connection.run(
                """
                INSERT OR IGNORE INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms, is_promised)
                SELECT ?1, source_id, ?2, ?3, first_seen_ms, 0 FROM link WHERE event_id = ?4
                """, row.id, row.time, ContentHash.ofNothing, origin)
            try connection.run("DELETE FROM merged_event WHERE public_id = ?", row.publicID)
        }
        let allNames = reconciliation.events[index].names
        try Correcting(writer: writer, now: now).restore(under: allNames, of: row.provider, on: row.id)
        reconciliation.note(row.id, shows: index, isUnchanged: false)
    }

    /// Inserts a new row; returns it with its id, public id and change number.
    private func insert(_ new: EventRow) throws -> EventRow {
        var row = new
        row.firstSequence = writer.nextChange()
        row.changeSequence = row.withdrawnReason == nil ? row.firstSequence : writer.nextChange()
        var attempt: UInt64 = 0
        repeat {
            guard attempt < 16 else { throw StoreError(.other, "No free public id for an event of \(row.provider)") }
            row.publicID = PublicID.of(provider: row.provider, upstreamID: row.upstreamID, attempt: attempt)
            row.bind(to: statements.insertEvent)
            attempt += 1
        } while try !statements.insertEvent.runUnlessTaken()
        row.id = connection.lastInsertedRow
        try writer.appendChange(.new, of: row.publicID, at: now, as: row.firstSequence)
        if row.withdrawnReason != nil {
            try writer.appendChange(.withdrawn, of: row.publicID, at: now, as: row.changeSequence)
        }
        try addText(of: row)
        try addPosition(of: row)
        try enqueue(row)
        return row
    }

    private func takeNames(_ names: [String], of provider: String, from id: Int64) throws {
        for name in names {
            try connection.run("DELETE FROM upstream_id WHERE provider = ? AND upstream_id = ?", provider, name)
        }
        let bytes = names.reduce(0) { $0 + StoredBytes.name($1, of: provider) }
        try grow(id, by: StoredAmount(bytes: -bytes))
    }

    // MARK: - Links

    /// Records that the source shows the event, and its version's hash; the event is no longer missing there.
    private func show(_ id: Int64, time: Int64, hash: Int64) throws {
        let upsert = statements.upsertLink
        upsert.bind(id)
        upsert.bind(source.id)
        upsert.bind(time)
        upsert.bind(hash)
        upsert.bind(now)
        try upsert.run()
        try keep(hash, of: id, in: reconciliation.topic)
    }

    /// Records the hash of the version that a topic of the source has shown.
    func keep(_ hash: Int64, of id: Int64, in topic: String?) throws {
        guard let topic else { return }
        try connection.run(
            "INSERT OR REPLACE INTO topic_seen (event_id, source_id, topic, seen_hash) VALUES (?, ?, ?, ?)", id,
            source.id, topic, hash)
    }

    private func keep(_ snapshot: LastSnapshot, of provider: String) throws {
        try connection.run(
            """
            INSERT INTO coverage (source_id, provider, generated_ms, fingerprint, settled_fingerprint, from_ms, to_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (source_id, provider) DO UPDATE SET generated_ms = excluded.generated_ms,
              fingerprint = excluded.fingerprint, settled_fingerprint = excluded.settled_fingerprint,
              from_ms = excluded.from_ms, to_ms = excluded.to_ms
            """, source.id, provider, snapshot.generated, snapshot.fingerprint, snapshot.settledFingerprint,
            snapshot.from, snapshot.to)
    }
}

extension Connection {
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The rows that the last statement has inserted, updated or deleted.
    var changedRows: Int32 { sqlite3_changes(handle) }
}
