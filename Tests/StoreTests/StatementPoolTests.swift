import GRDBSQLite
import SQLite
import Testing

/// Compiled statements that wait to be used again.
@Suite struct StatementPoolTests {
    private static func statements(of connection: OpaquePointer) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(connection, nil)
        while statement != nil {
            count += 1
            statement = sqlite3_next_stmt(connection, statement)
        }
        return count
    }

    @Test func manyDifferentStatementsAreNotAllKept() throws {
        var opened: OpaquePointer?
        try #require(sqlite3_open(":memory:", &opened) == SQLITE_OK)
        let database = try #require(opened)
        defer { sqlite3_close_v2(database) }
        do {
            let connection = Connection(handle: database, pool: StatementPool())
            for number in 0..<250 {
                let value = try connection.firstInt64("SELECT \(number % 130)")
                #expect(value == Int64(number % 130))
                #expect((1...100).contains(Self.statements(of: database)))
            }
        }
        #expect(Self.statements(of: database) == 0)
    }

    @Test func aStatementIsCompiledOnce() throws {
        var opened: OpaquePointer?
        try #require(sqlite3_open(":memory:", &opened) == SQLITE_OK)
        let database = try #require(opened)
        defer { sqlite3_close_v2(database) }
        let connection = Connection(handle: database, pool: StatementPool())
        for value in ["a", "b", "c"] {
            let statement = try connection.prepare("SELECT length(?)")
            statement.bind(value)
            let length = try statement.firstInt64()
            #expect(length == 1)
        }
        #expect(Self.statements(of: database) == 1)
    }
}
