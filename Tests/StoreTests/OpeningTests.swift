import Foundation
import Model
import SQLite
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

    @Test func whatRootHasLeftInAUsersFolderIsToBeGivenBack() {
        let path = "/srv/v.sqlite"
        let words = DatabasePath.refusal(of: path, ownedBy: 0, in: 997, to: 997)
        #expect(
            words.hasSuffix(
                "it belongs to root, though its folder does not; give it back with: sudo chown "
                    + "--reference=/srv /srv/v.sqlite*"))
        for (owner, folder, user) in [(997, 997, 1000), (0, 0, 997), (0, 997, 1000)] as [(uid_t, uid_t, uid_t)] {
            let words = DatabasePath.refusal(of: path, ownedBy: owner, in: folder, to: user)
            #expect(words.hasSuffix("; use the service's user, or join its group"), "\(words)")
        }
    }

    @Test func aFileOfTwoNamesIsReadButNotWritten() throws {
        let test = try TestStore()
        try test.store.close()
        let other = test.path + "-other"
        try #require(link(test.path, other) == 0)
        for path in [test.path, other] {
            #expect(storeErrorCode { _ = try EventStore(path: path) } == .cannotOpen)
            #expect(storeErrorCode { try DatabasePath.mustBeUsable(path) } == .cannotOpen)
        }
        _ = try EventStore(path: test.path, mode: .readOnly)
        unlink(other)
        try DatabasePath.mustBeUsable(test.path)
        _ = try EventStore(path: test.path)
    }

    /// SQLite finds the write-ahead log by name: its content must not go into another file.
    @Test func aFileThatWasReplacedIsNotWrittenAndLeavesTheOtherAlone() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let other = try TestStore()
        try other.poll([quake("us2")])
        try other.store.close()
        let moved = test.path + "-moved"
        try #require(rename(test.path, moved) == 0)
        #expect(storeErrorCode { _ = try test.poll([quake("us3")]) } == .replaced)
        try FileManager.default.copyItem(atPath: other.path, toPath: test.path)
        #expect(storeErrorCode { _ = try test.poll([quake("us3")]) } == .replaced)
        try test.store.close()
        #expect(try EventStore(path: test.path).events(EventQuery()).map(\.event.id) == ["us2"])
        #expect(try EventStore(path: moved).events(EventQuery()).map(\.event.id) == ["us1"])
    }

    @Test func aFileThatWasPutBackIsWritten() throws {
        let test = try TestStore()
        try #require(rename(test.path, test.path + "-moved") == 0)
        #expect(storeErrorCode { _ = try test.poll([quake("us1")]) } == .replaced)
        try #require(rename(test.path + "-moved", test.path) == 0)
        try test.poll([quake("us1")])
        #expect(try test.store.events(EventQuery()).map(\.event.id) == ["us1"])
    }

    @Test func aReaderOfWhatIsNotThereIsToldWhatToDoAndMakesNoFile() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        do throws(StoreError) {
            _ = try EventStore(path: path, mode: .readOnly)
            Issue.record("a database that is not there was opened")
        } catch {
            #expect(error.code == .cannotOpen)
            #expect(error.message.hasPrefix("There is no database at \(path) yet; start the daemon"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        #expect(storeErrorCode { _ = try EventStore(path: path + "/x", mode: .readOnly) } == .cannotOpen)
    }

    @Test func theTimeOfTheLastReconciliationIsKept() throws {
        let test = try TestStore()
        #expect(try test.store.lastReconciliation() == start)
        try test.store.reconcile(TestStore.sources, at: start + 60.5)
        #expect(try EventStore(path: test.path, mode: .readOnly).lastReconciliation() == start + 60.5)
    }

    @Test func onlySourcesWithNewSettingsAreRenewed() throws {
        let test = try TestStore()
        let names = TestStore.sources.map { $0.name }
        try test.store.noteNewSettings(of: [], at: start + 60)
        #expect(try test.store.renewals() == [:])
        try test.store.noteNewSettings(of: [names[0], "gone"], at: start + 60)
        try test.store.noteNewSettings(of: [names[1]], at: start + 120)
        #expect(try test.store.renewals() == [names[0]: start + 60, names[1]: start + 120])
        #expect(try test.store.lastReconciliation() == start)
        try test.store.noteNewSettings(of: nil, at: start + 180)
        #expect(try test.store.renewals() == [:])
        #expect(try test.store.lastReconciliation() == start + 180)
    }

    @Test("What is not there, is a folder or cannot be opened is named with its path", arguments: [true, false])
    func refusalsNameThePath(isReader: Bool) throws {
        let directory = TemporaryDirectory()
        let mode = isReader ? EventStore.Mode.readOnly : .readWrite
        func refusal(_ path: String) -> StoreError? {
            do throws(StoreError) {
                try EventStore(path: path, mode: mode).close()
                return nil
            } catch {
                return error
            }
        }
        let folder = refusal(directory.path)
        #expect(folder?.code == .cannotOpen)
        #expect(folder?.message.contains("is a folder") == true)
        let nowhere = refusal(directory.path + "/none/x.sqlite")
        #expect(nowhere?.code == .cannotOpen)
        #expect(nowhere?.message.contains("folder of the database") == true)
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(refusal(pipe)?.code == .cannotOpen)
        let text = directory.path + "/notes.txt"
        try Data(repeating: 0x41, count: 2000).write(to: URL(fileURLWithPath: text))
        #expect(refusal(text)?.message.contains(text) == true)
        let missing = refusal(directory.path + "/x.sqlite")
        let expected: StoreError.Code? = isReader ? .cannotOpen : nil
        #expect(missing?.code == expected)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/x.sqlite") == !isReader)
    }

    @Test func anEmptyFileIsOlderThanEverySchema() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        try Data().write(to: URL(fileURLWithPath: path))
        let older = StoreError.Code.olderSchema(found: 0, known: Migrations.newest)
        #expect(storeErrorCode { _ = try EventStore(path: path, mode: .readOnly) } == older)
        #expect(try EventStore(path: path).events(EventQuery()).isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.allSatisfy { !$0.contains("schema") })
    }

    @Test("A symbolic link leads to the file, and the write-ahead log is found beside that")
    func linksAreFollowed() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let other = TemporaryDirectory()
        let link = other.path + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: test.path)
        let store = try EventStore(path: link, mode: .readOnly)
        #expect(store.path == test.store.path)
        #expect(try store.statistics().walBytes > 0)
        #expect(try store.events(EventQuery()).count == 1)
        let dangling = other.path + "/dangling.sqlite"
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "there.sqlite")
        #expect(DatabasePath.resolved(dangling) == DatabasePath.resolved(other.path + "/there.sqlite"))
        try EventStore(path: dangling).close()
        #expect(FileManager.default.fileExists(atPath: other.path + "/there.sqlite"))
    }

    @Test func readersSeeCommittedStateBesideTheWriterAndAfterIt() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let reader = try EventStore(path: test.path, mode: .readOnly)
        #expect(try reader.events(EventQuery()).count == 1)
        try test.poll([quake("us2")])
        #expect(try reader.events(EventQuery()).count == 2)
        #expect(storeErrorCode { try reader.setTrouble("1", of: .nominatim) } == .readOnly)
        try reader.close()
        try test.store.close()
        #expect(FileManager.default.fileExists(atPath: test.path + "-wal"))
        #expect(try EventStore(path: test.path, mode: .readOnly).events(EventQuery()).count == 2)
    }

    @Test func theLogIsEmptiedAsFarAsReadersAllow() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let reader = try EventStore(path: test.path, mode: .readOnly)
        try reader.read { connection in
            _ = try connection.firstInt64("SELECT count(*) FROM event")
            try test.poll([quake("us2")])
            test.store.emptyLog()
        }
        #expect(DatabasePath.size(of: test.path + "-wal") > 0)
        test.store.emptyLog()
        #expect(FileManager.default.fileExists(atPath: test.path + "-wal"), "its name stays")
        #expect(DatabasePath.size(of: test.path + "-wal") == 0)
        #expect(try reader.events(EventQuery()).count == 2)
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
