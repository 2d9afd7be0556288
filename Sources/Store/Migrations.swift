import GRDB
import SQLite

/// What brings a file to the newest schema, and what tells whose file it is.
enum Migrations {
    /// `VISV`: marks the file as ours (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x5649_5356

    /// Newest schema version this program knows (`PRAGMA user_version`).
    static let newest = 6

    /// Brings a file to a schema version.
    static func migrate(_ pool: DatabasePool, to version: Int) throws {
        try migrator.migrate(pool, upTo: "v\(version)")
        try pool.writeWithoutTransaction { db in
            // A file that was recovered by hand may name an older one than it has.
            guard let found = try Int.fetchOne(db, sql: "PRAGMA user_version"), found < version else { return }
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Each step is one transaction that ends with the version it has reached.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "PRAGMA application_id = \(Migrations.applicationID)")
            try db.execute(sql: Schema.version1)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: Schema.version2)
            try db.execute(sql: "PRAGMA user_version = 2")
        }
        migrator.registerMigration("v3") { db in
            // Up to 16 segments of the full text before they are merged, in place of 4: a tenth less for many new events.
            try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('automerge', 16)")
            try db.execute(sql: "PRAGMA user_version = 3")
        }
        migrator.registerMigration("v4") { db in
            // With as many segments as automerge waits for, the default would merge all of a level at once, in one commit:
            // with ten million events 8 s and 4 GB in a poll.
            try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('crisismerge', 64)")
            // What truncation asks for merges by twos.
            try db.execute(sql: "INSERT INTO event_text (event_text, rank) VALUES ('usermerge', 2)")
            try db.execute(sql: "PRAGMA user_version = 4")
        }
        migrator.registerMigration("v5") { db in
            try db.execute(sql: Schema.version5)
            // A million events take a quarter of a minute.
            try EventPositions.build(on: Connection(db))
            try db.execute(sql: "PRAGMA user_version = 5")
        }
        migrator.registerMigration("v6") { db in
            try db.execute(sql: Schema.version6)
            try db.execute(sql: "PRAGMA user_version = 6")
        }
        return migrator
    }

    /// Refuses to read a file that has still to be brought to a schema version, or is empty (0).
    static func checkAge(_ found: Int, _ version: Int) throws {
        guard found < version else { return }
        throw StoreError(
            .olderSchema(found: found, known: version),
            found == 0
                ? "The database is empty; start the daemon once to create its tables"
                : "The database has schema version \(found), this program reads version \(version); "
                    + "start this version's daemon once to bring it up to date")
    }

    /// Refuses a file of another program or of a newer version; an empty file is fine.
    static func check(_ connection: Connection) throws {
        let version = Int(try connection.firstInt64("PRAGMA user_version") ?? 0)
        let application = try connection.firstInt64("PRAGMA application_id") ?? 0
        // The migrator's own table is made before the first migration, so a crash may leave it alone.
        let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'"
        let isEmpty = try connection.firstInt64(tables) == 0
        guard application == applicationID || isEmpty else {
            throw StoreError(.notADatabase, "The file is the SQLite database of another program; choose another path")
        }
        guard version <= newest else {
            throw StoreError(
                .newerSchema(found: version, known: newest),
                "The database has schema version \(version), this program knows versions up to \(newest); "
                    + "install the newer program again, or use another file")
        }
    }
}
