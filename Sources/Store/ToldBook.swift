import Foundation
import Model
import SQLite
import Telling

/// The tables of what targets were told, in a transaction that the caller opens.
///
/// It knows no other table: an event comes from the caller. So a replay works on a database of its own in memory.
struct ToldBook {
    let connection: Connection
    /// The plan in force. Watches in their quiet hours come last, so that they hold back nothing that others tell.
    let plan: TellingPlan
    let now: TellingTime
    /// The present state of an event, by public id; nil: it is gone.
    let event: (String) throws -> StoredEvent?
    /// The watches of events that tell a target, by its id.
    let watches: [String: [Watch]]
    /// The last change before each watch began, by id of the target and name.
    private(set) var since: [String: [String: Int64]] = [:]

    init(
        _ connection: Connection, _ plan: TellingPlan, at now: TellingTime,
        event: @escaping (String) throws -> StoredEvent?
    ) throws {
        let isAsleep = { (watch: Watch) in watch.quiet?.end(at: now.wall) != nil }
        var plan = plan
        plan.watches = plan.watches.filter { !isAsleep($0) } + plan.watches.filter(isAsleep)
        (self.connection, self.plan, self.now, self.event) = (connection, plan, now, event)
        watches = Dictionary(
            plan.targets.map { ($0.id, plan.watches(of: $0)) }, uniquingKeysWith: { first, _ in first })
        let begun = try connection.prepare("SELECT target, watch, since_seq FROM watching")
        while try begun.step() { since[begun.string(0), default: [:]][begun.string(1)] = begun.int64(2) }
    }

    /// Wall time in milliseconds.
    var time: Int64 { now.wall.milliseconds }

    /// Settles attempts, then takes the next messages.
    func write(
        settling settlements: [Settlement], taking targets: [String], composing compose: Composing
    ) throws -> [String: Taken] {
        for settlement in settlements { try settle(settlement) }
        var taken: [String: Taken] = [:]
        for target in plan.targets where targets.contains(target.id) {
            taken[target.id] = try take(target, composing: compose)
        }
        return taken
    }

    // MARK: - Rows

    private static let columns = """
        watch, passed, now, told, is_ended, sent, sent_kind, kind, reason, since_ms, due_ms, seq, at_ms, messages, last_ms
        """

    /// What a target was told of an event; nil: it knows nothing of it.
    func row(of target: String, _ event: String) throws -> ToldRow? {
        try connection.prepare(
            "SELECT \(Self.columns) FROM told WHERE target = ? AND public_id = ?", target, event
        ).first { ToldRow(row: $0) }
    }

    /// Stores what was judged; nil: nothing is known any more. What belongs to messages stays.
    /// - Parameter words: What is to be said of the program; nil: what was to be said.
    func put(_ row: ToldRow?, of target: String, _ event: String, words: String? = nil) throws {
        guard let row else {
            return try connection.run("DELETE FROM told WHERE target = ? AND public_id = ?", target, event)
        }
        let wish = row.wish
        try connection.run(
            """
            INSERT INTO told (target, public_id, watch, passed, now, told, is_ended, kind, reason, since_ms, due_ms, rank, seq,
              at_ms, messages, last_ms, words)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (target, public_id) DO UPDATE SET watch = excluded.watch, passed = excluded.passed,
              now = excluded.now, told = excluded.told, is_ended = excluded.is_ended, kind = excluded.kind,
              reason = coalesce(excluded.reason, reason), since_ms = coalesce(excluded.since_ms, since_ms),
              due_ms = coalesce(excluded.due_ms, due_ms), rank = excluded.rank, seq = excluded.seq, at_ms = excluded.at_ms,
              messages = excluded.messages, last_ms = excluded.last_ms, words = coalesce(excluded.words, words)
            """, target, event, row.watch, row.passed?.rawValue, row.now.text, row.told?.text, row.isEnded,
            wish?.kind.rawValue, wish?.reason.rawValue, wish?.since.milliseconds, wish?.due.milliseconds, row.rank,
            row.sequence, row.changed.milliseconds, row.messages, row.last?.milliseconds, words)
    }
}

extension ToldRow {
    /// Reads a row of `ToldBook.columns`.
    fileprivate init(row: Statement) {
        self.init(
            watch: row.string(0), now: Said(text: row.string(2)) ?? Said(), sequence: row.int64(11),
            changed: Date(milliseconds: row.int64(12)))
        passed = row.text(1).flatMap(Passed.init(rawValue:))
        told = row.text(3).flatMap(Said.init(text:))
        isEnded = row.int64(4) != 0
        sent = row.text(5).flatMap(Said.init(text:))
        sentKind = row.text(6).flatMap(MessageKind.init(rawValue:))
        if let kind = row.text(7).flatMap(MessageKind.init(rawValue:)), let due = row.date(10) {
            let reason = row.text(8).flatMap(Reason.init(rawValue:)) ?? .new
            wish = Wish(kind, reason, since: row.date(9) ?? due, due: due)
        }
        messages = Int(row.int64(13))
        last = row.date(14)
    }
}
