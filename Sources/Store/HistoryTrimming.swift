import Foundation
import Model
import Reading
import SQLite

/// Drops revisions of an event between the first and the latest nineteen of its own; those that tell of a merge stay,
/// and so do those of merged events.
///
/// The old values of a dropped revision go into the next kept one, unless that has older ones. So the state before the
/// gap stays exact, and the gap is known by its first change (`gap_seq`).
enum HistoryTrimming {
    private struct Row {
        var revision: Int64
        /// The number of the revision before it; other than one less after a merge.
        var before: Int64
        var sequence: Int64?
        var gap: Int64?
        var previous: String
        var isMerge: Bool
        var isChanged = false
    }

    /// Drops what is too much; returns by what the history has grown, mostly a negative amount.
    static func run(of event: Int64, on connection: Connection) throws -> StoredAmount {
        var rows = try self.rows(of: event, on: connection)
        let latest = rows.count - 19
        var dropped: [Int64] = []
        var growth = StoredAmount()
        for index in rows.indices where index > 0 && index < latest && !rows[index].isMerge {
            let row = rows[index]
            let isWhole = row.gap == nil && row.before == rows[index - 1].revision
            let gap = isWhole ? row.sequence ?? 0 : row.gap ?? 0
            let next = rows[index + 1].previous
            rows[index + 1].previous = folded(row.previous, into: next)
            // A dropped revision tells of no merge.
            growth += StoredAmount(
                rows: -1,
                bytes: rows[index + 1].previous.utf8.count - next.utf8.count
                    - StoredBytes.revision(row.previous, merged: nil))
            rows[index + 1].gap = min(gap, rows[index + 1].gap ?? gap)
            rows[index + 1].isChanged = true
            dropped.append(row.revision)
        }
        guard !dropped.isEmpty else { return growth }
        let delete = try connection.prepare("DELETE FROM history WHERE event_id = ? AND revision = ?")
        for revision in dropped {
            delete.bind(event)
            delete.bind(revision)
            try delete.run()
        }
        let update = try connection.prepare(
            "UPDATE history SET previous = ?, gap_seq = ? WHERE event_id = ? AND revision = ?")
        for row in rows where row.isChanged && !dropped.contains(row.revision) {
            update.bind(row.previous)
            update.bind(row.gap)
            update.bind(event)
            update.bind(row.revision)
            try update.run()
        }
        return growth
    }

    /// The event's own revisions, oldest first.
    private static func rows(of event: Int64, on connection: Connection) throws -> [Row] {
        let find = try connection.prepare(
            """
            SELECT revision, revision - coalesce(json_extract(merged, '$.revision'), 1), seq, gap_seq, previous,
              merged_id IS NOT NULL
            FROM history WHERE event_id = ? AND owner IS NULL ORDER BY revision
            """)
        find.bind(event)
        var rows: [Row] = []
        while try find.step() {
            rows.append(
                Row(
                    revision: find.int64(0), before: find.int64(1), sequence: find.optionalInt64(2),
                    gap: find.optionalInt64(3), previous: find.string(4), isMerge: find.int64(5) != 0))
        }
        return rows
    }

    /// The members of both objects, those of `newer` first; where both have one, the older value stays.
    static func folded(_ older: String, into newer: String) -> String {
        let old = members(of: older)
        let values = Dictionary(old, uniquingKeysWith: { first, _ in first })
        var new = members(of: newer)
        // An older place without a name had none (`StoredEvent.rolledBack`).
        if values["latitude"] != nil, values["location_name"] == nil { new.removeAll { $0.0 == "location_name" } }
        let names = Set(new.map(\.0))
        var all = new.map { (name, value) in (name, values[name] ?? value) }
        all += old.filter { !names.contains($0.0) }
        return "{" + all.map { (name, value) in "\(name.jsonQuoted):\(value)" }.joined(separator: ",") + "}"
    }

    /// The members of an object with their values as JSON; empty for other text.
    private static func members(of json: String) -> [(String, String)] {
        let members = try? JSONParser().withValue(of: Data(json.utf8)) {
            root throws(ReadingError) -> [(String, String)] in
            root.members.map { ($0.key.string, $0.value.text) }
        }
        return members ?? []
    }
}
