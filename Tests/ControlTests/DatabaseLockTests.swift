import Control
import Foundation
import TestSupport
import Testing

@Suite struct DatabaseLockTests {
    @Test func theLockIsHeldByOneAndSeenByAll() throws {
        let directory = TemporaryDirectory()
        let database = directory.path + "/events.sqlite"
        #expect(!DatabaseLock.isHeld(database: database))
        do {
            let lock = try DatabaseLock(database: database)
            defer { withExtendedLifetime(lock) {} }
            #expect(DatabaseLock.isHeld(database: database))
            #expect(DatabaseLock.isHeldByDaemon(database: database))
            for (holder, isDaemon) in [("4711 run\n", true), ("4711 truncate\n", false)] {
                try holder.write(toFile: database + ".lock", atomically: false, encoding: .utf8)
                #expect(DatabaseLock.isHeldByDaemon(database: database) == isDaemon)
            }
            try "\(getpid())\n".write(toFile: database + ".lock", atomically: false, encoding: .utf8)
            do throws(DaemonError) {
                _ = try DatabaseLock(database: database)
                Issue.record("the lock was taken twice")
            } catch {
                #expect("\(error)".contains("works on the database \(database) (process \(getpid())"), "\(error)")
            }
            // A link leads to the same database.
            let other = directory.path + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: database)
            #expect(DatabaseLock.isHeld(database: other))
            #expect(throws: DaemonError.self) { try DatabaseLock(database: other) }
        }
        #expect(!DatabaseLock.isHeld(database: database))
    }
}
