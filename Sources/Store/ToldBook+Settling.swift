import Foundation
import Model
import SQLite
import Telling

/// How a message has ended; the raw value is the word in the database.
enum DeliveryEnd: String {
    case sent, superseded, expired, rejected
}

// What becomes of messages.
extension ToldBook {
    /// The attempts at a message that its target refuses.
    private static let mostRejections = 3

    /// Stores the outcome of an attempt, and what it says of the target; the first not if the message has ended meanwhile.
    func settle(_ settlement: Settlement) throws {
        let (target, id, outcome) = (settlement.order.target, settlement.order.id, settlement.outcome)
        let trouble = settlement.trouble
        try connection.run(
            """
            UPDATE told_target SET is_gone = ?, retry_ms = ?, failing_since_ms = ?, failure = ?
            WHERE name = (SELECT name FROM told_target WHERE target = ?)
            """, trouble.isGone, trouble.retryAfter?.milliseconds, trouble.failingSince?.milliseconds,
            trouble.failure, target)
        let reached = try connection.firstInt64(
            "SELECT reached FROM delivery WHERE target = ? AND id = ? AND ended_ms IS NULL", target, id)
        guard let reached else { return }
        let isUnsent = [.unsent, .refused, .gone].contains(outcome.verdict)
        if outcome.verdict == .sent {
            try close(id, of: target, .sent, code: outcome.code)
        } else if outcome.verdict == .rejected, settlement.order.attempt >= Self.mostRejections {
            try close(id, of: target, .rejected, code: outcome.code, words: outcome.failure?.message)
        } else if isUnsent, reached <= 1 {
            // Nobody has seen the id, so it may stand for other bytes.
            try connection.run("DELETE FROM delivery WHERE target = ? AND id = ?", target, id)
            try release(id, of: target)
        } else {
            try connection.run(
                """
                UPDATE delivery SET due_ms = ?, code = ?, words = ?, reached = reached - ? WHERE target = ? AND id = ?
                """, settlement.due.milliseconds, outcome.code, outcome.failure?.message, isUnsent, target, id)
        }
    }

    /// Ends a message, whose bytes go. Without a code that of the last attempt stays: it says why.
    func close(
        _ id: String, of target: String, _ end: DeliveryEnd, code: String? = nil, words: String? = nil
    ) throws {
        try connection.run(
            """
            UPDATE delivery SET outcome = ?, ended_ms = ?, code = coalesce(?, code), words = ?, letter = NULL
            WHERE target = ? AND id = ?
            """, end.rawValue, time, code, words, target, id)
        // What is superseded waits again; the other ends are reasons of their own.
        guard end == .sent else { return try release(id, of: target, as: Passed(rawValue: end.rawValue)) }
        try connection.run(
            """
            UPDATE told SET told = sent, is_ended = (sent_kind = 'ended'), sent = NULL, sent_kind = NULL, passed = NULL,
              messages = messages + 1, last_ms = ?3, first_id = coalesce(first_id, ?2), delivery = NULL,
              digest = iif((SELECT kind FROM delivery d WHERE d.target = ?1 AND d.id = ?2) = 'digest', ?2, digest)
            WHERE target = ?1 AND delivery = ?2
            """, target, id, time)
    }

    /// Frees the events of a message that was not answered: they wait again, or for good if there is a reason.
    ///
    /// What came to wait meanwhile was judged against the message. So the end of what was never told is not mentioned, a
    /// correction becomes the announcement, and what only takes the message back goes.
    private func release(_ id: String, of target: String, as passed: Passed? = nil) throws {
        try connection.run(
            """
            UPDATE told SET
              passed = CASE WHEN told IS NOT NULL THEN passed WHEN kind = 'ended' THEN 'withdrawn'
                WHEN kind IS NULL THEN ?3 ELSE passed END,
              kind = CASE WHEN kind IS NULL THEN iif(?3 IS NULL, sent_kind, NULL)
                WHEN told IS NULL THEN iif(kind = 'ended', NULL, 'announced')
                WHEN kind = 'restored' AND is_ended = 0 OR kind = 'ended' AND is_ended <> 0 THEN NULL
                ELSE kind END,
              sent = NULL, sent_kind = NULL, delivery = NULL,
              last_ms = iif(told IS NULL AND ?3 IS NOT NULL, ?4, last_ms)
            WHERE target = ?1 AND delivery = ?2
            """, target, id, passed?.rawValue, time)
    }

    /// Lets go what could not be sent in time. While the clock is not trusted, nothing.
    func expire(_ target: Target) throws {
        guard now.isTrusted else { return }
        let horizon = now.wall.addingTimeInterval(-TellingPace.day).milliseconds
        try connection.run(
            """
            INSERT OR REPLACE INTO delivery (target, id, watch, public_id, kind, reason, change_seq, wanted_ms, due_ms, attempts,
              reached, first_attempt_ms, last_attempt_ms, ended_ms, outcome)
            SELECT target, 'expired ' || public_id || ' ' || seq, watch, public_id, kind, reason, seq, since_ms, due_ms, 0, 0, since_ms,
              since_ms, ?3, 'expired'
            FROM told WHERE target = ?1 AND kind IS NOT NULL AND delivery IS NULL AND since_ms < ?2 AND told IS NOT NULL
            """, target.id, horizon, time)
        try connection.run(
            """
            UPDATE told SET passed = iif(told IS NULL, 'expired', passed), kind = NULL,
              last_ms = iif(told IS NULL, ?3, last_ms)
            WHERE target = ?1 AND kind IS NOT NULL AND delivery IS NULL AND since_ms < ?2
            """, target.id, horizon, time)
        let late = try connection.prepare(
            "SELECT id FROM delivery WHERE target = ? AND ended_ms IS NULL AND wanted_ms < ?", target.id, horizon
        ).map { $0.string(0) }
        for id in late { try close(id, of: target.id, .expired) }
    }
}
