import Engine
import Foundation
import Model
import Store

// The record as known then, at moments of the past: promise 15.
extension Oracle {
    /// Remembers the states after the changes since the last call; later, if the disk refuses to read them.
    func remember() throws {
        guard hasClients else { return }
        let rows = try look(
            "SELECT seq, public_id, kind FROM change WHERE seq > ? ORDER BY seq", "\(memory.newest)")
        guard let first = rows.first.flatMap({ Int64($0[0]) }) else { return }
        // Only a log that was cut before it was read begins later.
        guard first == memory.newest + 1 else { return try beginMemory() }
        guard let states = try states(of: Set(rows.map { $0[1] })) else { return }
        let last = Dictionary(rows.enumerated().map { ($1[1], $0) }, uniquingKeysWith: { max($0, $1) })
        for (index, row) in rows.enumerated() {
            let kind = EventChange.Kind(rawValue: row[2]) ?? .revised
            let now = last[row[1]] == index ? states[row[1]] ?? .gone : .unknown
            memory.append(StateMemory.Change(id: row[1], kind: kind, state: kind == .truncated ? .gone : now))
        }
    }

    /// Begins the memory anew, since states of earlier moments are not in the store, as after a migration.
    func beginMemory() throws {
        guard hasClients else { return }
        guard let states = try states(of: []) else { return }
        memory.begin(at: Int64(lastChange), with: states)
    }

    /// Follows the store into a new life: takes back what a loss of power has taken, and begins anew where the history
    /// has lost the numbers of its changes.
    func resumeMemory(after ending: Ending) throws {
        guard hasClients else { return }
        if ending == .powerLoss { memory.forget(after: Int64(lastChange)) }
        if memory.base > Int64(lastChange) { try beginMemory() }
        try remember()
    }

    /// The states of events by public id, of all without ids; nil: the disk has refused.
    private func states(of ids: Set<String>) throws -> [String: StateMemory.State]? {
        var query = EventQuery()
        query.publicIDs = ids.sorted()
        query.withdrawn = .include
        query.limit = nil
        guard !hasMachineDied() else { return nil }
        do throws(StoreError) {
            var states: [String: StateMemory.State] = [:]
            for event in try store.events(query) { states[event.publicID] = event.remembered }
            return states
        } catch {
            guard error.isTemporary else { throw error }
            return nil
        }
    }

    /// Public ids of the events whose words their providers have deleted.
    func erasedIDs() throws -> Set<String> {
        Set(try look("SELECT public_id FROM event WHERE is_erased = 1").map { $0[0] })
    }

    /// Whether the record need not know the event at a change: it, or the one it was merged into, was truncated or
    /// erased since, or its public id belongs to another event now.
    func hasEnded(_ id: String, since number: Int64, _ erased: Set<String>) -> Bool {
        for (later, change) in memory.changes(of: id, after: number) {
            if change.kind == .truncated || change.kind == .new { return true }
            if let successor = change.successor { return hasEnded(successor, since: later, erased) }
        }
        return erased.contains(id)
    }

    // MARK: - Moments

    /// Compares the record at random changes of the past with the memory.
    func checkMoments(_ count: Int, at now: Moment) throws {
        guard hasClients else { return }
        try remember()
        guard memory.newest > memory.base else { return }
        let erased = try erasedIDs()
        let ids = memory.ids
        for number in 0..<count {
            let moment = memory.base + 1 + Int64(asking.below(Int(memory.newest - memory.base)))
            let known = try check(moment, ids, erased, at: now)
            if number % 5 == 0 { try checkFilter(moment, known, at: now) }
            summary.moments += 1
        }
    }

    private func check(
        _ moment: Int64, _ ids: Set<String>, _ erased: Set<String>, at now: Moment
    ) throws -> [EventVersion] {
        var query = EventQuery()
        query.withdrawn = .include
        query.limit = nil
        let known = try store.events(query, knownAt: moment)
        let found = Dictionary(known.map { ($0.stored.publicID, $0) }, uniquingKeysWith: { first, _ in first })
        guard found.count == known.count else { throw broken(15, "change \(moment) knows an event twice", at: now) }
        if let id = found.keys.filter({ !ids.contains($0) }).min() {
            throw broken(15, "change \(moment) knows \(id), which was never there", at: now)
        }
        for id in ids.sorted() where !hasEnded(id, since: moment, erased) {
            let state = memory.state(of: id, at: moment)
            guard let state, state != .gone else {
                if found[id] == nil { continue }
                throw broken(15, "change \(moment) knows \(title(of: id)), which was not there", at: now)
            }
            guard let event = found[id] else {
                // A merge keeps the last state of the event that goes.
                let later = memory.changes(of: id, after: moment)
                if later.count > 1, later.contains(where: { $0.change.successor != nil }) { continue }
                throw broken(15, "change \(moment) does not know \(title(of: id))", at: now)
            }
            guard event.isExact, case .known(let hash, words: _) = state else { continue }
            guard case .known(hash, words: _) = event.stored.remembered else {
                let title = event.stored.event.title
                throw broken(15, "change \(moment) knows \(id) as \(title), which it was not", at: now)
            }
        }
        return known
    }

    /// A filter must apply to the state of then.
    private func checkFilter(_ moment: Int64, _ known: [EventVersion], at now: Moment) throws {
        var query = EventQuery()
        query.categories = [.earthquake]
        query.minimumMagnitude = 4
        query.limit = nil
        let found = try store.events(query, knownAt: moment).map(\.stored.publicID)
        guard found == known.filter({ query.matches($0.stored) }).map(\.stored.publicID) else {
            throw broken(15, "change \(moment) has other events through a filter", at: now)
        }
    }
}
