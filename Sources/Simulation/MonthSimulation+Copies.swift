import Foundation
import Model
import Store

// Copies of the database: backups while the daemon runs, and the copy made before a migration.
extension MonthSimulation {
    /// A hash of all rows of a database, without virtual tables.
    private func contents(_ store: EventStore) throws -> UInt64 {
        var hash = FNV64.basis
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1"
        for table in try store.rows(tables).joined() {
            for row in try store.rows("SELECT * FROM \"\(table)\"") {
                hash = FNV64.hash(row.joined(separator: "\u{1F}").utf8, after: hash)
            }
        }
        return hash
    }

    /// A hash of all rows of a copy, which must be undamaged.
    private func contents(ofCopy path: String, version: Int? = nil) throws -> UInt64 {
        let copy =
            try version.map { try EventStore(path: path, mode: .readOnly, version: $0) }
            ?? EventStore(path: path, mode: .readOnly)
        defer { try? copy.close() }
        let findings = try copy.rows("PRAGMA integrity_check")
        guard findings == [["ok"]] else { throw broken("the copy \(path) is damaged: \(findings)") }
        return try contents(copy)
    }

    private func broken(_ words: String) -> Violation { oracle.broken(1, words, at: daemon.now) }

    /// Lets the disk fail, or machine or process die, during most copies; returns how the life would end.
    private func spoilCopy() -> Oracle.Ending {
        guard let disk, copies.happens(0.6) else { return .closed }
        let fault = copies.pick([FaultyDisk.Fault.ioError, .full, .kill, .powerLoss])
        let operation = copies.pick([FaultyDisk.Operation.write, .write, .write, .sync, .read])
        let most = operation == .sync ? 4 : 500
        disk.fail(operation, with: fault, after: copies.below(most), times: fault.isDeath ? 1 : .max)
        return fault == .powerLoss ? .powerLoss : .killed
    }

    /// Repeats on the simulated disk what the product has done to the real files, where SQLite's are empty: the partial
    /// file becomes `destination`, or is removed.
    private func follow(_ destination: String, isInPlace: Bool) {
        let partial = "\(destination).partial-\(getpid())"
        if isInPlace {
            disk?.rename(partial, to: destination)
        } else {
            for suffix in ["", "-journal"] { disk?.remove(partial + suffix) }
        }
    }

    // MARK: - Backup

    /// Makes a backup, which must equal the database; after a failure the last good one must be unchanged.
    func backUp() throws {
        calm()
        let path = daemon.store.path + ".backup"
        let before = try contents(daemon.store)
        let isShort = copies.happens(0.1)
        ending = spoilCopy()
        do throws(StoreError) {
            _ = try DatabaseCopy.make(
                of: daemon.store.path, to: path, isReplacing: true, freeBytes: { _ in isShort ? 4096 : nil })
            follow(path, isInPlace: true)
            lastBackup = before
            faults.hit(.backup)
        } catch {
            trace.note(oracle.elapsed(daemon.now), "backup fails: \(error.code)")
            faults.hit(.backupFailed)
        }
        if disk?.isDead == true { try revive() }
        calm()
        follow(path, isInPlace: false)
        try checkBackup()
    }

    /// Checks that the last good backup holds what the database held.
    func checkBackup() throws {
        guard let lastBackup else { return }
        let path = daemon.store.path + ".backup"
        guard try contents(ofCopy: path) == lastBackup else {
            throw broken("the backup does not hold what the database held")
        }
    }

    // MARK: - Migration

    /// Gives the database the previous schema version and starts the daemon again, which copies and migrates it, until
    /// a try succeeds.
    func migrate() throws {
        calm()
        try daemon.stop()
        if daemon.isDead { return try revive() }
        let newest = try daemon.number("PRAGMA user_version")
        // Only the newest step is undone. Of several, a failed start could complete the first, and the next copy would
        // be of that version.
        try daemon.store.tamper(
            "BEGIN IMMEDIATE", "DROP VIEW deliveries_v1",
            "DROP TRIGGER source_begins", "DROP TRIGGER source_forgets", "DROP TRIGGER source_goes",
            "DROP TABLE source_begun", "DROP TABLE silent_change", "DROP TABLE watching", "DROP TABLE told_target",
            "DROP TABLE told", "DROP TABLE delivery",
            "DELETE FROM grdb_migrations WHERE identifier = 'v\(newest)'", "PRAGMA user_version = \(newest - 1)",
            "COMMIT")
        deskOracle?.forget(at: daemon.now)
        let before = try contents(daemon.store)
        let path = daemon.store.path + ".schema-\(newest - 1)"
        var isCopied = false
        daemon.whenMigrating = { [unowned self] step in
            guard case .copied = step else { return }
            isCopied = true
            self.follow(path, isInPlace: true)
        }
        defer { daemon.whenMigrating = { _ in } }
        let death = spoilCopy()
        var ending = Oracle.Ending.closed
        while true {
            do {
                try daemon.restart(with: settings) { [disk] in
                    if disk?.isDead == true { ending = death }
                    disk?.revive()
                }
                break
            } catch let error as StoreError {
                trace.note(oracle.elapsed(daemon.now), "migration fails: \(error.code)")
                faults.hit(.migrationFailed)
                guard disk != nil, error.code != .corrupt else { throw broken("a migration fails: \(error)") }
                calm()
                follow(path, isInPlace: false)
            }
        }
        if disk?.isDead == true { daemon.die() }
        calm()
        oracle.summary.restarts += 1
        if daemon.isDead {
            self.ending = death
            return try revive()
        }
        try beginJudging(after: ending)
        guard try daemon.number("PRAGMA user_version") == newest else { throw broken("the database was not migrated") }
        guard isCopied else {
            guard ending == .powerLoss else { throw broken("the database was migrated without a copy") }
            return
        }
        faults.hit(.migration)
        let after = try contents(ofCopy: path, version: newest - 1)
        guard after == before || ending == .powerLoss else {
            throw broken("the copy before the migration does not hold what the database held")
        }
    }
}
