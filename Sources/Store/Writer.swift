import Foundation
import Model
import SQLite

/// The writing connection with its prepared statements and the change counter; lives on that connection's queue.
final class Writer {
    /// The connection, for statements that run too seldom to be kept.
    let connection: Connection
    /// The statements ingestion runs for every event.
    let statements: IngestionStatements
    /// Whether titles and texts are indexed.
    private(set) var keepsFullText = true
    /// Numbers of the last changes that the transaction has appended, by kind.
    private(set) var appended: [EventChange.Kind: Int64] = [:]
    private var lastSequence: Int64 = 0
    private let findSequence: Statement

    init(_ connection: Connection) throws {
        let connection = Connection(handle: connection.handle, pool: StatementPool())
        self.connection = connection
        statements = try IngestionStatements(connection)
        findSequence = try connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'change'")
    }

    /// Called at the start of each transaction, since the last one may have been rolled back.
    func begin() throws {
        lastSequence = try findSequence.firstInt64() ?? 0
        appended = [:]
        keepsFullText = try connection.keepsFullText()
    }

    /// The number the next change will take.
    var nextSequence: Int64 { lastSequence + 1 }

    /// Appends a visible change and returns its number.
    @discardableResult
    func appendChange(_ kind: EventChange.Kind, of publicID: String, at: Int64) throws -> Int64 {
        lastSequence += 1
        let statement = statements.insertChange
        statement.bind(lastSequence)
        statement.bind(publicID)
        statement.bind(kind.rawValue)
        statement.bind(at)
        try statement.run()
        appended[kind] = lastSequence
        return lastSequence
    }

    /// A wall time from which something is kept for a while. A clock in doubt may lie long ago, so it counts from the
    /// last time that was trusted: else what it brings would be taken for old once the clock is right
    /// again.
    func stamp(_ now: Int64, isClockTrusted: Bool) throws -> Int64 {
        guard !isClockTrusted else { return now }
        let find = try connection.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?")
        find.bind(MetaKey.lastTrustedTime)
        return max(now, try find.firstInt64() ?? now)
    }

    /// Stores or replaces a value of the small key-value table.
    func setMeta(_ key: String, _ value: String) throws {
        try connection.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            key, value)
    }
}

extension Connection {
    /// Whether titles and texts are indexed, which is the default.
    func keepsFullText() throws -> Bool {
        let find = try prepare("SELECT value = '0' FROM meta WHERE key = ?")
        find.bind(MetaKey.fullText)
        return try find.firstInt64() != 1
    }
}
