public import Foundation
import Model
import SQLite
public import Telling

// Telling keeps its place as the follower `told`. One caller at a time; all calls block.
extension EventStore {
    /// The most events that are looked at when a watch begins.
    private static let mostPassed = 50_000
    /// The most changes that are taken at a time.
    private static let mostChanges = 512

    /// Carries out a task of the teller, under the plan in force; a plan that begins is in force from then on.
    ///
    /// A message that is taken is on the disk before this returns: it is stored before it leaves.
    /// - Parameter compose: Gives a message its form, without secrets: it is stored.
    /// - Throws: `StoreError`; then nothing has changed.
    public func tell(
        _ task: TellingTask, _ plan: TellingPlan, at now: TellingTime, composing compose: (Announcement) -> Data
    ) throws(StoreError) -> TellingAnswer {
        switch task {
        case .begin(let plan): return .begun(try begin(plan, at: now))
        case .follow: return try follow(plan, at: now)
        case .health(let faults):
            return .followed(isDone: true, news: try transaction { try Self.book($0, plan, now).see(faults) })
        case .write(let settlements, let targets):
            let taken = try transaction(isDurable: !targets.isEmpty) { writer in
                try Self.book(writer, plan, now).write(settling: settlements, taking: targets, composing: compose)
            }
            return .wrote(taken)
        }
    }

    private static func book(_ writer: Writer, _ plan: TellingPlan, _ now: TellingTime) throws -> ToldBook {
        let connection = writer.connection
        return try ToldBook(connection, plan, at: now) { id in
            try connection.prepare("SELECT \(StoredEvent.columns) FROM event e WHERE e.public_id = ?", id).first {
                StoredEvent(row: $0)
            }
        }
    }

    // MARK: - Beginning

    private typealias Pair = (watch: Watch, target: String)

    /// Puts a plan into force. A watch that is new to a target, or has other conditions, begins silently: what matches
    /// is passed over. Where changes are no longer kept that were not followed, all events with something open are
    /// judged anew.
    private func begin(_ plan: TellingPlan, at now: TellingTime) throws(StoreError) -> [String: TargetTrouble] {
        let pairs = plan.targets.flatMap { target in plan.watches(of: target).map { ($0, target.id) as Pair } }
        let known = try read { connection in
            try connection.prepare("SELECT watch, target, fingerprint FROM watching").map {
                [$0.string(0), $0.string(1), $0.string(2)]
            }
        }
        // Where nothing is or was watched, nothing is written.
        guard plan != TellingPlan() || !known.isEmpty else { return [:] }
        let fresh = pairs.filter { !known.contains([$0.watch.name, $0.target, $0.watch.filter.fingerprint]) }
        let (newest, found) = try matches(of: fresh, at: now)
        return try transaction { writer in
            let connection = writer.connection
            for pair in known where !pairs.contains(where: { [$0.watch.name, $0.target] == Array(pair.prefix(2)) }) {
                try connection.run("DELETE FROM watching WHERE watch = ? AND target = ?", pair[0], pair[1])
            }
            for (watch, target) in fresh {
                try connection.run(
                    "INSERT OR REPLACE INTO watching VALUES (?, ?, ?, ?, ?)", watch.name, target,
                    watch.filter.fingerprint, newest, now.wall.milliseconds)
            }
            try connection.forgetTargets(besides: plan, at: now)
            let book = try Self.book(writer, plan, now)
            for (target, event, row) in found where try book.row(of: target, event) == nil {
                try book.put(row, of: target, event)
            }
            let (cursor, oldest) = (try connection.toldCursor() ?? -1, try connection.oldestChange())
            // Nobody followed while nothing was watched.
            let isCut = known.isEmpty || cursor < oldest - 1 || cursor > newest
            if isCut { try connection.setToldCursor(newest) }
            try book.judgeAnew(
                where: isCut ? "(told IS NOT NULL OR kind IS NOT NULL)" : "told IS NULL AND kind IS NOT NULL")
            return try connection.troubles(of: plan.targets)
        }
    }

    /// What is there when watches begin, recent enough to be told, as rows that are passed over; also of events whose
    /// place is not known yet. And the number of the newest change.
    private func matches(
        of pairs: [Pair], at now: TellingTime
    ) throws(StoreError) -> (newest: Int64, rows: [(target: String, event: String, row: ToldRow)]) {
        // A clock that is ahead would find nothing there, and what is there would be news at its next change.
        let trusted = try now.isTrusted ? now.wall : min(now.wall, lastTrustedTime() ?? now.wall)
        return try read { connection in
            var rows: [(target: String, event: String, row: ToldRow)] = []
            let newest = try EventStore.lastChange(connection)
            guard let age = pairs.map(\.watch.maximumAge).max() else { return (newest, rows) }
            let find = try connection.prepare(
                """
                SELECT \(StoredEvent.columns) FROM event e
                WHERE e.time_ms >= ? AND e.withdrawn_reason IS NULL AND e.is_erased = 0
                ORDER BY e.time_ms DESC LIMIT ?
                """, trusted.addingTimeInterval(-age.seconds).milliseconds, Self.mostPassed)
            while try find.step() {
                let stored = StoredEvent(row: find)
                var done: Set<String> = []
                for (watch, target) in pairs where !done.contains(target) {
                    guard [.full, .unplaced].contains(watch.filter.fit(stored)) else { continue }
                    done.insert(target)
                    var row = ToldRow(stored, watch: watch.name)
                    row.passed = .before
                    rows.append((target, stored.publicID, row))
                }
            }
            return (newest, rows)
        }
    }

    // MARK: - Following

    /// Takes the next changes: what the targets are to be told of them waits then.
    private func follow(_ plan: TellingPlan, at now: TellingTime) throws(StoreError) -> TellingAnswer {
        guard let cursor = try read({ try $0.toldCursor() }) else { return .followed(isDone: true, news: []) }
        let feed = ChangeFeed(of: self)
        let page = try feed.next(after: cursor, limit: Self.mostChanges)
        if page.isTooOld {
            _ = try begin(plan, at: now)
            return .followed(isDone: false, news: Set(plan.targets.map(\.id)))
        }
        guard !page.changes.isEmpty else { return .followed(isDone: true, news: []) }
        // Read beside the writer, which polls need.
        var query = EventQuery()
        query.withdrawn = .include
        let updates = try feed.updates(page, matching: query)
        let silences = try read { try Silences(on: page, after: cursor, $0) }
        let news = try transaction { writer in
            let book = try Self.book(writer, plan, now)
            try writer.connection.setToldCursor(page.cursor)
            return try updates.reduce(into: Set<String>()) {
                $0.formUnion(try book.see($1, silence: silences.of($1)))
            }
        }
        return .followed(isDone: page.cursor == page.newest, news: news)
    }

    // MARK: - By a person

    /// Lets a message be sent again, with what is to be said now.
    /// - Returns: Whether there is such a message, about one event that is there or has ended, of which nothing waits.
    /// - Throws: `StoreError`.
    public func resend(_ id: String, to target: String, at now: Date) throws(StoreError) -> Bool {
        try transaction { writer in
            try writer.connection.run(
                """
                UPDATE told SET kind = CASE WHEN told IS NULL THEN 'announced' WHEN is_ended THEN 'ended' ELSE 'updated' END,
                  reason = 'resent', passed = NULL, since_ms = ?3, due_ms = ?3
                WHERE target = ?1 AND delivery IS NULL AND kind IS NULL
                  AND public_id = (SELECT public_id FROM delivery WHERE target = ?1 AND id = ?2)
                  AND (is_ended OR words IS NOT NULL OR EXISTS (
                    SELECT 1 FROM event e WHERE e.public_id = told.public_id AND e.withdrawn_reason IS NULL))
                """, target, id, now.milliseconds)
            return writer.connection.changedRows > 0
        }
    }
}

extension Connection {
    fileprivate func toldCursor() throws -> Int64? {
        try firstInt64("SELECT cursor FROM follower WHERE name = 'told'")
    }

    fileprivate func setToldCursor(_ cursor: Int64) throws {
        try run("INSERT OR REPLACE INTO follower VALUES ('told', 1, ?1, NULL, ?1)", cursor)
    }

    /// Forgets what was told to targets that are not in a plan, and their trouble, and ends the messages to them. So a
    /// target that is gone is asked again once it was taken out and put back.
    fileprivate func forgetTargets(besides plan: TellingPlan, at now: TellingTime) throws {
        let targets = try StoredJSON.encoded(plan.targets.map(\.id))
        let isGone = "target NOT IN (SELECT value FROM json_each(?1))"
        try run("DELETE FROM told WHERE \(isGone)", targets)
        try run("DELETE FROM told_target WHERE \(isGone)", targets)
        try run(
            """
            UPDATE delivery SET outcome = 'superseded', code = 'unwatched', ended_ms = ?2, letter = NULL
            WHERE ended_ms IS NULL AND \(isGone)
            """, targets, now.wall.milliseconds)
    }

    /// The trouble of targets, by name; none of one whose address is another one than before.
    fileprivate func troubles(of targets: [Target]) throws -> [String: TargetTrouble] {
        for target in targets {
            try run(
                """
                INSERT INTO told_target (target, name, fingerprint) VALUES (?1, ?2, ?3) ON CONFLICT (target) DO UPDATE SET
                  fingerprint = ?3, is_gone = 0, retry_ms = NULL, failing_since_ms = NULL, failure = NULL
                WHERE fingerprint <> ?3
                """, target.id, target.name, target.fingerprint)
        }
        return try prepare(
            """
            SELECT name, max(is_gone), max(retry_ms), min(failing_since_ms), max(failure) FROM told_target GROUP BY name
            """
        ).dictionary { ($0.string(0), TargetTrouble(row: $0)) }
    }
}

extension TargetTrouble {
    /// Reads the columns behind the first one: whether it is gone, until when it wants nothing, since when it fails, why.
    init(row: Statement) {
        self.init()
        (isGone, retryAfter) = (row.int64(1) != 0, row.date(2))
        (failingSince, failure) = (row.date(3), row.text(4))
    }
}

/// Which changes are no news.
struct Silences {
    /// By public id, the first change of an event on the page.
    private let first: [String: Int64]
    /// By number of the change.
    private let changes: [Int64: Passed]
    /// By source, the last change of its first success; `.max`: it had none yet.
    private let begun: [String: Int64]

    init(on page: ChangePage, after cursor: Int64, _ connection: Connection) throws {
        first = Dictionary(page.changes.map { ($0.publicID, $0.sequence) }, uniquingKeysWith: { first, _ in first })
        changes = try connection.prepare(
            "SELECT seq, reason FROM silent_change WHERE seq > ? AND seq <= ?", cursor, page.cursor
        ).dictionary { row in Passed(rawValue: row.string(1)).map { (row.int64(0), $0) } }
        begun = try connection.prepare(
            "SELECT s.name, b.seq FROM source s LEFT JOIN source_begun b ON b.source_id = s.id"
        ).dictionary { ($0.string(0), $0.optionalInt64(1) ?? .max) }
    }

    /// Why a change is no news; nil: it may be.
    func of(_ update: EventUpdate) -> Passed? {
        guard case .changed(let stored, _) = update else { return nil }
        if let reason = changes[stored.changeSequence] { return reason }
        // The place may have been found since.
        let sequence = first[stored.publicID] ?? stored.changeSequence
        let isFirst = stored.sources.allSatisfy { sequence <= begun[$0] ?? .min }
        return isFirst && !stored.sources.isEmpty ? .firstPoll : nil
    }
}
