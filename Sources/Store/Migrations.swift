import GRDB
import SQLite

/// The migrations, and the checks of a file's owner and version.
enum Migrations {
    /// `VISV`, which marks the file as ours (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x5649_5356

    /// The newest schema version this program knows (`PRAGMA user_version`).
    static let newest = 14

    /// Migrates a file to a schema version.
    static func migrate(_ pool: DatabasePool, to version: Int) throws {
        try migrator.migrate(pool, upTo: "v\(version)")
        try pool.writeWithoutTransaction { db in
            // A file recovered by hand may have a lower number than its schema.
            guard let found = try Int.fetchOne(db, sql: "PRAGMA user_version"), found < version else { return }
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// About how many bytes migrating a file takes beside its copy: the write-ahead log holds all that a step writes.
    /// Events that version 11 indexes anew take three times the bytes that they have in the database.
    static func growth(of path: String, from version: Int, on connection: Connection) throws -> Int64 {
        guard version < 11, try connection.keepsFullText() else { return 0 }
        return try DatabasePath.size(of: path) / 100 * 3 * Int64(EventWords.splitPercent(on: connection))
    }

    /// Each migration is one transaction, which also sets the schema version.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, migration) in migrations.enumerated() {
            migrator.registerMigration("v\(index + 1)") { db in
                try migration(db)
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
            }
        }
        return migrator
    }

    /// What leads to each version, from 1 on.
    private static let migrations: [@Sendable (Database) throws -> Void] = [
        { db in
            try db.execute(sql: "PRAGMA application_id = \(Migrations.applicationID)")
            try db.execute(sql: Schema.version1)
        },
        { db in try db.execute(sql: Schema.version2) },
        // FTS5 merges after 16 segments, not after 4. This saves a tenth of the time for many new events.
        { db in try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('automerge', 16)") },
        { db in
            // The default, 16, equals automerge and would merge a whole level in one commit: 8 s and 4 GB in a poll
            // with ten million events.
            try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('crisismerge', 64)")
            // Merges requested by truncation need two segments.
            try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('usermerge', 2)")
        },
        { db in
            try db.execute(sql: Schema.version5)
            // Takes a quarter of a minute for a million events.
            try EventPositions.build(on: Connection(db))
        },
        { db in try db.execute(sql: Schema.version6) },
        { db in try db.execute(sql: Schema.version7) },
        { db in try db.execute(sql: Schema.version8) },
        { db in try db.execute(sql: Schema.version9) },
        { db in try db.execute(sql: Schema.version10) },
        { db in
            try db.execute(sql: Schema.version11)
            let connection = try Connection(db)
            if try connection.keepsFullText() { try EventWords.splitRuns(on: connection) }
        },
        { db in try db.execute(sql: Schema.version12) },
        { db in try db.execute(sql: Schema.version13) },
        { db in try db.execute(sql: Schema.version14) },
    ]

    /// Refuses to read a file that is empty (0) or has an older schema version.
    static func checkAge(_ found: Int, _ version: Int) throws {
        guard found < version else { return }
        throw StoreError(
            .olderSchema(found: found, known: version),
            found == 0
                ? "The database is empty; start the daemon once to create its tables"
                : "The database has schema version \(found), this program reads version \(version); "
                    + "start this version's daemon once to bring it up to date")
    }

    /// Refuses a file of another program or of a newer version; accepts an empty file.
    static func check(_ connection: Connection) throws {
        let version = Int(try connection.firstInt64("PRAGMA user_version") ?? 0)
        let application = try connection.firstInt64("PRAGMA application_id") ?? 0
        // A crash before the first migration may leave the migrator's own table alone.
        let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'"
        let isEmpty = try connection.firstInt64(tables) == 0
        guard application == applicationID || isEmpty else {
            throw StoreError(.notADatabase, "The file is the SQLite database of another program; choose another path")
        }
        try checkNovelty(version)
    }

    /// Refuses a file of a newer version.
    static func checkNovelty(_ version: Int) throws {
        guard version <= newest else {
            throw StoreError(
                .newerSchema(found: version, known: newest),
                "The database has schema version \(version), this program knows versions up to \(newest); "
                    + "install the newer program again, or use another file")
        }
    }
}
