import Model
import SQLite

/// The full-text index `event_text`, which finds the events with some words in title, summary, place or author's name.
///
/// FTS5 keeps no texts and must be given those of an event once more to remove its words.
struct EventWords {
    private let insertion: Statement
    private let deletion: Statement

    init(_ connection: Connection) throws {
        insertion = try connection.prepare(
            "INSERT INTO event_text (rowid, title, summary, place, author_name) VALUES (?, ?, ?, ?, ?)")
        deletion = try connection.prepare(
            """
            INSERT INTO event_text (event_text, rowid, title, summary, place, author_name)
            VALUES ('delete', ?, ?, ?, ?, ?)
            """)
    }

    /// Adds the words of an event.
    /// - Parameter texts: Title, summary, place and author's name.
    func add(_ event: Int64, _ texts: [String?]) throws {
        try Self.run(insertion, event, texts.map { $0.map(SearchText.indexed) })
    }

    /// Removes the words of an event; the texts are those that were added.
    func remove(_ event: Int64, _ texts: [String?]) throws {
        try Self.run(deletion, event, texts.map { $0.map(SearchText.indexed) })
    }

    private static func run(_ statement: Statement, _ event: Int64, _ texts: [String?]) throws {
        statement.bind(event)
        for text in texts { statement.bind(text) }
        try statement.run()
    }

    /// Fills the index from `event`, whatever it holds.
    static func build(on connection: Connection) throws {
        try connection.run("INSERT INTO event_text (event_text) VALUES ('delete-all')")
        let words = try EventWords(connection)
        let find = try connection.prepare(allTexts)
        while try find.step() { try words.add(find.int64(0), (Int32(1)...4).map { find.text($0) }) }
    }

    /// Indexes the events anew that have scripts without spaces between words, or emoji, and were indexed as they are,
    /// before schema version 11. If they are more than a tenth, an index that is built anew takes less space.
    ///
    /// Reads the texts of all events, which takes a few seconds for a million. Each that is indexed takes 0.2 ms at most.
    static func splitRuns(on connection: Connection) throws {
        guard try splitPercent(on: connection) <= 10 else { return try build(on: connection) }
        let words = try EventWords(connection)
        let find = try connection.prepare(allTexts)
        while try find.step() {
            let (event, texts) = (find.int64(0), (Int32(1)...4).map { find.text($0) })
            let split = texts.map { $0.map(SearchText.indexed) }
            guard split != texts else { continue }
            try run(words.deletion, event, texts)
            try run(words.insertion, event, split)
        }
    }

    /// How many events of a hundred have such scripts or emoji, by a sample of a thousand.
    static func splitPercent(on connection: Connection) throws -> Int {
        let find = try connection.prepare(
            """
            WITH RECURSIVE sample (id) AS (
              SELECT min(id) FROM event
              UNION ALL
              SELECT (SELECT min(e.id) FROM event e
                WHERE e.id > sample.id + ((SELECT max(id) FROM event) - (SELECT min(id) FROM event)) / 1000)
              FROM sample WHERE sample.id IS NOT NULL)
            SELECT title, summary, place, author_name FROM sample CROSS JOIN event USING (id)
            """)
        var (split, count) = (0, 0)
        while try find.step() {
            count += 1
            let texts = (Int32(0)...3).map { find.string($0) }
            if texts.contains(where: { SearchText.indexed($0) != $0 }) { split += 1 }
        }
        return split * 100 / max(1, count)
    }

    private static let allTexts = "SELECT id, title, summary, place, author_name FROM event ORDER BY id"
}
