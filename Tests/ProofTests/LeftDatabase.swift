import Foundation
import ProcessSupport

/// A database after its daemon ended, read by the sqlite3 shell, read-only.
struct LeftDatabase {
    /// Its path.
    let path: String

    /// Rows of a query, all values as text.
    /// - Throws: `Unreadable` when the shell fails.
    func rows(_ sql: String) async throws -> [[String]] {
        let run = try await MeasuredRun.of(["sqlite3", "-readonly", "-separator", "\t", path, sql])
        guard run.status == 0 else { throw Unreadable(description: run.errors) }
        return run.output.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The first column of a query's rows.
    func column(_ sql: String) async throws -> [String] { try await rows(sql).compactMap(\.first) }

    /// Checks the full-text index and the R*Tree against the events, on a copy, since the first check writes.
    /// - Returns: `ok`, or the faults.
    func indexFaults() async throws -> String {
        let copy = path + "-copy"
        let script = """
            for end in '' -wal; do if [[ -e $1$end ]]; then cp "$1$end" "$2$end"; fi; done
            sqlite3 "$2" "INSERT INTO event_text(event_text, rank) VALUES('integrity-check', 1)" \
            "SELECT rtreecheck('event_position')" 2>&1 || true
            rm -f "$2" "$2-wal" "$2-shm"
            """
        let run = try await MeasuredRun.of(["bash", "-ec", script, "bash", path, copy])
        return run.output.filter { $0 != "\n" }
    }

    /// The reason why the shell could not read the database.
    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }
}
