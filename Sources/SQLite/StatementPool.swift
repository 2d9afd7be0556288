import GRDBSQLite

/// Idle compiled statements of one connection, by their SQL; for that connection's queue only.
///
/// Most statements of a poll take longer to compile than to run, and so do those of a page of events.
package final class StatementPool {
    private var idle: [String: [OpaquePointer]] = [:]
    private var count = 0
    /// `Connection.whenPreparing`.
    var whenPreparing: (() throws -> Void)?

    /// The most statements kept, each about 10 kB; a poll uses about thirty.
    private static let capacity = 100

    /// Creates an empty pool, which keeps up to a hundred statements. When it is full, it begins anew, since statements
    /// made for the conditions of a query may never come again.
    package init() {}

    deinit { clear() }

    private func clear() {
        for handle in idle.values.joined() { sqlite3_finalize(handle) }
        idle = [:]
        count = 0
    }

    func take(_ sql: String) -> OpaquePointer? {
        guard let handle = idle[sql]?.popLast() else { return nil }
        count -= 1
        return handle
    }

    func keep(_ handle: OpaquePointer, of sql: String) {
        if count == Self.capacity { clear() }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        idle[sql, default: []].append(handle)
        count += 1
    }
}
