import Model
import Reconciling
import SQLite

// Splits a row that two events have shared (`Splitting`).
extension Ingestion {
    /// Separates an event from others that share the rows of its names.
    ///
    /// - Parameter match: The event's rows and new names; afterwards the rows that belong to it, with the names taken
    ///   from another event's row.
    /// - Returns: The row from which the event was split; nil if none.
    func split(_ event: Event, from match: inout Matching.Match) throws -> Int64? {
        var origin: Int64?
        for row in match.rows {
            let (name, updated) = try presentName(of: row)
            let leaving = Splitting.split(event, name: name, updated: updated, shown: shown[row], events: events) {
                listed[ContentHash.name($0, of: event.provider)]
            }
            switch leaving {
            case nil: break
            case .other(let index):
                shown[row] = nil
                let names = try takeNames(of: events[index], from: row)
                try add(index, under: names, hash: ContentHash.of(events[index]), splitFrom: row)
            case .event:
                match.newNames += try takeNames(of: event, from: row)
                match.rows.removeAll { $0 == row }
                origin = row
            }
        }
        return origin
    }

    /// Gives a split event the sources of the row, since each of them may have meant this event. So the reset of one
    /// source does not remove it from the others. No source promises it until it lists the event itself.
    func shareLinks(of row: Int64, with new: EventRow) throws {
        try connection.run(
            """
            INSERT OR IGNORE INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms, is_promised)
            SELECT ?1, source_id, ?2, ?3, first_seen_ms, 0 FROM link WHERE event_id = ?4
            """, new.id, new.time, ContentHash.ofNothing, row)
    }

    /// The name that a row shows, and the provider's time of its version.
    private func presentName(of row: Int64) throws -> (name: String, updated: Int64?) {
        let find = try connection.prepare("SELECT upstream_id, updated_ms FROM event WHERE id = ?")
        find.bind(row)
        guard try find.step() else { throw StoreError(.corrupt, "An upstream id leads to no event") }
        defer { find.reset() }
        return (find.string(0), find.optionalInt64(1))
    }

    /// Takes the event's names from a row and returns them.
    private func takeNames(of event: Event, from row: Int64) throws -> [String] {
        let names = try event.names.filter { try self.row(named: $0, of: event.provider) == row }
        let delete = try connection.prepare("DELETE FROM upstream_id WHERE provider = ? AND upstream_id = ?")
        for name in names {
            delete.bind(event.provider)
            delete.bind(name)
            try delete.run()
        }
        let bytes = names.reduce(0) { $0 + StoredBytes.name($1, of: event.provider) }
        try grow(row, by: StoredAmount(bytes: -bytes))
        return names
    }
}
