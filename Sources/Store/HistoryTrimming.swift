import Foundation
import Model
import Reading
import Reconciling
import SQLite

/// Drops revisions of an event (`Trimming`). What merged events have brought stays.
enum HistoryTrimming {
    /// Drops what is too much; returns by what the history has grown, mostly a negative amount.
    static func run(of event: Int64, on connection: Connection) throws -> StoredAmount {
        let (revisions, previous) = try self.revisions(of: event, on: connection)
        let folds = Trimming.folds(of: revisions)
        guard !folds.isEmpty else { return StoredAmount() }
        var growth = StoredAmount()
        for index in folds.lazy.flatMap(\.dropped) {
            // A dropped revision tells of no merge.
            growth += StoredAmount(rows: -1, bytes: -StoredBytes.revision(previous[index], merged: nil))
            try connection.run(
                "DELETE FROM history WHERE event_id = ? AND revision = ?", event, revisions[index].number)
        }
        for fold in folds {
            let older = previous[fold.dropped].map(OldValues.init(json:))
            let values = older.dropFirst().reduce(older[0]) { Trimming.folded($0, into: $1) }
            let text = Trimming.folded(values, into: OldValues(json: previous[fold.kept])).json
            growth.bytes += text.utf8.count - previous[fold.kept].utf8.count
            try connection.run(
                "UPDATE history SET previous = ?, gap_seq = ? WHERE event_id = ? AND revision = ?", text, fold.gap,
                event, revisions[fold.kept].number)
        }
        return growth
    }

    /// The event's own revisions, oldest first, and their old values.
    private static func revisions(
        of event: Int64, on connection: Connection
    ) throws -> ([Trimming.Revision], previous: [String]) {
        let find = try connection.prepare(
            """
            SELECT revision, revision - coalesce(json_extract(merged, '$.revision'), 1), seq, gap_seq,
              merged_id IS NOT NULL, previous
            FROM history WHERE event_id = ? AND owner IS NULL ORDER BY revision
            """, event)
        let rows = try find.map {
            let revision = Trimming.Revision(
                number: $0.int64(0), before: $0.int64(1), sequence: $0.optionalInt64(2), gap: $0.optionalInt64(3),
                isMerge: $0.int64(4) != 0)
            return (revision: revision, previous: $0.string(5))
        }
        return (rows.map(\.revision), rows.map(\.previous))
    }
}

extension OldValues {
    /// Reads the members of an object; there are none in other text.
    fileprivate init(json: String) {
        let members = try? JSONParser().withValue(of: Data(json.utf8)) {
            root throws(ReadingError) -> [(name: String, json: String)] in
            root.members.map { ($0.key.string, $0.value.text) }
        }
        self.init(members ?? [])
    }
}
