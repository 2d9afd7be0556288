import Foundation
import Model
import SQLite
import Telling

// What a target is sent next.
extension ToldBook {
    /// The bytes of a message.
    typealias Composing = (Announcement) -> Data

    /// How long a message waits whose event has changed since it was judged.
    private static let settling: Int64 = 5_000
    /// The most such messages that are passed by at a time.
    private static let mostUnsettled = 16

    /// Takes the next message of a target, which is stored as attempted.
    ///
    /// Beyond the target's bound, the announcements that wait become a digest. Otherwise what was not answered goes
    /// again, with the same bytes. Then come announcements, then ends and corrections, the largest first.
    func take(_ target: Target, composing compose: Composing) throws -> Taken {
        try expire(target)
        try putOff(target)
        if let free = try free(target, after: target.count) { return Taken(next: free) }
        let open = try openAnnouncements(of: target)
        let isFull = try wantsDigest(target, besides: open.count)
        let digestFree = isFull ? try free(target, "kind = 'digest'", after: 1) : nil
        if isFull, digestFree == nil {
            for id in Set(open) { try close(id, of: target.id, .superseded) }
            if let order = try digest(target, compose) { return Taken(order: order) }
        }
        if let order = try unanswered(target) { return Taken(order: order) }
        for _ in 0..<Self.mostUnsettled {
            guard let id = try nextEvent(of: target, withAnnouncements: !isFull) else { break }
            if let order = try single(id, target, compose) { return Taken(order: order) }
        }
        let next = try next(of: target, withAnnouncements: !isFull)
        return Taken(next: [next, digestFree].compactMap { $0 }.min())
    }

    // MARK: - Time

    /// Puts off what quiet hours hold back until they end, and brings near what a wrong clock has put off.
    private func putOff(_ target: Target) throws {
        let recheck = now.wall.addingTimeInterval(TellingPace.recheck)
        let quiet = plan.watches(of: target).compactMap { watch -> (name: String, end: Date, magnitude: Double)? in
            guard let hours = watch.quiet, let end = hours.end(at: now.wall) else { return nil }
            return (watch.name, now.isTrusted ? end : min(end, recheck), hours.magnitude ?? .infinity)
        }
        let latest = quiet.map { $0.end }.reduce(now.wall.addingTimeInterval(TellingPace.longGap), max).milliseconds
        for open in ["told SET due_ms = ?3 WHERE kind IS NOT NULL", "delivery SET due_ms = ?3 WHERE ended_ms IS NULL"] {
            try connection.run("UPDATE \(open) AND target = ?1 AND due_ms > ?2", target.id, latest, time)
            for watch in quiet {
                try connection.run(
                    "UPDATE \(open) AND target = ?1 AND due_ms <= ?2 AND watch = ?4 AND coalesce(rank, -99) < ?5",
                    target.id, time, watch.end.milliseconds, watch.name, watch.magnitude)
            }
        }
    }

    /// When the pace of a target allows one more message of a kind, after so many in its period; nil: now.
    private func free(_ target: Target, _ kind: String = "1", after count: Int) throws -> Date? {
        let last = try connection.firstInt64(
            """
            SELECT last_attempt_ms FROM delivery WHERE target = ? AND last_attempt_ms <= ? AND \(kind)
            ORDER BY last_attempt_ms DESC LIMIT 1 OFFSET ?
            """, target.id, time, count - 1)
        let free = last.map { Date(milliseconds: $0).addingTimeInterval(target.period.seconds) }
        return free.flatMap { $0 > now.wall ? $0 : nil }
    }

    /// When the next message may be due; nil: none waits.
    private func next(of target: Target, withAnnouncements: Bool) throws -> Date? {
        let due = try connection.firstInt64(
            """
            SELECT min(due_ms) FROM (
              SELECT due_ms FROM told
              WHERE target = ?1 AND kind IS NOT NULL AND (?2 OR kind <> 'announced' OR words IS NOT NULL)
              UNION ALL SELECT due_ms FROM delivery WHERE target = ?1 AND ended_ms IS NULL)
            """, target.id, withAnnouncements)
        // What is due and did not go waits for an answer.
        return due.map { $0 > time ? Date(milliseconds: $0) : now.wall.addingTimeInterval(TellingPace.recheck) }
    }

    // MARK: - Digests

    /// The announcements of events that may go now; `?1` is the target, `?2` the time.
    private static let announcements = """
        FROM told WHERE target = ?1 AND kind = 'announced' AND due_ms <= ?2 AND words IS NULL AND delivery IS NULL
        """

    /// Whether more announcements wait than the target is sent singly.
    /// - Parameter open: How many are under way.
    private func wantsDigest(_ target: Target, besides open: Int) throws -> Bool {
        let waiting =
            try connection.firstInt64(
                "SELECT count(*) FROM (SELECT 1 \(Self.announcements) LIMIT ?3)", target.id, time,
                target.digestAfter + 1) ?? 0
        return waiting > 0 && Int(waiting) + open > target.digestAfter
    }

    /// The open message of each event whose announcement is under way.
    private func openAnnouncements(of target: Target) throws -> [String] {
        try connection.prepare(
            "SELECT delivery FROM told WHERE target = ? AND delivery IS NOT NULL AND told IS NULL AND words IS NULL",
            target.id
        ).map { $0.string(0) }
    }

    private func digest(_ target: Target, _ compose: Composing) throws -> Order? {
        let sums = try connection.prepare(
            "SELECT count(*), max(seq), max(rank), min(since_ms) \(Self.announcements)", target.id, time)
        let found = try sums.first {
            (count: Int($0.int64(0)), sequence: $0.int64(1), rank: $0.double(2), since: $0.int64(3))
        }
        let largest = try connection.prepare(
            "SELECT public_id, watch \(Self.announcements) ORDER BY rank DESC, since_ms LIMIT ?3", target.id, time,
            Announcement.Digest.mostEvents
        ).map { (id: $0.string(0), watch: $0.string(1)) }
        guard let found, let first = largest.first else { return nil }
        var message = Announcement(
            of: first.id, .digest, .new, to: target, watches: plan.watches.filter { $0.name == first.watch },
            sequence: found.sequence, changed: now.wall, message: found.count, at: now.wall)
        let expired = try connection.firstInt64(
            """
            SELECT count(*) FROM told WHERE target = ?1 AND passed = 'expired' AND last_ms >= coalesce(
              (SELECT ended_ms FROM delivery d WHERE d.target = ?1 AND outcome = 'sent' ORDER BY last_attempt_ms DESC LIMIT 1),
              0)
            """, target.id)
        let events = try largest.compactMap { try event($0.id) }.filter { $0.withdrawal == nil }
        message.digest = Announcement.Digest(events: events, count: found.count, expired: Int(expired ?? 0))
        try connection.run(
            """
            UPDATE told SET delivery = ?3, sent = now, sent_kind = 'announced', kind = NULL, last_ms = ?2
            WHERE (target, public_id) IN (SELECT target, public_id \(Self.announcements))
            """, target.id, time, message.id)
        return try attempt(message, compose(message), wanted: found.since, rank: found.rank)
    }

    // MARK: - Single messages

    /// The oldest message without an answer that is due, unless its event has something newer to say.
    private func unanswered(_ target: Target) throws -> Order? {
        let find = try connection.prepare(
            """
            UPDATE delivery SET attempts = attempts + 1, reached = reached + 1, last_attempt_ms = ?2
            WHERE target = ?1 AND id = (
              SELECT id FROM delivery d WHERE target = ?1 AND ended_ms IS NULL AND due_ms <= ?2
                AND (kind = 'digest' OR NOT EXISTS (
                  SELECT 1 FROM told t WHERE t.target = ?1 AND t.delivery = d.id AND t.kind IS NOT NULL))
              ORDER BY wanted_ms, id LIMIT 1)
            RETURNING id, kind, letter, attempts
            """, target.id, time)
        return try find.first {
            Order(
                id: $0.string(0), target: target.id, kind: MessageKind(rawValue: $0.string(1)) ?? .updated,
                letter: $0.data(2), attempt: Int($0.int64(3)))
        }
    }

    /// The event whose message is next; those of a digest under way wait.
    private func nextEvent(of target: Target, withAnnouncements: Bool) throws -> String? {
        try connection.prepare(
            """
            SELECT public_id FROM told WHERE target = ?1 AND kind IS NOT NULL AND due_ms <= ?2
              AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.target = ?1 AND d.id = delivery AND d.kind = 'digest')
              AND (?3 OR kind <> 'announced' OR words IS NOT NULL)
            ORDER BY kind <> 'announced', rank DESC, since_ms LIMIT 1
            """, target.id, time, withAnnouncements
        ).first { $0.text(0) }
    }

    /// Announces an event, or what has become of it; nil: it must be judged anew first, or its watch is gone.
    private func single(_ id: String, _ target: Target, _ compose: Composing) throws -> Order? {
        let find = try connection.prepare(
            "SELECT delivery, words, first_id FROM told WHERE target = ? AND public_id = ?", target.id, id)
        let kept = try find.first { (delivery: $0.text(0), words: $0.text(1), first: $0.text(2)) }
        guard let kept, var row = try row(of: target.id, id), let wish = row.wish else { return nil }
        let present = kept.words == nil ? try event(id) : nil
        guard wish.kind == .ended || kept.words != nil || present.map({ $0.withdrawal == nil }) ?? false else {
            try connection.run(
                "UPDATE told SET due_ms = ? WHERE target = ? AND public_id = ?", time + Self.settling, target.id, id)
            return nil
        }
        if let open = kept.delivery {
            // The target may have it, so its end is told; anything else says all anew.
            if wish.kind == .ended {
                try connection.run(
                    "UPDATE told SET told = sent WHERE target = ? AND public_id = ?", target.id, id)
            }
            try close(open, of: target.id, .superseded)
            row = try self.row(of: target.id, id) ?? row
        }
        let speakers = plan.watches.filter { watch in
            let isFull = !watch.isHealth && present.map { watch.filter.fit($0) == .full } ?? false
            return watch.targets.contains(target.name) && (isFull || watch.name == row.watch)
        }
        guard speakers.contains(where: { $0.name == row.watch }) else {
            try put(nil, of: target.id, id)
            return nil
        }
        let others = try connection.firstInt64(
            "SELECT count(*) FROM delivery WHERE target = ? AND public_id = ?", target.id, id)
        var message = Announcement(
            of: id, row.told == nil ? .announced : wish.kind, wish.reason, to: target,
            watches: speakers.filter { $0.name == row.watch } + speakers.filter { $0.name != row.watch },
            sequence: row.sequence, changed: row.changed, message: Int(others ?? 0) + 1, at: now.wall)
        (message.publicID, message.event) = (kept.words == nil ? id : nil, present)
        (message.before, message.firstID, message.words) = (row.told, kept.first, kept.words)
        let said = present.map { Said($0.event) } ?? row.now
        try connection.run(
            """
            UPDATE told SET delivery = ?3, sent = ?4, sent_kind = ?5, kind = NULL, last_ms = ?6
            WHERE target = ?1 AND public_id = ?2
            """, target.id, id, message.id, said.text, message.kind.rawValue, time)
        return try attempt(message, compose(message), wanted: wish.since.milliseconds, rank: row.rank)
    }

    /// Stores the first attempt at a message.
    private func attempt(_ message: Announcement, _ letter: Data, wanted: Int64, rank: Double?) throws -> Order {
        try connection.run(
            """
            INSERT OR REPLACE INTO delivery (target, id, watch, public_id, kind, reason, rank, change_seq, wanted_ms, due_ms,
              first_attempt_ms, last_attempt_ms, letter)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, message.target.id, message.id, message.watches.first?.name ?? "", message.publicID,
            message.kind.rawValue, message.reason.rawValue, rank, message.sequence, wanted, time, time, time, letter)
        return Order(id: message.id, target: message.target.id, kind: message.kind, letter: letter)
    }
}
