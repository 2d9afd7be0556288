import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The sorted names of the files in a folder.
private func names(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}

/// Enough events that the copy takes longer than the interval of progress reports.
private func manyQuakes() -> [Event] { (0..<6000).map { quake("us\($0)", latitude: Double($0 % 80)) } }

@Suite struct DatabaseCopyTests {
    @Test("A page that the disk does not give while a copy is checked is no damage")
    func misreadPages() {
        // SQLITE_IOERR_READ, SQLITE_NOMEM, SQLITE_CORRUPT.
        let finding = { (code: Int) in
            "*** in database main ***\nPage 211: unable to get the page. error code=\(code)"
        }
        #expect(DatabaseCopy.misread(finding(266))?.code == .io)
        #expect(DatabaseCopy.misread(finding(7))?.code == .interrupted)
        #expect(DatabaseCopy.misread(finding(11)) == nil)
        #expect(DatabaseCopy.misread("row 3 missing from index event_time") == nil)
    }

    @Test("A copy is one file with the same events, without a write-ahead log, and readable by the group")
    func oneFileWithAllEvents() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"]), quake("us2")])
        let target = TemporaryDirectory()
        let copy = try DatabaseCopy.make(of: test.path, to: target.path + "/copy.sqlite")
        #expect(try names(target) == ["copy.sqlite"])
        #expect(copy.path.hasSuffix("/copy.sqlite"))
        #expect(copy.schemaVersion == Migrations.newest)
        var status = stat()
        #expect(stat(copy.path, &status) == 0 && status.st_mode & 0o777 & ~0o640 == 0)
        #expect(Int64(status.st_size) == copy.bytes)
        // 1 for writing and reading means no write-ahead log (https://www.sqlite.org/fileformat2.html, 1.3.3).
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copy.path))
        #expect(bytes[18] == 1 && bytes[19] == 1)

        let read = try EventStore(path: copy.path, mode: .readOnly)
        #expect(try names(target) == ["copy.sqlite"])
        for table in ["events_v1", "aliases_v1", "changes_v1", "event_sources_v1", "sources_v1"] {
            let all = "SELECT * FROM \(table) ORDER BY 1, 2, 3"
            #expect(try rows(read, all) == test.rows(all), "\(table)")
        }
    }

    @Test("A store goes on from a copy, with a write-ahead log again")
    func aStoreGoesOnFromACopy() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let copy = try DatabaseCopy.make(of: test.path, to: test.directory.path + "/copy.sqlite")
        let store = try EventStore(path: copy.path)
        #expect(try rows(store, "PRAGMA journal_mode") == [["wal"]])
        #expect(try rows(store, "PRAGMA auto_vacuum") == [["2"]])
        let step = PollStep(
            source: "quakes", at: start, answer: FeedAnswer(events: [quake("us1"), quake("us2")]), fingerprint: "f1")
        _ = try store.write([.step(step)])
        let changes = try rows(store, "SELECT upstream_id, change_seq FROM events_v1 ORDER BY 1")
        #expect(changes == [["us1", "1"], ["us2", "2"]])
        var words = EventQuery()
        words.text = "Chile"
        #expect(try store.events(words).count == 2)
    }

    @Test("Writes go on while a copy is made; it has what there was when it began")
    func writesGoOn() throws {
        let test = try TestStore()
        try test.poll(manyQuakes())
        var written: Int?
        let copy = try DatabaseCopy.make(
            of: test.path, to: test.directory.path + "/copy.sqlite",
            progress: { progress in
                guard case .copying = progress, written == nil else { return }
                written = (try? test.poll([quake("late")]))?.new ?? 0
            })
        #expect(written == 1)
        let read = try EventStore(path: copy.path, mode: .readOnly)
        #expect(try rows(read, "SELECT count(*), max(change_seq) FROM events_v1") == [["6000", "6000"]])
        #expect(try rows(read, "SELECT count(*) FROM events_v1 WHERE upstream_id = 'late'") == [["0"]])
        #expect(try test.rows("SELECT count(*), max(change_seq) FROM events_v1") == [["6001", "6001"]])
    }

    @Test("A file that is there stays, unless it may be replaced")
    func anotherFileStays() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let path = test.directory.path + "/copy.sqlite"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: path) } == .cannotCreate)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
        _ = try DatabaseCopy.make(of: test.path, to: path, isReplacing: true)
        #expect(try EventStore(path: path, mode: .readOnly).events(EventQuery()).count == 1)
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: test.directory.path) } == .cannotCreate)
        let nowhere = test.directory.path + "/none/copy.sqlite"
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: nowhere) } == .cannotCreate)
    }

    @Test("A file that comes while the copy is made stays, too")
    func aFileThatComesMeanwhileStays() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        let mine = Data("mine".utf8)
        let code = storeErrorCode {
            _ = try DatabaseCopy.make(
                of: test.path, to: path,
                progress: { if $0 == .checking { try? mine.write(to: URL(fileURLWithPath: path)) } })
        }
        #expect(code == .cannotCreate)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == mine)
        #expect(try names(target) == ["copy.sqlite"])
    }

    @Test("A name is taken without looking whether it is free")
    func aNameIsTakenAtOnce() throws {
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        // A dangling link has the name, but looks like no file.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target.path + "/nothing")
        let file = try PartialFile(of: path)
        let isTaken = try file.putInPlace(path, isReplacing: false)
        #expect(!isTaken)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target.path + "/nothing")
        let isReplaced = try file.putInPlace(path, isReplacing: true)
        #expect(isReplaced)
        #expect(try names(target) == ["copy.sqlite"])
    }

    @Test("A first name that stays is no failure, and goes with the object")
    func aFirstNameThatStays() throws {
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        do {
            let file = try PartialFile(of: path)
            let isInPlace = try file.putInPlace(path, isReplacing: false, removing: { _ in false })
            #expect(isInPlace)
            #expect(try names(target).count == 2)
            withExtendedLifetime(file) {}
        }
        #expect(try names(target) == ["copy.sqlite"])
    }

    @Test("The database, its files and its other names are never overwritten")
    func theDatabaseItselfIsSafe() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let folder = test.directory.path
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: test.path)
        #expect(link(test.path, folder + "/hard") == 0)
        let ends = ["", "-wal", "-shm", "-journal", ".lock"].map { "events.sqlite" + $0 }
        for name in ends + ["link", "hard"] {
            let code = storeErrorCode {
                _ = try DatabaseCopy.make(of: test.path, to: folder + "/" + name, isReplacing: true)
            }
            #expect(code == .cannotCreate, "\(name)")
        }
        // Another database, which may be in use.
        let other = try TestStore()
        try other.poll([quake("us2")])
        let code = storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: other.path, isReplacing: true) }
        #expect(code == .cannotCreate)
        #expect(try other.rows("SELECT upstream_id FROM events_v1") == [["us2"]])
        #expect(try test.rows("SELECT upstream_id FROM events_v1") == [["us1"]])
    }

    @Test("Without room, or with a write-ahead log that grows too long, nothing is left")
    func nothingIsLeft() throws {
        let test = try TestStore()
        try test.poll(manyQuakes())
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        do throws(StoreError) {
            _ = try DatabaseCopy.make(of: test.path, to: path, freeBytes: { _ in 10_240 })
            Issue.record("a copy was made without room")
        } catch {
            #expect(error.code == .full && error.isTemporary)
            #expect(error.message.contains("10 KiB") && error.message.contains(target.path), "\(error.message)")
        }
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: path, longestLog: 0) } == .busy)
        #expect(try names(target).isEmpty)
        // With unknown free space the copy is attempted.
        _ = try DatabaseCopy.make(of: test.path, to: path, freeBytes: { _ in nil })
        #expect(try names(target) == ["copy.sqlite"])
    }

    @Test("A damaged page, and an index that does not fit its table, are found")
    func damageIsFound() throws {
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        let torn = try TestStore()
        try torn.poll(manyQuakes())
        let root = try torn.value("SELECT rootpage FROM sqlite_schema WHERE name = 'event'")
        let page = try #require(root.flatMap { UInt64($0) })
        try torn.store.maintain { try $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
        try torn.store.close()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: torn.path))
        try file.seek(toOffset: (page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try file.close()
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: torn.path, to: path) } == .corrupt)

        let crooked = try TestStore()
        try crooked.poll([quake("us1")])
        try crooked.store.maintain { connection in
            try connection.run("PRAGMA writable_schema = ON")
            try connection.run(
                "UPDATE sqlite_schema SET sql = 'CREATE INDEX event_age ON event (magnitude)' WHERE name = 'event_age'")
            try connection.run("PRAGMA writable_schema = RESET")
        }
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: crooked.path, to: path) } == .corrupt)
        #expect(try names(target).isEmpty)
    }

    @Test("What is no database of ours is not copied")
    func othersAreRefused() throws {
        let target = TemporaryDirectory()
        let path = target.path + "/copy.sqlite"
        let test = try TestStore()
        try test.store.maintain { try $0.run("PRAGMA user_version = 99") }
        let newer = StoreError.Code.newerSchema(found: 99, known: Migrations.newest)
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: path) } == newer)
        try test.store.maintain { try $0.run("PRAGMA application_id = 7") }
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: test.path, to: path) } == .notADatabase)
        #expect(storeErrorCode { _ = try DatabaseCopy.make(of: target.path + "/none", to: path) } == .cannotOpen)
        #expect(try names(target).isEmpty)
    }
}
