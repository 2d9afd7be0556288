import GRDBSQLite
import Store
import TestSupport
import Testing

@Suite struct SetupTests {
    /// It must have been told so before its first use in the process.
    @Test func sqliteDoesNotCountItsMemory() throws {
        let directory = TemporaryDirectory()
        let store = try EventStore(path: directory.path + "/events.sqlite")
        #expect(sqlite3_memory_used() == 0)
        try store.close()
    }
}
