public import Model
import SQLite

extension ChangeFeed {
    /// The steps of consecutive changes, in their order, from one snapshot. Blocks; two look-ups a change.
    ///
    /// An event's states are those as known at the numbers of the changes, so a step is the same whenever it is read,
    /// until the event ends. The changes of an event that has ended since may have no states, but its end comes later.
    /// - Parameter changes: Changes of a page, without a gap.
    /// - Throws: `StoreError`.
    public func steps(_ changes: ArraySlice<EventChange>) throws(StoreError) -> [ChangeStep] {
        guard !changes.isEmpty else { return [] }
        return try store.read { try Self.steps(changes, $0) }
    }

    static func steps(_ changes: ArraySlice<EventChange>, _ connection: Connection) throws -> [ChangeStep] {
        guard let first = changes.first else { return [] }
        // A merge has two changes: that of the event that goes, then that of the event that stays.
        var isGoing = first.kind == .merged ? try beginsMerge(first.sequence, connection) : true
        var steps: [ChangeStep] = []
        for change in changes {
            let isGone = change.kind == .truncated || change.kind == .merged && isGoing
            isGoing = !(change.kind == .merged && isGoing)
            steps.append(try isGone ? end(change, on: changes, connection) : step(change, connection))
        }
        return steps
    }

    private static func step(_ change: EventChange, _ connection: Connection) throws -> ChangeStep {
        guard var after = try EventStore.event(change.publicID, knownAt: change.sequence, connection)?.stored else {
            // An erased event is known at no moment, and no later change tells its end.
            return ChangeStep(change, isEnd: change.kind == .withdrawn)
        }
        after.changeSequence = change.sequence
        after.lastChanged = change.at
        guard change.kind != .new else { return ChangeStep(change, after: after) }
        let before = try EventStore.event(change.publicID, knownAt: change.sequence - 1, connection)
        return ChangeStep(
            change, after: after, before: before?.stored, isBeforeExact: before?.isExact ?? false)
    }

    private static func end(
        _ change: EventChange, on changes: ArraySlice<EventChange>, _ connection: Connection
    ) throws -> ChangeStep {
        guard change.kind == .merged else { return ChangeStep(change, isEnd: true) }
        let here = changes.first { $0.sequence == change.sequence + 1 }
        let next = try here ?? page(after: change.sequence, limit: 1, connection).changes.first
        return ChangeStep(change, isEnd: true, successor: next?.kind == .merged ? next?.publicID : nil)
    }

    /// Whether a change `merged` is the first of its two, which it is after an even number of such changes.
    private static func beginsMerge(_ sequence: Int64, _ connection: Connection) throws -> Bool {
        let last =
            try connection.firstInt64(
                "SELECT seq FROM change WHERE seq < ? AND kind <> 'merged' ORDER BY seq DESC LIMIT 1", sequence)
            ?? EventStore.keptChanges(connection).oldest - 1
        return (sequence - last) % 2 == 1
    }
}
