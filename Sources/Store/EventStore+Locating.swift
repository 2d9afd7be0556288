public import Foundation
public import Model
import SQLite

/// What became of the events that the city table was asked for.
public struct LocateResult: Sendable, Hashable {
    /// Events that have a place now.
    public var located = 0
    /// Events whose place a service is to be asked for.
    public var asked = 0
    /// Events whose texts name no place, or none that is sure.
    public var unresolved = 0
    /// Outcomes dropped because the event has changed meanwhile, or waits no longer; one that still waits is given out
    /// again.
    public var stale = 0

    /// Creates an empty result.
    public init() {}

    /// Adds another batch's counts.
    public mutating func add(_ other: LocateResult) {
        located += other.located
        asked += other.asked
        unresolved += other.unresolved
        stale += other.stale
    }
}

extension EventStore {
    /// Outcomes stored in one transaction.
    private static let batch = 256

    /// Events to be looked up, newest first: those not looked up yet, then those that another table has seen.
    ///
    /// `context` is left empty: the store does not know the sources' settings.
    /// - Parameters:
    ///   - limit: Most events given out.
    ///   - generation: Which table looks; nil: none, and only events not looked up yet are given out.
    public func unlocated(limit: Int, generation: String?) throws(StoreError) -> [UnlocatedEvent] {
        try maintain { connection in
            var events: [UnlocatedEvent] = []
            for sql in QueueSQL.unlocated.prefix(generation == nil ? 1 : QueueSQL.unlocated.count)
            where events.count < limit {
                let find = try connection.prepare(sql)
                find.bind(generation)
                find.bind(limit - events.count)
                while try find.step() { events.append(UnlocatedEvent(row: find)) }
            }
            return events
        }
    }

    /// Stores what a table makes of events: a located one leaves the queue with a new revision and the change
    /// `located`, one to be asked joins the job of its question, the rest waits for another table or other texts.
    ///
    /// An outcome for an event that has been revised since it was read is dropped. At most 256 outcomes are stored in
    /// one transaction, so that a poll's write need not wait for all of them.
    /// - Parameters:
    ///   - outcomes: Events as `unlocated` gave them out, and what was found.
    ///   - generation: Which table was asked; nil: none.
    ///   - at: Wall time of the changes.
    public func apply(
        _ outcomes: [(event: UnlocatedEvent, outcome: LocalOutcome)], generation: String?, at: Date
    ) throws(StoreError) -> LocateResult {
        var result = LocateResult()
        for start in stride(from: 0, to: outcomes.count, by: EventStore.batch) {
            let some = outcomes[start..<min(start + EventStore.batch, outcomes.count)]
            try transaction { writer in
                let locating = try Locating(writer, at: at.milliseconds)
                for (event, outcome) in some {
                    try locating.apply(outcome, to: event, generation: generation, into: &result)
                }
            }
        }
        return result
    }
}

extension UnlocatedEvent {
    /// Reads a row of `QueueSQL.unlocated`.
    init(row: Statement) {
        // A feed's own member of that name may hold anything.
        let evidence = row.text(5).flatMap { word in PlaceEvidence.allCases.first { $0.rawValue == word } }
        self.init(
            id: row.int64(0), revision: row.int64(1), source: row.string(2), category: row.string(3),
            place: row.text(4), placeEvidence: evidence ?? .place, title: row.string(6), summary: row.text(7),
            language: row.text(8))
    }
}
