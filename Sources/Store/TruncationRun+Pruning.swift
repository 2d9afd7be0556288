import Foundation
import Model
import SQLite

/// A table walked along its key for superfluous rows.
private struct Sweep {
    var table: String
    var key: [String]
    /// A value of the key columns that sorts before all others.
    var first: String
    /// The condition of a superfluous row; ?1 is the time of the run.
    var condition: String
    /// The bytes of a row, if it counts for the budget of its `source_id`.
    var bytes: String?

    /// Rows in one read.
    static let step = 5000

    static let all = [
        Sweep(
            table: "geocode_queue", key: ["event_id"], first: "-1",
            condition: "NOT EXISTS (SELECT 1 FROM event e WHERE e.id = event_id)"),
        Sweep(
            table: "geocode_job", key: ["id"], first: "-1",
            condition: "NOT EXISTS (SELECT 1 FROM geocode_queue q WHERE q.job_id = geocode_job.id)"),
        Sweep(
            table: "withdrawal", key: ["provider", "upstream_id"], first: "",
            condition: "at_ms < ?1 - \(Truncation.keptWithdrawals)", bytes: StoredBytes.ofWithdrawal),
        // A feed that has answered for thirty days without listing the item has dropped it. A feed that only answers
        // "not modified" may still hold it, for at most thirteen months.
        Sweep(
            table: "tombstone", key: ["provider", "upstream_id"], first: "",
            condition: """
                (listed_ms < ?1 - \(400 * Truncation.day) OR listed_ms < -\(Truncation.keptTombstones)
                  + coalesce((SELECT last_answer_ms FROM source s WHERE s.id = source_id), 0))
                """, bytes: StoredBytes.ofTombstone),
        Sweep(
            table: "place_correction", key: ["public_id"], first: "",
            condition: "gone_ms < ?1 - \(Truncation.keptCorrections)"),
    ]

    /// The keys of superfluous rows among the next 5000, and the key to continue from; nil at the end.
    func keys(after key: [String], at now: Int64, on connection: Connection) throws -> (
        keys: [[String]], next: [String]?
    ) {
        let columns = self.key.joined(separator: ", ")
        let marks = self.key.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let find = try connection.prepare(
            """
            SELECT \(columns), \(condition) FROM \(table) WHERE (\(columns)) > (\(marks)) ORDER BY \(columns)
            LIMIT \(Sweep.step)
            """, now)
        for value in key { find.bind(value) }
        var (keys, last, count) = ([[String]](), key, 0)
        while try find.step() {
            last = key.indices.map { find.string(Int32($0)) }
            if find.int64(Int32(key.count)) != 0 { keys.append(last) }
            count += 1
        }
        return (keys, count < Sweep.step ? nil : last)
    }

    /// Removes the rows that are still superfluous; returns their number.
    func remove(_ keys: ArraySlice<[String]>, at now: Int64, by writer: Writer) throws -> Int {
        let connection = writer.connection
        let conditions = key.indices.map { "\(key[$0]) = ?\($0 + 2)" } + [condition]
        let share = bytes.map { " RETURNING source_id, 1, \($0)" } ?? ""
        let delete = try connection.prepare(
            "DELETE FROM \(table) WHERE " + conditions.joined(separator: " AND ") + share)
        var removed = 0
        for key in keys {
            delete.bind(now)
            for value in key { delete.bind(value) }
            if bytes == nil { try delete.run() } else { try writer.uncount(delete) }
            removed += Int(connection.changedRows)
        }
        return removed
    }
}

extension TruncationRun {
    /// Keeps the newest million changes of the last thirty days. The two changes of a merge stay or go together, since
    /// the second one tells where the event of the first one is.
    func pruneChanges() throws(StoreError) -> Bool {
        let bounds: (oldest: Int64, cutoff: Int64)? = try store.read { connection in
            guard let oldest = try connection.firstInt64("SELECT min(seq) FROM change"),
                let newest = try connection.firstInt64("SELECT max(seq) FROM change")
            else { return nil }
            let recent =
                try connection.firstInt64(
                    "SELECT seq FROM change WHERE at_ms >= ? ORDER BY seq LIMIT 1", now - Truncation.keptChangesAge)
                ?? newest + 1
            let cutoff = max(recent, newest + 1 - Truncation.keptChanges)
            return (oldest: oldest, cutoff: try connection.firstInt64(Self.startOfMerges, cutoff, oldest) ?? cutoff)
        }
        guard let bounds, bounds.oldest < bounds.cutoff else { return true }
        var upTo = bounds.oldest
        return try repeated { writer, rows in
            let from = upTo
            upTo = min(
                try writer.connection.firstInt64(
                    "SELECT seq FROM change WHERE seq >= ? AND kind <> 'merged' ORDER BY seq LIMIT 1",
                    from + Int64(rows)) ?? bounds.cutoff, bounds.cutoff)
            try writer.connection.run("DELETE FROM change WHERE seq < ?", upTo)
            result.changes += Int(try writer.connection.firstInt64("SELECT changes()") ?? 0)
            try writer.connection.run("DELETE FROM step WHERE seq < ?", upTo)
            try writer.connection.run("DELETE FROM silent_change WHERE seq < ?", upTo)
            try writer.connection.set(Meta.oldestChange, to: upTo)
            return upTo < bounds.cutoff ? rows : 0
        }
    }

    /// Selects the number with which a sequence of merges begins in which a change lies; no row if the change is of
    /// another kind. Parameters: the number of the change, that of the oldest one.
    private static let startOfMerges = """
        SELECT coalesce((SELECT seq + 1 FROM change WHERE seq < ?1 AND kind <> 'merged' ORDER BY seq DESC LIMIT 1), ?2)
        FROM change WHERE seq = ?1 AND kind = 'merged'
        """

    /// Removes expired answers of services, and beyond a million those that expire first.
    func pruneAnswers() throws(StoreError) -> Bool {
        let limit = try store.read { connection in
            let surplus = "SELECT expires_ms FROM place_cache ORDER BY expires_ms DESC LIMIT 1 OFFSET "
            return max(now, try connection.firstInt64(surplus + "\(Truncation.keptAnswers)") ?? now)
        }
        return try repeated { writer, rows in
            try writer.connection.run(QueueSQL.deleteAnswers, limit, rows)
            let removed = Int(try writer.connection.firstInt64("SELECT changes()") ?? 0)
            result.answers += removed
            return removed
        }
    }

    /// Removes orphans of the geocode queue, old withdrawals and tombstones, and corrections of events long gone.
    func sweep() throws(StoreError) -> Bool {
        for table in Sweep.all {
            beginPace()
            var from: [String]? = table.key.map { _ in table.first }
            while let key = from {
                guard goesOn() else { return false }
                let found = try store.read { try table.keys(after: key, at: now, on: $0) }
                from = found.next
                var left = found.keys[...]
                while !left.isEmpty {
                    guard goesOn() else { return false }
                    let some = left.prefix(pace.rows)
                    let removed = try transact { writer, _ in try table.remove(some, at: now, by: writer) }
                    if table.table.hasPrefix("geocode") { result.orphans += removed }
                    left = left.dropFirst(some.count)
                }
            }
        }
        return true
    }

    /// Removes validators: of a source the newest hundred stay, and of the last thirty days the newest ten thousand.
    func pruneValidators() throws(StoreError) -> Bool {
        var last = Int64.min
        while let source = try store.read({ try $0.sourceOfValidators(after: last) }) {
            last = source
            guard let end = try store.read({ try $0.firstKeptValidator(of: source, at: now) }) else { continue }
            let isDone = try repeated { writer, rows in
                try writer.connection.run(Connection.deleteValidators, source, end.stored, end.url, rows)
                return Int(writer.connection.changedRows)
            }
            guard isDone else { return false }
        }
        return true
    }

    /// Prunes usage counts and refused items, and records the run.
    func prune() throws(StoreError) -> Bool {
        try store.transaction { writer in
            let connection = writer.connection
            try connection.run("DELETE FROM provider_usage WHERE last_ms < ?", now - Truncation.keptUsage)
            // The shares of sources count for a day.
            try connection.run(
                "DELETE FROM provider_usage WHERE period LIKE '% %' AND last_ms < ?", now - 2 * Truncation.day)
            try connection.run(
                "DELETE FROM refused_item WHERE at_ms < ? - (SELECT max_age_ms FROM source WHERE id = source_id)", now)
            try connection.set(Meta.lastTruncation, to: Date(milliseconds: now))
        }
        return true
    }

    /// Removes deliveries that have ended, and what is known of events without a message under way: the older ones, and
    /// beyond the most rows those that changed first. What waits for a target that is gone goes so, too.
    func pruneTold() throws(StoreError) -> Bool {
        for (table, key, time, condition) in [
            ("delivery", "id", "last_attempt_ms", "ended_ms IS NOT NULL"),
            ("told", "public_id", "at_ms", "delivery IS NULL"),
        ] {
            let horizon = try store.read { connection in
                let surplus = "SELECT \(time) FROM \(table) ORDER BY \(time) DESC LIMIT 1 OFFSET \(Truncation.keptTold)"
                return max(now - Truncation.keptToldAge, try connection.firstInt64(surplus) ?? .min)
            }
            let isDone = try repeated { writer, rows in
                try writer.connection.run(
                    """
                    DELETE FROM \(table) WHERE (target, \(key)) IN (
                      SELECT target, \(key) FROM \(table) WHERE \(time) <= ? AND \(condition) LIMIT ?)
                    """, horizon, rows)
                return Int(writer.connection.changedRows)
            }
            guard isDone else { return false }
        }
        return true
    }

    // MARK: - Space

    /// Merges all segments of the full text after a provider has deleted words, which stay in segments until a merge
    /// (<https://www.sqlite.org/fts5.html#the_merge_command>).
    func cleanText() throws(StoreError) -> Bool {
        guard try store.read({ try $0.erasure() }) != .clean else { return true }
        try store.transaction { try $0.connection.set(Meta.erasure, to: .begun) }
        var isFirst = true
        let isClean = try repeated { writer, pages in
            guard writer.keepsFullText else { return 0 }
            // A negative number starts a merge of all segments into one; positive ones continue it.
            let goesOn = try writer.mergeText(isFirst ? -pages : pages)
            isFirst = false
            return goesOn ? pages : 0
        }
        guard isClean else {
            try store.transaction { try $0.connection.set(Meta.erasure, to: .asked) }
            return false
        }
        // A deletion made meanwhile is left for the next run.
        try store.transaction { writer in
            if try writer.connection.erasure() == .begun { try writer.connection.set(Meta.erasure, to: .clean) }
        }
        return true
    }

    /// Merges segments of one level by twos (`usermerge`), which drops removed words. By itself FTS5 lets up to sixteen
    /// of the largest collect, with the words of events long gone.
    func mergeText() throws(StoreError) -> Bool {
        guard result.total > 0 else { return true }
        return try repeated { writer, pages in
            guard writer.keepsFullText else { return 0 }
            return try writer.mergeText(pages) ? pages : 0
        }
    }

    /// Returns free pages, except a twentieth of the file, which new events would take again.
    func vacuum() throws(StoreError) -> Bool {
        beginPace()
        while goesOn() {
            let pages = pace.rows
            let given = try maintain { connection, pages in
                let free = Int(try connection.firstInt64("PRAGMA freelist_count") ?? 0)
                let all = Int(try connection.firstInt64("PRAGMA page_count") ?? 0)
                // Leaves a twentieth of the remaining pages free.
                let surplus = (free * Truncation.freePages - all) / (Truncation.freePages - 1)
                let some = min(pages, surplus)
                guard some > 0 else { return 0 }
                try connection.run("PRAGMA incremental_vacuum(\(some))")
                return free - Int(try connection.firstInt64("PRAGMA freelist_count") ?? 0)
            }
            result.pages += given
            if given < pages { return true }
        }
        return false
    }
}

extension Connection {
    /// The next source, by its row, that has validators; nil after the last.
    fileprivate func sourceOfValidators(after source: Int64) throws -> Int64? {
        return try firstInt64("SELECT min(source_id) FROM validator WHERE source_id > ?", source)
    }

    /// The place in the order of time and URL before which a source's validators are superfluous; nil if none is.
    fileprivate func firstKeptValidator(of source: Int64, at now: Int64) throws -> (stored: Int64, url: String)? {
        func newest(_ number: Int) throws -> (stored: Int64, url: String)? {
            let find = try prepare(
                """
                SELECT stored_ms, url FROM validator WHERE source_id = ? ORDER BY stored_ms DESC, url DESC
                LIMIT 1 OFFSET ?
                """, source, number - 1)
            return try find.first { (stored: $0.int64(0), url: $0.string(1)) }
        }
        guard var end = try newest(Truncation.fewestValidators) else { return nil }
        let horizon = now - Truncation.keptValidators
        if end.stored >= horizon {
            end = (stored: horizon, url: "")
            if let last = try newest(Truncation.mostValidators), last.stored >= horizon { end = last }
        }
        return try firstInt64(
            "SELECT 1 FROM validator WHERE source_id = ? AND (stored_ms, url) < (?, ?) LIMIT 1", source, end.stored,
            end.url) == nil ? nil : end
    }

    /// Deletes a source's oldest validators before a place in the order of time and URL. Parameters: the source, the
    /// time, the URL, the most rows.
    fileprivate static let deleteValidators = """
        DELETE FROM validator WHERE source_id = ?1 AND url IN (
          SELECT url FROM validator WHERE source_id = ?1 AND (stored_ms, url) < (?2, ?3)
          ORDER BY stored_ms, url LIMIT ?4)
        """
}

extension Writer {
    /// Merges FTS5 segments until about `pages` pages are written; false if there was nothing to merge.
    fileprivate func mergeText(_ pages: Int) throws -> Bool {
        let before = try connection.firstInt64("SELECT total_changes()") ?? 0
        try connection.run("INSERT INTO event_text (event_text, rank) VALUES ('merge', \(pages))")
        // The command itself counts as one change.
        return (try connection.firstInt64("SELECT total_changes()") ?? 0) - before >= 2
    }
}
