import Foundation
import Model
import Reconciling
import SQLite

/// One truncation run with its result, its pace and its checkpoints; for one thread.
final class TruncationRun {
    /// Bytes of a page.
    private static let pageSize = 4096
    /// Pages written between two checkpoints.
    private static let checkpointPages = 4096
    /// Size in pages above which the WAL must restart; after one more round it is still no larger than the file that is
    /// kept.
    private static let manyPages = 11_500
    /// The most passes that copy what others write meanwhile, before the rest is copied while they wait.
    private static let rounds = 12
    /// Size in pages above which the run writes no more; one more round keeps the WAL below 128 MB.
    private static let maximumPages = 22_000
    /// Size in pages at which a commit checkpoints by itself, while others wait; normally never reached.
    private static let automaticPages = 28_000
    /// Size in pages above which a WAL that cannot shrink is reported.
    private static let heldPages = 8192
    /// How often and how long the run waits for a reader in the way.
    private static let waits = (count: 20, each: Duration.milliseconds(250))

    let store: EventStore
    let now: Int64
    private(set) var pace = TruncationPace()
    var result = TruncationResult()
    private let timing: Stopwatch
    private let willContinue: () -> Bool
    private let checkpointer: Checkpointer?
    private var writtenPages = 0

    init(of store: EventStore, at now: Int64, timing: Stopwatch, willContinue: @escaping () -> Bool) {
        self.store = store
        self.now = now
        self.timing = timing
        self.willContinue = willContinue
        checkpointer = store.takeCheckpointer()
    }

    deinit { store.giveBack(checkpointer) }

    /// Runs all steps, the most important first.
    func run() throws(StoreError) {
        let start = timing.now()
        if checkpointer != nil { try store.maintain { $0.setAutomaticCheckpoint(pages: Self.automaticPages) } }
        defer {
            // Fails only if the store has been closed.
            if checkpointer != nil { try? store.maintain { $0.setAutomaticCheckpoint(pages: 1000) } }
        }
        try moveHorizons()
        let steps: [() throws(StoreError) -> Bool] = [
            removeExpired, pruneChanges, pruneAnswers, sweep, pruneValidators, pruneTold, prune, cleanText, mergeText,
            vacuum,
        ]
        for step in steps where result.isComplete { result.isComplete = try step() }
        finish()
        result.duration = timing.now() - start
    }

    private func moveHorizons() throws(StoreError) {
        try store.transaction { writer in
            try writer.connection.run(
                "UPDATE source SET horizon_ms = max(coalesce(horizon_ms, ?1 - max_age_ms), ?1 - max_age_ms)", now)
        }
    }

    // MARK: - Steps

    /// Whether the run may continue: it is not asked to end, and the WAL has room.
    func goesOn() -> Bool { !result.isWALHeld && willContinue() }

    /// Resets the pace, because another kind of rows takes another time.
    func beginPace() { pace = TruncationPace() }

    /// Repeats a transaction of at most `rows` rows until it finds fewer; false if the run must end.
    func repeated(_ body: (Writer, _ rows: Int) throws -> Int) throws(StoreError) -> Bool {
        beginPace()
        while goesOn() {
            let rows = pace.rows
            let done = try transact { writer, _ in try body(writer, rows) }
            if done < rows { return true }
        }
        return false
    }

    /// Runs one transaction, which returns the number of rows processed, fewer than planned if it was late.
    func transact(_ body: (Writer, _ isLate: () -> Bool) throws -> Int) throws(StoreError) -> Int {
        let (done, took) = try store.transaction(timing: timing) { writer, time in
            writtenPages += writer.connection.takeWrittenPages()
            return try body(writer) { time.isUp }
        }
        note(done, in: took)
        return done
    }

    /// Does the same outside a transaction, for at most `pages` pages.
    func maintain(_ body: (Connection, _ pages: Int) throws -> Int) throws(StoreError) -> Int {
        var time = TransactionTime(timing)
        let pages = pace.rows
        let done = try store.maintain { connection in
            time = TransactionTime(timing)
            let done = try body(connection, pages)
            writtenPages += connection.takeWrittenPages()
            return done
        }
        note(done, in: time.elapsed)
        return done
    }

    /// Records a step, rests, and checkpoints the WAL if it is due.
    private func note(_ done: Int, in took: Duration) {
        result.longestTransaction = max(result.longestTransaction, took)
        pace.note(done, in: took)
        timing.rest(TruncationPace.rest(after: took))
        if writtenPages >= Self.checkpointPages { keepWALSmall() }
    }

    // MARK: - Events

    private func removeExpired() throws(StoreError) -> Bool {
        var from: Expired.Position? = .start
        while let position = from {
            let found = try gather(after: position)
            from = found.next
            var left = found.rows[...]
            while !left.isEmpty {
                guard goesOn() else { return false }
                let some = left.prefix(pace.rows)
                var removed = TruncationResult()
                let done = try transact { writer, isLate in
                    removed = TruncationResult()
                    return try writer.truncate(some, at: now, into: &removed, until: isLate)
                }
                result.events.merge(removed.events, uniquingKeysWith: +)
                result.tombstones += removed.tombstones
                left = left.dropFirst(done)
            }
            if from != nil, !goesOn() { return false }
        }
        return true
    }

    /// Expired rows after a position, sorted by row, because neighbours share pages.
    private func gather(
        after position: Expired.Position
    ) throws(StoreError) -> (rows: [Int64], next: Expired.Position?) {
        var (rows, next) = ([Int64](), Optional(position))
        while let from = next, rows.count < Truncation.gathered, willContinue() {
            let some = try store.read { try Expired(at: now, on: $0).rows(after: from) }
            rows += some.rows
            next = some.next
        }
        rows.sort()
        return (rows, next)
    }

    // MARK: - The WAL

    private func keepWALSmall() {
        guard let checkpointer else { return }
        writtenPages = 0
        guard var state = checkpointer.move(), state.pages > Self.manyPages else { return }
        // Each pass is shorter than the one before, and so are the writes of others meanwhile. When a pass finds
        // nothing to copy, the WAL restarts without waiting for the disk.
        for _ in 1...Self.rounds {
            guard let next = checkpointer.move() else { break }
            defer { state = next }
            if next.moved <= state.moved { break }
        }
        for _ in 0...Self.waits.count {
            guard let after = checkpointer.beginAnew() else { return }
            state = after
            guard state.pages > Self.maximumPages, state.moved < state.pages, willContinue() else { return }
            timing.rest(Self.waits.each)
        }
        holdBack(state)
    }

    /// Empties the WAL, unless many pages are still to be copied.
    private func finish() {
        guard let checkpointer, var state = checkpointer.move() else { return }
        if state.pages - state.moved <= Self.checkpointPages, let after = checkpointer.empty() { state = after }
        result.walBytes = state.pages * Self.pageSize
        if state.pages > Self.heldPages { holdBack(state) }
    }

    private func holdBack(_ state: Checkpointer.State) {
        result.isWALHeld = true
        result.walReader = WALReader.inTheWay(of: store.path)
        result.walBytes = state.pages * Self.pageSize
    }
}

extension Writer {
    /// Removes expired rows (`Expiry`) until it is late, at least one, and returns the number processed.
    fileprivate func truncate(
        _ rows: ArraySlice<Int64>, at now: Int64, into result: inout TruncationResult, until isLate: () -> Bool
    ) throws -> Int {
        let removal = try EventRemoval(self)
        let find = try connection.prepare(
            """
            SELECT e.age_base_ms, iif(e.time_source = 'feed', e.time_ms, NULL), s.id, s.horizon_ms, s.max_age_ms, s.name
            FROM event e LEFT JOIN link l ON l.event_id = e.id LEFT JOIN source s ON s.id = l.source_id
            WHERE e.id = ? ORDER BY s.name
            """)
        let unbury = try connection.prepare(
            """
            DELETE FROM tombstone
            WHERE (provider, upstream_id) IN (SELECT provider, upstream_id FROM upstream_id WHERE event_id = ?)
            RETURNING source_id, 1, \(StoredBytes.ofTombstone)
            """)
        let bury = try connection.prepare(
            """
            INSERT INTO tombstone (provider, upstream_id, source_id, listed_ms)
            SELECT provider, upstream_id, ?2, ?3 FROM upstream_id WHERE event_id = ?1
            RETURNING source_id, -1, -(\(StoredBytes.ofTombstone))
            """)
        var done = 0
        for id in rows {
            if done > 0, isLate() { break }
            done += 1
            find.bind(id)
            var (ageBase, time, name): (Int64?, Int64?, String?) = (nil, nil, nil)
            var links: [Expiry.Link] = []
            while try find.step() {
                (ageBase, time) = (find.int64(0), find.optionalInt64(1))
                if name == nil { name = find.text(5) }
                guard let source = find.optionalInt64(2) else { continue }
                links.append(Expiry.Link(source: source, horizon: find.optionalInt64(3), maxAge: find.int64(4)))
            }
            guard let ageBase,
                case .goes(let source) = Expiry.fate(ageBase: ageBase, time: time, links: links, at: now)
            else { continue }
            if let source {
                unbury.bind(id)
                try uncount(unbury)
                bury.bind(id)
                bury.bind(source)
                bury.bind(try stamp(now, isClockTrusted: false))
                try uncount(bury)
                result.tombstones += 1
            }
            try removal.remove(id, at: now)
            result.events[name ?? "", default: 0] += 1
        }
        return done
    }
}
