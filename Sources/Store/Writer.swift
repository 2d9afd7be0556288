import Foundation
import Model
import SQLite

/// The writing connection with its compiled statements and change counter, for that connection's queue only.
final class Writer {
    /// The connection, for statements that are not kept here.
    let connection: Connection
    let statements: IngestionStatements
    /// Whether the full-text index is turned on.
    private(set) var keepsFullText = true
    /// The transaction's last change of each kind.
    private(set) var appended: [EventChange.Kind: Int64] = [:]
    private var lastSequence: Int64 = 0
    private let findSequence: Statement

    init(_ connection: Connection) throws {
        let connection = Connection(handle: connection.handle, pool: StatementPool())
        self.connection = connection
        statements = try IngestionStatements(connection)
        findSequence = try connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'change'")
    }

    /// Starts a transaction; reads the counters again, since the last transaction may have been rolled back.
    func begin() throws {
        lastSequence = try findSequence.firstInt64() ?? 0
        appended = [:]
        keepsFullText = try connection.keepsFullText()
    }

    /// The number of the next change.
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

    /// The wall time from which a retention period counts. Under an untrusted clock it is at least the last trusted
    /// time; otherwise the row would look old once the clock is right.
    func stamp(_ now: Int64, isClockTrusted: Bool) throws -> Int64 {
        guard !isClockTrusted else { return now }
        let find = try connection.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?")
        find.bind(MetaKey.lastTrustedTime)
        return max(now, try find.firstInt64() ?? now)
    }

    /// Stores a value in the table `meta`.
    func setMeta(_ key: String, _ value: String) throws {
        try connection.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            key, value)
    }
}

extension Connection {
    /// Whether the full-text index is turned on, which is the default.
    func keepsFullText() throws -> Bool {
        let find = try prepare("SELECT value = '0' FROM meta WHERE key = ?")
        find.bind(MetaKey.fullText)
        return try find.firstInt64() != 1
    }
}
