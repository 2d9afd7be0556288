import Engine
import Foundation
import Model
import Store

// A reset forgets its source and nothing else: promises 1, 2 and 9.
extension Oracle {
    /// Judges the reset of a source's state, perhaps with its events; with an error, some of it may be left.
    func wasReset(_ name: String, includingEvents: Bool, _ error: StoreError?, at now: Moment) throws {
        trace.note(elapsed(now), "reset \(name)\(includingEvents ? " with events" : "") \(error?.code ?? .other)")
        commits += 1
        if var source = sources[name], source.pollBegan != nil {
            source.pollBegan = nil
            source.due = now.uptime + (source.settings.isStream ? .seconds(5) : source.settings.refreshInterval)
            sources[name] = source
        }
        // A machine that dies during the reset may have done a part of it.
        if error != nil || hasMachineDied() {
            mayReturn = true
            halfReset.insert(name)
        }
        guard !hasMachineDied() else { return }
        let wasForgotten = try look("SELECT last_attempt_ms IS NULL FROM source WHERE name = ?", name).first == ["1"]
        guard error == nil || wasForgotten else { return }
        guard wasForgotten else { throw broken(11, "\(name) still knows its last poll after its reset", at: now) }
        sources[name]?.state = FeedState()
        sources[name]?.validators = [:]
        sources[name]?.snapshot = nil
        sources[name]?.complete = nil
        sources[name]?.recent = []
        sources[name]?.doubtful = []
        guard includingEvents else { return faults.hit(.stateReset) }
        sources[name]?.said = [:]
        let before = lastChange
        forgetting = name
        defer { forgetting = nil }
        try readChanges(of: nil, at: now)
        guard error == nil else { return }
        faults.hit(.eventsReset)
        for entry in entries.values.sorted(by: { $0.publicID < $1.publicID }) {
            guard entry.sources != [name] else {
                throw broken(1, "\(entry.title) stays although \(name) was reset with its events", at: now)
            }
            entry.sources.remove(name)
            entry.unheard.remove(name)
        }
        try checkRecord(of: name, resetAfter: before, at: now)
    }

    /// Judges the removal of an event by a reset: no other source may list it.
    func forgotten(_ entry: LedgerEntry, by name: String, at now: Moment) throws {
        let others = entry.sources.subtracting([name])
        guard entry.sources.contains(name), others.allSatisfy({ hasPassed(entry, in: $0) }) else {
            throw broken(1, "\(entry.title) goes with the reset of \(name), but \(others.sorted()) show it", at: now)
        }
        for key in entry.keys {
            if !others.isEmpty { truncatedNames[key] = Truncated(entry, sources: others) }
            byName[key] = nil
        }
        entries[entry.publicID] = nil
        provisional.remove(entry.publicID)
    }

    /// Whether a failed reset may have removed an event.
    func mayBeForgotten(_ entry: LedgerEntry) -> Bool {
        !halfReset.isDisjoint(with: entry.sources)
            && entry.sources.subtracting(halfReset).allSatisfy { hasPassed(entry, in: $0) }
    }
}
