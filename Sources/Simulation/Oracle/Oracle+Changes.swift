import Engine
import Foundation
import Model
import Store

// The logged changes must follow from what was offered: promises 1 to 4, 7 and 9.
extension Oracle {
    /// Reads the changes since the last call and judges each.
    /// - Parameter taking: The committed answer; nil: none, as in truncation or location.
    func readChanges(
        of taking: Taking?, at now: Moment, step: PollStep? = nil, counts: StepResult? = nil
    ) throws {
        let changes = try look(
            "SELECT seq, public_id, kind FROM change WHERE seq > ? ORDER BY seq", "\(lastChange)")
        var admitted = 0
        var absent: [LedgerEntry] = []
        for change in changes {
            lastChange = Int(change[0]) ?? lastChange
            let id = change[1]
            trace.note(elapsed(now), "change \(change[2]) \(id)")
            switch change[2] {
            case "new":
                try admit(id, taking, step, at: now)
                admitted += 1
            case "revised":
                guard let taking, taking.news.contains(id) else {
                    let before = try previous(of: id)
                    throw broken(
                        3, "\(title(of: id)) has a new revision, but nothing new was said of it; before: \(before)",
                        at: now)
                }
            case "withdrawn":
                guard let entry = entries[id] else { continue }
                if try withdrawn(entry, taking, at: now) { absent.append(entry) }
            case "restored":
                guard let entry = entries[id] else { continue }
                guard let taking, taking.shown.contains(id) else {
                    throw broken(4, "\(entry.title) comes back, but no feed shows it", at: now)
                }
                if entry.withdrawn == "absent" { faults.hit(.returning) }
                entry.withdrawn = nil
            case "truncated": try expired(id, at: now)
            case "located": try checkPlace(of: id, at: now)
            case "merged": merges.append(id)
            default: throw broken(15, "the change log has the unknown kind \(change[2])", at: now)
            }
        }
        if taking == nil, let entry = absent.first {
            throw broken(4, "\(entry.title) is withdrawn as absent by nothing", at: now)
        }
        if let taking {
            try merge(taking, counts, at: now)
            try checkAbsence(absent, taking, at: now)
            try checkTaken(taking, step, at: now)
            let isFirst = sources[taking.source]?.complete == nil
            if var snapshot = taking.snapshot, snapshot.isComplete, !(taking.isDoubtful && isFirst) {
                snapshot.showNoMore(taking.outdated)
                sources[taking.source]?.show(snapshot, commit: commits, lastDurable: lastDurable)
            }
        }
        if let counts, counts.new != admitted {
            throw broken(1, "a step counts \(counts.new) new events, \(admitted) are stored", at: now)
        }
        try checkTold(at: now)
        try remember()
        try follow(at: now)
        try serve(at: now)
    }

    func title(of id: String) -> String { entries[id]?.title ?? id }

    /// The values that the latest revision has replaced.
    private func previous(of id: String) throws -> String {
        let rows = try look(
            """
            SELECT h.previous FROM history h JOIN event e ON e.id = h.event_id WHERE e.public_id = ?
            ORDER BY h.revision DESC LIMIT 1
            """, id)
        return rows.first?[0] ?? "nothing"
    }

    // MARK: - New

    private func admit(_ id: String, _ taking: Taking?, _ step: PollStep?, at now: Moment) throws {
        guard let row = try row(of: id) else { throw broken(1, "the new event \(id) is not there", at: now) }
        guard let taking, let step else { throw broken(1, "\(row.title) is new, but no answer brought it", at: now) }
        let expected = taking.expectedEvents.first { expected in
            expected.purpose == .event && expected.provider == row.provider
                && !row.names.isDisjoint(with: expected.names)
        }
        guard let expected else { throw broken(2, "\(row.title) is new, but its answer does not offer it", at: now) }
        guard let verdict = taking.verdicts[Self.key(expected.provider, expected.names[0])] else {
            throw broken(2, "\(row.title) is stored a second time, as \(id)", at: now)
        }
        guard verdict != .mustNot else {
            let isOld = expected.names.contains { truncatedNames[Self.key(expected.provider, $0)] != nil }
            let word = isOld ? "has been truncated and comes again" : "should have been refused"
            throw broken(isOld ? 9 : 10, "\(row.title) of \(taking.source) \(word)", at: now)
        }
        guard row.names == Set(expected.names), row.isErased || row.title == expected.title else {
            let found = row.names.sorted()
            throw broken(2, "\(expected.title) \(expected.names) is stored as \(row.title) \(found)", at: now)
        }
        let entry = LedgerEntry(
            id, row.provider, row.names, time: expected.time, updated: expected.updated, title: row.title,
            firstSeen: step.at, isProvisional: !step.isClockTrusted, admitted: commits)
        entry.sources = [taking.source]
        if let others = taking.split[Self.key(expected.provider, expected.names[0])] {
            entry.unheard = others.subtracting(entry.sources)
            entry.sources.formUnion(others)
        }
        record(entry)
        find(entry.keys)
        summary.stored += 1
    }

    /// Puts an entry into the ledger.
    func record(_ entry: LedgerEntry) {
        entries[entry.publicID] = entry
        if entry.isProvisional { provisional.insert(entry.publicID) }
        for key in entry.keys { byName[key] = entry }
    }

    // MARK: - Merged

    /// Entries that a document's names have made one must be one row, that of the oldest.
    private func merge(_ taking: Taking, _ counts: StepResult?, at now: Moment) throws {
        var merged = 0
        for kin in taking.kin {
            // Earlier merges may have made some of them one.
            var different: [LedgerEntry] = []
            for entry in kin where entries[entry.publicID] === entry { different.append(entry) }
            guard different.count > 1 else { continue }
            let left = Set(try different.compactMap { try row(of: $0.publicID)?.publicID })
            guard left.count == 1, let survivor = different.first(where: { left.contains($0.publicID) }) else {
                let titles = different.map(\.title).joined(separator: " and ")
                throw broken(2, "\(titles) are one event, but \(left.count) rows", at: now)
            }
            guard different.allSatisfy({ $0.admitted >= survivor.admitted }) else {
                throw broken(2, "\(survivor.title) is not the oldest of the rows that were merged", at: now)
            }
            for entry in different where entry !== survivor {
                entries[entry.publicID] = nil
                survivor.names.formUnion(entry.names)
                survivor.sources.formUnion(entry.sources)
                survivor.see(entry.times?.lowerBound)
                survivor.see(entry.times?.upperBound)
                survivor.firstSeen = min(survivor.firstSeen, entry.firstSeen)
                survivor.isProvisional = survivor.isProvisional && entry.isProvisional
                merged += 1
            }
            for key in survivor.keys { byName[key] = survivor }
            survivor.unheard = survivor.sources.subtracting([taking.source])
        }
        faults.hit(.merge, times: merged)
        if let counts, counts.merged != merged {
            throw broken(2, "\(counts.merged) rows were merged, names say \(merged)", at: now)
        }
    }

    // MARK: - Withdrawn

    /// Whether the event is withdrawn for its absence; otherwise its provider must have taken it back.
    private func withdrawn(_ entry: LedgerEntry, _ taking: Taking?, at now: Moment) throws -> Bool {
        guard let row = try row(of: entry.publicID), let reason = row.withdrawn else {
            throw broken(4, "\(entry.title) is logged as withdrawn, and is not", at: now)
        }
        entry.withdrawn = reason
        entry.title = row.title
        if reason == "absent" {
            // The next listing restores it, even with unchanged content.
            for name in sources.keys { sources[name]?.forget(entry.keys) }
            return true
        }
        guard !takenBack.isDisjoint(with: entry.keys) else {
            throw broken(4, "\(entry.title) is withdrawn as \(reason), which its provider never said", at: now)
        }
        return false
    }

    private func checkAbsence(_ absent: [LedgerEntry], _ taking: Taking, at now: Moment) throws {
        guard let first = absent.first else { return }
        guard let snapshot = taking.snapshot, snapshot.isComplete, !taking.isDoubtful else {
            throw broken(4, "\(first.title) is withdrawn as absent by no complete snapshot", at: now)
        }
        faults.hit(.vanishing, times: absent.count)
        for entry in absent {
            guard snapshot.present.isDisjoint(with: entry.names) else {
                throw broken(4, "\(entry.title) is withdrawn by a snapshot that shows it", at: now)
            }
            guard entry.isInside(snapshot.window) else {
                throw broken(4, "\(entry.title) is withdrawn by a snapshot that does not reach it", at: now)
            }
            let other = entry.sources.sorted().first { name in
                guard name != taking.source, let source = sources[name], source.isConfigured,
                    source.settings.isEnabled, let last = source.complete
                else { return false }
                guard let times = entry.times, last.window.contains(times.lowerBound),
                    last.window.contains(times.upperBound)
                else { return false }
                return !last.present.isDisjoint(with: entry.names)
            }
            if let other { throw broken(4, "\(entry.title) is withdrawn although \(other) shows it", at: now) }
        }
        let inside = entries.values.filter { entry in
            entry.sources.contains(taking.source) && entry.withdrawn == nil && entry.isInside(snapshot.window)
        }
        guard absent.count > 5, absent.count * 5 > inside.count + absent.count else { return }
        let before = sources[taking.source]?.complete.map { [$0] } ?? sources[taking.source]?.doubtful ?? []
        let lackedAll = before.contains { snapshot in
            absent.allSatisfy { snapshot.present.isDisjoint(with: $0.names) }
        }
        guard lackedAll else {
            throw broken(4, "\(absent.count) events are withdrawn at once by a first snapshot: \(first.title)", at: now)
        }
    }

    // MARK: - Taken

    /// Checks that the answer has had the effects that it must have.
    private func checkTaken(_ taking: Taking, _ step: PollStep?, at now: Moment) throws {
        for expected in taking.expectedEvents where expected.purpose == .event {
            let key = Self.key(expected.provider, expected.names[0])
            if taking.verdicts[key] == .must, byName[key] == nil {
                throw broken(1, "\(expected.title) of \(taking.source) was offered, and is not stored", at: now)
            }
            if let entry = byName[key], entry.withdrawn == "absent", !taking.isStale {
                throw broken(4, "\(expected.title) is shown again by \(taking.source), and stays withdrawn", at: now)
            }
        }
        for (stale, expected) in taking.reworded {
            guard let entry = byName[Self.key(expected.provider, expected.names[0])] ?? entries[stale.publicID],
                entry.withdrawn == nil
            else { continue }
            if taking.twice.contains(entry.publicID) {
                // The date of the one that was updated last.
                entry.updated = max(expected.updated ?? .distantPast, entry.updated ?? .distantPast)
                continue
            }
            if let new = expected.updated, let old = entry.updated, new < old { continue }
            entry.updated = expected.updated ?? entry.updated
            // The source may have said so before, and another source may have preferred the twin since.
            if !taking.isRemembered, entry.wasTwice { continue }
            entry.title = expected.title
            let row = try row(of: entry.publicID)
            guard row?.title == expected.title else {
                throw broken(1, "\(expected.title) was offered, stored is still \(row?.title ?? "nothing")", at: now)
            }
        }
    }

    // MARK: - Truncated

    private func expired(_ id: String, at now: Moment) throws {
        guard let entry = entries[id] else {
            throw broken(2, "an event that nobody knows is truncated: \(id)", at: now)
        }
        if let forgetting { return try forgotten(entry, by: forgetting, at: now) }
        guard !entry.isProvisional else {
            throw broken(9, "\(entry.title) is truncated by a clock in doubt", at: now)
        }
        for name in entry.sources.sorted() {
            guard let source = sources[name] else { continue }
            guard entry.ageBase.lowerBound < source.possibleHorizon.addingTimeInterval(1) else {
                throw broken(9, "\(entry.title) is truncated although \(name) keeps it longer", at: now)
            }
        }
        for key in entry.keys {
            let before = truncatedNames[key]?.sources ?? []
            truncatedNames[key] = Truncated(entry, sources: entry.sources.union(before))
            byName[key] = nil
        }
        entries[id] = nil
        summary.truncated += 1
    }
}
