import Model
import SQLite

// Two events that have shared a row are two again where a snapshot lists both, each under its own id, and no name is in
// both. The row stays with the one that it goes by.
extension Ingestion {
    /// Splits off what the snapshot tells apart of the rows to which an event's names lead.
    ///
    /// - Parameters:
    ///   - rows: Those rows; what is left are the event's.
    ///   - newNames: The event's names that lead to no row; those that it takes off another's are added.
    /// - Returns: The row that the event has been split from; nil: none.
    func split(_ event: Event, from rows: inout [Int64], newNames: inout [String]) throws -> Int64? {
        var origin: Int64?
        for row in rows {
            let (name, updated) = try presentName(of: row)
            let isOwn = event.names.contains(name)
            // The other is listed under the name that the row goes by, or has been shown there without news.
            let present = isOwn ? nil : listed[ContentHash.name(name, of: event.provider)]
            guard let found = present ?? shown[row] else { continue }
            let other = events[found]
            guard Set(other.names).isDisjoint(with: event.names) else { continue }
            // A snapshot that is older than what is stored knows no better.
            if let updated, let new = (isOwn ? event : other).updated?.milliseconds, new < updated { continue }
            if isOwn {
                shown[row] = nil
                let names = try takeNames(of: other, from: row)
                try add(found, under: names, hash: ContentHash.of(other), splitFrom: row)
            } else {
                newNames += try takeNames(of: event, from: row)
                rows.removeAll { $0 == row }
                origin = row
            }
        }
        return origin
    }

    /// Whoever has shown the row may have shown this event there, so a reset of one source does not take it from the
    /// others; none of those promises it before it lists the event itself.
    func shareLinks(of row: Int64, with new: EventRow) throws {
        let insert = try connection.prepare(
            """
            INSERT OR IGNORE INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms, is_promised)
            SELECT ?1, source_id, ?2, ?3, first_seen_ms, 0 FROM link WHERE event_id = ?4
            """)
        insert.bind(new.id)
        insert.bind(new.time)
        insert.bind(ContentHash.ofNothing)
        insert.bind(row)
        try insert.run()
    }

    /// The name that a row goes by, and when the provider had last touched what it says.
    private func presentName(of row: Int64) throws -> (name: String, updated: Int64?) {
        let find = try connection.prepare("SELECT upstream_id, updated_ms FROM event WHERE id = ?")
        find.bind(row)
        guard try find.step() else { throw StoreError(.corrupt, "An upstream id leads to no event") }
        defer { find.reset() }
        return (find.string(0), find.optionalInt64(1))
    }

    /// Takes those of an event's names that a row has off it, and returns them.
    private func takeNames(of event: Event, from row: Int64) throws -> [String] {
        let names = try event.names.filter { try self.row(named: $0, of: event.provider) == row }
        let delete = try connection.prepare("DELETE FROM upstream_id WHERE provider = ? AND upstream_id = ?")
        for name in names {
            delete.bind(event.provider)
            delete.bind(name)
            try delete.run()
        }
        return names
    }
}
