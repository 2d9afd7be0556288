import Model

/// Removes events with everything that hangs on them: names, links, revisions, full text, position, queue.
final class EventRemoval {
    private let writer: Writer
    private let statements: IngestionStatements
    private let deletions: [Statement]

    init(_ writer: Writer) throws {
        self.writer = writer
        statements = writer.statements
        deletions = try [
            "DELETE FROM upstream_id WHERE event_id = ?", "DELETE FROM link WHERE event_id = ?",
            "DELETE FROM topic_seen WHERE event_id = ?",
            "DELETE FROM history WHERE event_id = ?", "DELETE FROM merged_event WHERE event_id = ?",
            "DELETE FROM geocode_queue WHERE event_id = ?", "DELETE FROM event WHERE id = ?",
        ].map { try writer.connection.prepare($0) }
    }

    /// Removes one event and appends its last change.
    func remove(_ id: Int64, at now: Int64) throws {
        statements.loadEvent.bind(id)
        guard try statements.loadEvent.step() else { return }
        let row = EventRow(row: statements.loadEvent)
        statements.loadEvent.reset()
        let text = statements.deleteText
        text.bind(id)
        text.bind(row.title)
        text.bind(row.summary)
        text.bind(row.place)
        text.bind(row.author?.name)
        try text.run()
        if row.location != nil {
            statements.deletePosition.bind(id)
            try statements.deletePosition.run()
        }
        for deletion in deletions {
            deletion.bind(id)
            try deletion.run()
        }
        try writer.appendChange(.truncated, of: row.publicID, at: now)
    }
}
