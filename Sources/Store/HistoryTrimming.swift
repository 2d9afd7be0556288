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
                event,
                revisions[fold.kept].number)
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
            """)
        find.bind(event)
        var revisions: [Trimming.Revision] = []
        var previous: [String] = []
        while try find.step() {
            revisions.append(
                Trimming.Revision(
                    number: find.int64(0), before: find.int64(1), sequence: find.optionalInt64(2),
                    gap: find.optionalInt64(3), isMerge: find.int64(4) != 0))
            previous.append(find.string(5))
        }
        return (revisions, previous)
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
