import Foundation
import Model
import SQLite

/// The facts of a source that writing needs.
struct StoredSource {
    var id: Int64
    var name: String
    /// In milliseconds.
    var maxAge: Int64
    /// In milliseconds.
    var horizon: Int64?
    var failingSince: Int64?
}

extension StoredSource {
    /// Finds a source by name; throws `unknownSource` if there is none.
    init(named name: String, on connection: Connection) throws {
        let find = try connection.prepare(
            "SELECT id, max_age_ms, horizon_ms, failing_since_ms FROM source WHERE name = ?", name)
        let found = try find.first {
            StoredSource(
                id: $0.int64(0), name: name, maxAge: $0.int64(1), horizon: $0.optionalInt64(2),
                failingSince: $0.optionalInt64(3))
        }
        guard let found else {
            throw StoreError(.unknownSource, "There is no source named \"\(name)\" in the database")
        }
        self = found
    }
}

extension SourceRecord {
    static let storedColumns = """
        name, kind, is_enabled, next_due_ms, due_reason, last_attempt_ms, last_success_ms, last_new_ms, failures, \
        failing_since_ms, last_failure, last_failure_ms, partial_failures, max_age_ms, horizon_ms, state, work, \
        moved_to, requested_interval_ms, home, shortfalls
        """

    /// All stored sources, sorted by name.
    static func all(on connection: Connection) throws -> [SourceRecord] {
        try connection.prepare("SELECT \(storedColumns) FROM source ORDER BY name").map { SourceRecord(row: $0) }
    }

    /// Reads a row of `storedColumns`. A state or work list of an older program that cannot be read counts as none.
    init(row: Statement) {
        self.init(name: row.string(0), kind: row.string(1))
        isEnabled = row.int64(2) != 0
        (nextDue, dueReason) = (row.date(3), row.text(4).map(DueReason.init(rawValue:)))
        (lastAttempt, lastSuccess, lastNew) = (row.date(5), row.date(6), row.date(7))
        (failures, failingSince) = (Int(row.int64(8)), row.date(9))
        (lastFailure, lastFailureAt) = (StoredJSON.decoded(Failure.self, from: row.text(10)), row.date(11))
        partialFailures = StoredJSON.decoded([String].self, from: row.text(12)) ?? []
        (maxAge, horizon) = (.milliseconds(row.int64(13)), row.date(14))
        state = StoredJSON.decoded(FeedState.self, from: row.text(15)) ?? FeedState()
        work = StoredJSON.decoded(WorkList.self, from: row.text(16))
        movedTo = row.text(17)
        requestedInterval = row.optionalInt64(18).map { .milliseconds($0) }
        home = StoredJSON.decoded(LearnedHome.self, from: row.text(19)) ?? LearnedHome()
        shortfalls = StoredJSON.decoded([Shortfall].self, from: row.text(20)) ?? []
    }
}
