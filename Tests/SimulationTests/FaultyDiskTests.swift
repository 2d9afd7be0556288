import GRDBSQLite
import Simulation
import Testing

/// The disk under real SQLite, selected by its VFS's name, since other suites in this process use real files.
@Suite struct FaultyDiskTests {
    @Test(arguments: UInt64(1)...24)
    func whatWasCommittedWithFullSynchronousOutlivesALossOfPower(seed: UInt64) throws {
        let disk = FaultyDisk(seed: seed, isDefault: false)
        var last: Int64 = 0
        for _ in 0..<4 {
            let connection = try Ledger(disk, synchronous: "FULL")
            #expect(try connection.check() == last)
            for _ in 0..<20 { last = try connection.post() }
            disk.losePower()
            connection.close()
            disk.revive()
        }
        #expect(try Ledger(disk).check() == last)
        #expect(disk.powerLosses == 4)
    }

    @Test func withNormalSynchronousABeginningOfTheTransactionsOutlivesALossOfPower() throws {
        var (kept, lost, torn, forgotten) = (0, 0, 0, 0)
        for seed in UInt64(1)...24 {
            let disk = FaultyDisk(seed: seed, isDefault: false)
            var last: Int64 = 0
            for _ in 0..<4 {
                let connection = try Ledger(disk, synchronous: "NORMAL")
                let found = try connection.check()
                #expect(found <= last)
                if found < last { forgotten += 1 }
                last = found
                for _ in 0..<20 { last = try connection.post() }
                disk.losePower()
                connection.close()
                disk.revive()
            }
            kept += disk.writesKept
            lost += disk.writesLost
            torn += disk.writesTorn
            #expect(disk.writesLost == 0 || disk.bytesLost > 0)
        }
        #expect(kept > 0 && lost > 0 && torn > 0 && forgotten > 0)
    }

    @Test func aFileThatIsGivenAnotherNameOutlivesALossOfPowerUnderIt() throws {
        let disk = FaultyDisk(seed: 5, isDefault: false)
        let connection = try Ledger(disk, synchronous: "OFF", keepsWAL: false)
        let last = try connection.post()
        connection.close()
        let path = "/data/ledger.sqlite"
        disk.rename(path, to: "/elsewhere")
        disk.losePower()
        disk.revive()
        #expect(disk.size(of: path) == nil)
        disk.rename("/elsewhere", to: path)
        #expect(try Ledger(disk).check() == last)
        disk.remove(path)
        #expect(disk.size(of: path) == nil)
    }

    @Test(arguments: [FaultyDisk.Fault.kill, .powerLoss], [FaultyDisk.Operation.read, .write, .sync, .lock])
    func aDeathInTheMiddleOfAnyOperationLeavesAWholeDatabase(
        fault: FaultyDisk.Fault, operation: FaultyDisk.Operation
    ) throws {
        var deaths = 0
        for moment in stride(from: 0, to: 60, by: 3) {
            let disk = FaultyDisk(seed: UInt64(moment), isDefault: false)
            let connection = try Ledger(disk, synchronous: "FULL")
            var last = try connection.post()
            disk.fail(operation, with: fault, after: moment)
            // The last transaction may be committed although it reported an error.
            while last < 60, let next = try? connection.post() { last = next }
            #expect(disk.isDead == (disk.firedFaults == 1))
            deaths += disk.kills + disk.powerLosses
            connection.close()
            disk.clearFaults()
            disk.revive()
            let found = try Ledger(disk).check()
            #expect(found == last || found == last + 1)
        }
        #expect(deaths > 10)
    }

    @Test func aKilledProcessLosesNothing() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        let connection = try Ledger(disk, synchronous: "OFF")
        for _ in 0..<50 { try connection.post() }
        disk.killProcess()
        connection.close()
        disk.revive()
        #expect(try Ledger(disk).check() == 50)
        #expect(disk.kills == 1 && disk.bytesLost == 0)
    }

    @Test(arguments: FaultyDisk.Operation.allCases)
    func aFailingOperationCostsNothingThatWasCommitted(operation: FaultyDisk.Operation) throws {
        var fired = 0
        for fault in FaultyDisk.Fault.allCases where !fault.isDeath {
            for after in stride(from: 0, to: 30, by: 3) {
                let disk = FaultyDisk(seed: UInt64(after), isDefault: false)
                // Otherwise the last connection to close deletes the WAL.
                let keepsWAL = operation != .delete
                try Ledger(disk, keepsWAL: keepsWAL).close()
                disk.fail(operation, with: fault, after: after, times: 2)
                var last: Int64 = 0
                for _ in 0..<5 {
                    guard let connection = try? Ledger(disk, keepsWAL: keepsWAL) else { continue }
                    for _ in 0..<6 {
                        if let next = try? connection.post() {
                            last = next
                        } else if let found = try? connection.last() {
                            #expect(found == last || found == last + 1)
                            last = found
                        }
                    }
                    try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
                }
                disk.clearFaults()
                let found = try Ledger(disk).check()
                #expect(found == last || found == last + 1)
                fired += disk.firedFaults
                #expect(disk.counts[operation, default: 0] >= disk.firedByOperation[operation, default: 0])
            }
        }
        #expect(fired > 0)
    }

    @Test func aFullDiskTakesWritesAgainOnceThereIsRoom() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        let connection = try Ledger(disk)
        try connection.run("PRAGMA wal_autocheckpoint = 0")
        var posted = try connection.post()
        disk.capacity = disk.usedBytes + 20_000
        while posted < 100, let next = try? connection.post() { posted = next }
        #expect(posted < 100)
        #expect(throws: Ledger.Failure(code: SQLITE_FULL)) { try connection.post() }
        #expect(disk.fullWrites > 0)
        disk.capacity = nil
        #expect(try connection.post() == posted + 1)
        #expect(try connection.check() == posted + 1)
    }

    @Test func deadConnectionsFailAndCloseWithoutTouchingTheDisk() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        let writer = try Ledger(disk)
        let reader = try Ledger(disk)
        try writer.post()
        try writer.run("BEGIN IMMEDIATE")
        try writer.run("UPDATE ledger SET value = 7")
        disk.killProcess()
        let counts = disk.counts
        let bytes = disk.usedBytes
        #expect(throws: Ledger.Failure.self) { try writer.run("COMMIT") }
        #expect(throws: Ledger.Failure.self) { try reader.last() }
        #expect(throws: Ledger.Failure.self) { try Ledger(disk) }
        #expect(disk.openFiles > 0)
        writer.close()
        reader.close()
        #expect(disk.openFiles == 0)
        #expect(disk.counts == counts && disk.usedBytes == bytes)
        disk.revive()
        #expect(try Ledger(disk).check() == 1)
    }

    @Test func connectionsSeeEachOthersLocksAndCommits() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        let first = try Ledger(disk)
        let second = try Ledger(disk)
        try first.run("BEGIN IMMEDIATE")
        #expect(throws: Ledger.Failure(code: SQLITE_BUSY)) { try second.run("BEGIN IMMEDIATE") }
        try first.run("COMMIT")
        try first.post()
        #expect(try second.last() == 1)
        try second.run("BEGIN")
        #expect(try second.last() == 1)
        try first.post()
        #expect(try second.last() == 1)
        try second.run("COMMIT")
        #expect(try second.last() == 2)
    }

    @Test func theClockOfSQLIsTheDisks() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        disk.now = 1_772_323_200_000
        let connection = try Ledger(disk)
        #expect(try connection.int64("SELECT unixepoch('now')") == 1_772_323_200)
        disk.now += 86_400_000
        #expect(try connection.int64("SELECT unixepoch('now')") == 1_772_409_600)
    }

    @Test func theSameSeedLosesTheSame() throws {
        func losses(_ seed: UInt64) throws -> [Int] {
            let disk = FaultyDisk(seed: seed, isDefault: false)
            for _ in 0..<8 {
                let connection = try Ledger(disk, synchronous: "NORMAL")
                for _ in 0..<10 { try connection.post() }
                disk.losePower()
                connection.close()
                disk.revive()
            }
            return [disk.writesKept, disk.writesLost, disk.writesTorn, disk.bytesLost, disk.usedBytes]
        }
        #expect(try losses(3) == losses(3))
        #expect(try losses(3) != losses(4))
    }
}

/// A database whose content follows from its number of transactions, on a connection of its own.
private final class Ledger {
    /// An error of SQLite.
    struct Failure: Error, Equatable {
        var code: Int32
    }

    private static let rows: Int64 = 50
    let handle: OpaquePointer

    init(_ disk: FaultyDisk, synchronous: String = "NORMAL", keepsWAL: Bool = true) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2("/data/ledger.sqlite", &opened, flags, disk.name)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(code: code)
        }
        handle = opened
        var keeps: Int32 = keepsWAL ? 1 : 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = \(synchronous)")
        try run("PRAGMA wal_autocheckpoint = 15")
        guard try int64("SELECT count(*) FROM sqlite_schema") == 0 else { return }
        try run(
            """
            BEGIN; CREATE TABLE ledger (row INTEGER PRIMARY KEY, value, filling);
            WITH RECURSIVE n (row) AS (SELECT 0 UNION ALL SELECT row + 1 FROM n WHERE row < \(Self.rows - 1))
            INSERT INTO ledger SELECT row, 0, zeroblob(500) FROM n; COMMIT
            """)
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        if !isClosed { sqlite3_close_v2(handle) }
        isClosed = true
    }

    func run(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Failure(code: code & 0xff) }
    }

    /// The first column of the only row.
    func int64(_ sql: String) throws -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        guard code == SQLITE_ROW else { throw Failure(code: code & 0xff) }
        return sqlite3_column_int64(statement, 0)
    }

    /// The number of the last transaction.
    func last() throws -> Int64 { try int64("SELECT max(value) FROM ledger") }

    /// Commits the next transaction and returns its number.
    @discardableResult
    func post() throws -> Int64 {
        do {
            try run("BEGIN IMMEDIATE")
            let number = try last() + 1
            // Rows that are updated together are on different pages.
            for row in [0, number % Self.rows, number * 7 % Self.rows] {
                try run("UPDATE ledger SET value = \(number) WHERE row = \(row)")
            }
            try run("COMMIT")
            return number
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Checks all rows against the transactions up to the last one, and returns its number.
    func check() throws -> Int64 {
        #expect(try int64("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0)
        let newest = try last()
        var expected = [Int64](repeating: 0, count: Int(Self.rows))
        for number in stride(from: Int64(1), through: newest, by: 1) {
            for row in [0, number % Self.rows, number * 7 % Self.rows] { expected[Int(row)] = number }
        }
        for (row, value) in expected.enumerated() {
            #expect(try int64("SELECT value FROM ledger WHERE row = \(row)") == value)
        }
        return newest
    }
}
