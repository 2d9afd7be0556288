import Foundation
import Model
import TestSupport
import Testing

@testable import Store

private let sqliteShell = "/usr/bin/sqlite3"

@Suite struct OpeningTests {
    @Test func fileIsPrivateToOwnerAndGroupAndInWALMode() throws {
        let test = try TestStore()
        var info = stat()
        #expect(stat(test.path, &info) == 0)
        #expect(info.st_mode & 0o777 & ~0o640 == 0)
        #expect(info.st_mode & 0o600 == 0o600)
        #expect(try test.value("PRAGMA journal_mode") == "wal")
        #expect(try test.value("PRAGMA auto_vacuum") == "2")
        #expect(try test.value("PRAGMA application_id") == "\(Migrations.applicationID)")
        #expect(try test.value("PRAGMA user_version") == "\(Migrations.newest)")
        #expect(try test.value("PRAGMA integrity_check") == "ok")
    }

    @Test func reopeningKeepsEventsAndChangeNumbers() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let last = try test.store.lastChange()
        try test.store.close()
        let again = try EventStore(path: test.path)
        #expect(try again.events(EventQuery()).map(\.event.id) == ["us1"])
        #expect(try again.lastChange() == last)
        #expect(last == 1)
    }

    @Test func newerFileIsRefusedWithBothVersions() throws {
        let test = try TestStore()
        try test.store.maintain { try $0.run("PRAGMA user_version = 99") }
        try test.store.close()
        let newer = StoreError.Code.newerSchema(found: 99, known: Migrations.newest)
        #expect(storeErrorCode { _ = try EventStore(path: test.path) } == newer)
        #expect(storeErrorCode { _ = try EventStore(path: test.path, mode: .readOnly) } == newer)
    }

    @Test func otherFilesAreRefusedAndLeftAlone() throws {
        let directory = TemporaryDirectory()
        let text = directory.path + "/notes.txt"
        let words = Data(String(repeating: "Not a database. ", count: 100).utf8)
        try words.write(to: URL(fileURLWithPath: text))
        #expect(storeErrorCode { _ = try EventStore(path: text) } == .notADatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == words)

        let test = try TestStore()
        try test.store.maintain { try $0.run("PRAGMA application_id = 7") }
        try test.store.close()
        #expect(storeErrorCode { _ = try EventStore(path: test.path) } == .notADatabase)
        #expect(storeErrorCode { _ = try EventStore(path: directory.path + "/none/x.sqlite") } == .cannotOpen)
    }

    @Test func readersSeeCommittedStateBesideTheWriterAndAfterIt() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let reader = try EventStore(path: test.path, mode: .readOnly)
        #expect(try reader.events(EventQuery()).count == 1)
        try test.poll([quake("us2")])
        #expect(try reader.events(EventQuery()).count == 2)
        #expect(storeErrorCode { try reader.setValue("1", for: "x") } == .readOnly)
        try reader.close()
        try test.store.close()
        #expect(FileManager.default.fileExists(atPath: test.path + "-wal"))
        #expect(try EventStore(path: test.path, mode: .readOnly).events(EventQuery()).count == 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: sqliteShell), "the sqlite3 shell is not installed"))
    func sqliteShellReadsTheViewsWhileTheStoreIsOpen() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"])])
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: sqliteShell)
        process.arguments = [
            "-readonly", test.path,
            """
            SELECT upstream_id, time_ms, latitude FROM events_v1;
            SELECT source FROM event_sources_v1;
            SELECT group_concat(upstream_id) FROM (SELECT upstream_id FROM aliases_v1 ORDER BY 1);
            SELECT kind FROM changes_v1;
            SELECT count(*) FROM event_history_v1;
            SELECT name FROM sources_v1 ORDER BY 1 LIMIT 1;
            SELECT count(*) FROM points_of_interest_v1;
            SELECT count(*) FROM merged_events_v1;
            """,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let time = (start - 7200).milliseconds
        #expect(text == "us1|\(time)|-20.0\nquakes\nci1,us1\nnew\n0\nmore\n0\n0\n")
    }
}
