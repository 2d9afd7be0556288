import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// The copy of a database before its migration.
@Suite struct MigrationCopyTests {
    private func copies(_ old: OldFile) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: old.directory.path)
        return names.filter { $0.contains(".schema-") }.sorted()
    }

    @Test("An older file is copied, then migrated, in this order; the copy is what it was")
    func copiedThenMigrated() throws {
        let old = try OldFile()
        var steps: [MigrationStep] = []
        let store = try EventStore(path: old.path) { step in
            if case .copying = step { return }
            steps.append(step)
        }
        #expect(try rows(store, "PRAGMA user_version") == [["\(Migrations.newest)"]])
        #expect(try copies(old) == ["events.sqlite.schema-1"])
        #expect(steps.count == 3)
        guard case .copied(let copy, _) = steps.first else {
            Issue.record("no copy: \(steps)")
            return
        }
        #expect(copy.path.hasSuffix("/events.sqlite.schema-1"))
        #expect(copy.schemaVersion == 1)
        let newest = Migrations.newest
        #expect(steps.dropFirst() == [.migrating(from: 1, to: newest), .migrated(from: 1, to: newest)])
        // The copy as the old program would find it.
        let before = try EventStore(path: copy.path, version: 1)
        #expect(try rows(before, "PRAGMA user_version") == [["1"]])
        #expect(try rows(before, "SELECT upstream_id FROM events_v1 ORDER BY 1") == [["a"], ["b"]])
    }

    @Test("A new file and one that is up to date are not copied")
    func onlyOlderFiles() throws {
        let old = try OldFile()
        try EventStore(path: old.path).close()
        #expect(unlink(old.path + ".schema-1") == 0)
        try EventStore(path: old.path) { _ in Issue.record("nothing is to be migrated") }.close()
        try EventStore(path: old.directory.path + "/new.sqlite") { _ in Issue.record("nothing to copy") }.close()
        #expect(try copies(old).isEmpty)
    }

    @Test("Without room for the copy nothing is migrated, and the error says how much is needed and where")
    func noRoom() throws {
        let old = try OldFile()
        do throws(StoreError) {
            _ = try EventStore(path: old.path, version: Migrations.newest, freeBytes: { _ in 20_480 })
            Issue.record("migrated without a copy")
        } catch {
            #expect(error.code == .full && error.isTemporary)
            for words in ["Nothing has been migrated", "20 KiB are free", "needs", old.directory.path] {
                #expect(error.message.contains(words), "\(error.message)")
            }
        }
        #expect(try copies(old).isEmpty)
        let before = try EventStore(path: old.path, version: 1)
        #expect(try rows(before, "PRAGMA user_version") == [["1"]])
    }

    @Test(
        "Events that are indexed anew need room beside the copy, if there is an index",
        arguments: [("東京で地震", true, false), ("東京で地震", false, true), ("Quake in Tokyo", true, true)])
    func roomForWords(title: String, hasFullText: Bool, hasRoom: Bool) throws {
        let old = try OldFile()
        let before = try EventStore(path: old.path, version: 1)
        try before.maintain { connection in
            try connection.run("UPDATE event SET title = ?", title)
            try connection.run(
                "INSERT INTO event_text (event_text) VALUES ('\(hasFullText ? "rebuild" : "delete-all")')")
            if !hasFullText { try connection.run("INSERT INTO meta (key, value) VALUES ('full_text', '0')") }
        }
        try before.close()
        let free = 2 * DatabasePath.size(of: old.path)
        let code = storeErrorCode {
            try EventStore(path: old.path, version: Migrations.newest, freeBytes: { _ in free }).close()
        }
        #expect(code == (hasRoom ? nil : .full))
    }

    @Test("The copy of an earlier migration goes, as does what a killed one has left; other files stay")
    func theNewestIsKept() throws {
        let old = try OldFile()
        for name in ["schema-0", "schema-0.partial-4711", "schema-1", "schema-7", "schema-x", "schema-0.mine"] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: old.path + "." + name))
        }
        try EventStore(path: old.path).close()
        let kept = ["schema-0.mine", "schema-1", "schema-7", "schema-x"]
        #expect(try copies(old) == kept.map { "events.sqlite." + $0 })
        #expect(DatabasePath.size(of: old.path + ".schema-1") > 3)
    }
}
