import Model
import SQLite

/// Removes events and their dependent rows: upstream ids, links, revisions, full text, position, queue, their
/// share of a source's budget.
final class EventRemoval {
    private let writer: Writer
    private let statements: IngestionStatements
    private let load: Statement
    private let deletions: [Statement]

    init(_ writer: Writer) throws {
        self.writer = writer
        statements = writer.statements
        load = try writer.connection.prepare(
            "SELECT public_id, geometry IS NOT NULL, title, summary, place, author_name FROM event WHERE id = ?")
        deletions = try [
            "DELETE FROM upstream_id WHERE event_id = ?", "DELETE FROM link WHERE event_id = ?",
            "DELETE FROM topic_seen WHERE event_id = ?",
            "DELETE FROM history WHERE event_id = ?", "DELETE FROM merged_event WHERE event_id = ?",
            "DELETE FROM geocode_queue WHERE event_id = ?", "DELETE FROM event WHERE id = ?",
        ].map { try writer.connection.prepare($0) }
    }

    /// Removes one event and appends the change `truncated`; does nothing if the event is gone.
    func remove(_ id: Int64, at now: Int64) throws {
        load.bind(id)
        guard try load.step() else { return }
        let (publicID, hasShape) = (load.string(0), load.int64(1) != 0)
        if writer.keepsFullText {
            try statements.words.remove(id, (Int32(2)...5).map { load.text($0) })
        }
        load.reset()
        try writer.letCorrectionWait(of: publicID, row: id, at: now)
        try statements.positions.remove(id, hasShape: hasShape)
        statements.removeShare.bind(id)
        try writer.uncount(statements.removeShare)
        for deletion in deletions {
            deletion.bind(id)
            try deletion.run()
        }
        try writer.appendChange(.truncated, of: publicID, at: now)
    }
}
