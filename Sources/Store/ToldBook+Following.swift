import Foundation
import Model
import SQLite
import Telling

// What changes of events, and trouble of the program, make of the rows.
extension ToldBook {
    /// Judges what has become of an event, for each target.
    /// - Parameter silence: Why it is no news; nil: it may be.
    /// - Returns: The targets for which something waits that did not.
    func see(_ update: EventUpdate, silence: Passed? = nil) throws -> Set<String> {
        guard case .changed(let event, let kind) = update else {
            if case .gone(let change, let successor) = update { try end(change.publicID, successor) }
            return []
        }
        if event.isErased { try wipeLetters(about: event.publicID) }
        var news: Set<String> = []
        // Once for all targets: a polygon is long.
        let fits = Dictionary(
            plan.watches.map { ($0.name, $0.filter.fit(event)) }, uniquingKeysWith: { first, _ in first })
        for target in plan.targets {
            let row = try row(of: target.id, event.publicID)
            let sight = Sight(event, kind, silence: silence, since: since[target.id] ?? [:], fits: fits)
            // For a watch that began later it was there before, for the others it may be news.
            let isOpen = row.map { $0.passed == .before && sight.began($0.watch, after: event.changeSequence) } ?? false
            let judged = ToldRow.judge(isOpen ? nil : row, sight, watches: watches[target.id] ?? [], at: now)
            let next = judged ?? (isOpen ? row : nil)
            guard next != row else { continue }
            try put(next, of: target.id, event.publicID)
            if let wish = next?.wish, wish != row?.wish { news.insert(target.id) }
        }
        return news
    }

    /// Judges events anew of which something was told or waits, as a condition says.
    func judgeAnew(where condition: String) throws {
        let open = try connection.prepare(
            "SELECT DISTINCT public_id, seq FROM told WHERE words IS NULL AND \(condition)"
        ).map { (id: $0.string(0), sequence: $0.int64(1)) }
        for (id, sequence) in open {
            let gone = EventChange(sequence: sequence, kind: .truncated, publicID: id, at: now.wall)
            _ = try see(try event(id).map { .changed($0, .revised) } ?? .gone(gone, into: nil))
        }
    }

    /// An event is gone: what was told of it belongs to the one that it was merged into, if any.
    private func end(_ event: String, _ successor: String?) throws {
        if let successor {
            try connection.run(
                """
                DELETE FROM told WHERE public_id = ? AND told IS NULL AND delivery IS NULL
                  AND target IN (SELECT target FROM told WHERE public_id = ? AND told IS NOT NULL)
                """, successor, event)
            try connection.run("UPDATE OR IGNORE told SET public_id = ? WHERE public_id = ?", successor, event)
        }
        try wipeLetters(about: event)
        // What the target was told stays, so that it is compared if the event comes again under its id.
        let isKept = successor == nil ? "told IS NULL" : "1"
        try connection.run("DELETE FROM told WHERE public_id = ? AND \(isKept)", event)
        try connection.run("UPDATE told SET kind = NULL WHERE public_id = ?", event)
    }

    /// Ends the open messages that may have words of an event. Other events of the same digest wait again.
    private func wipeLetters(about event: String) throws {
        let open = try connection.prepare(
            "SELECT target, delivery FROM told WHERE public_id = ? AND delivery IS NOT NULL", event
        ).map { (target: $0.string(0), id: $0.string(1)) }
        guard !open.isEmpty else { return }
        // The target may have it.
        try connection.run(
            """
            UPDATE told SET told = sent, is_ended = (sent_kind = 'ended'), sent = NULL, sent_kind = NULL, delivery = NULL,
              messages = messages + 1 WHERE public_id = ? AND delivery IS NOT NULL
            """, event)
        for (target, id) in open { try close(id, of: target, .superseded, code: "erased") }
        try connection.set(Meta.erasure, to: .asked)
    }

    /// Compares the program's trouble with what the targets were told of it.
    /// - Returns: The targets for which something waits that did not.
    func see(_ faults: [HealthFault]) throws -> Set<String> {
        var news: Set<String> = []
        for target in plan.targets {
            let watch = plan.watches(of: target, ofHealth: true).first?.name
            let present = faults.filter { $0.target != target.name }.map { ("health " + $0.key, $0.text) }
            let texts = Dictionary(present, uniquingKeysWith: { first, _ in first })
            let known = try connection.prepare(
                "SELECT public_id FROM told WHERE target = ? AND words IS NOT NULL", target.id
            ).map { $0.string(0) }
            for id in Set(known).union(texts.keys) {
                let row = try row(of: target.id, id)
                let next = watch.flatMap { ToldRow.judge(row, isPresent: texts[id] != nil, watch: $0, at: now) }
                guard next != row else { continue }
                try put(next, of: target.id, id, words: texts[id])
                if let wish = next?.wish, wish != row?.wish { news.insert(target.id) }
            }
        }
        return news
    }
}
