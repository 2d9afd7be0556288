public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Outcomes stored in one transaction.
    private static let batch = 256

    /// Events to look up, newest first: those never looked up, then those looked up without a table or in another one.
    ///
    /// `context` is left empty, because the store does not know the sources' settings. Empty: nothing waits. Throws
    /// `StoreError`.
    /// - Parameters:
    ///   - limit: The most events returned, 0 or more.
    ///   - generation: The table that will look (`CityTable.generation`); nil: no table, so only events never looked
    ///     up are returned.
    public func unlocated(limit: Int, generation: String?) throws(StoreError) -> [UnlocatedEvent] {
        try maintain { connection in
            var events: [UnlocatedEvent] = []
            for sql in QueueSQL.unlocated.prefix(generation == nil ? 1 : QueueSQL.unlocated.count)
            where events.count < limit {
                let find = try connection.prepare(sql, generation, limit - events.count)
                events += try find.map { UnlocatedEvent(row: $0) }
            }
            return events
        }
    }

    /// Stores the city table's outcomes. A located event leaves the queue with a new revision and the change
    /// `located`; one to be asked joins the job of its question; any other waits for another table or other texts.
    ///
    /// An outcome is dropped if the event has been revised since it was read. One transaction stores up to 256
    /// outcomes, so that polls need not wait for all of them. Throws `StoreError`; earlier batches are stored then.
    /// - Parameters:
    ///   - outcomes: Events as `unlocated` returned them, with their outcomes.
    ///   - generation: The table that was asked; nil: none.
    ///   - at: Wall time of the changes.
    public func apply(
        _ outcomes: [(event: UnlocatedEvent, outcome: LocalOutcome)], generation: String?, at: Date
    ) throws(StoreError) -> LocateResult {
        var result = LocateResult()
        for start in stride(from: 0, to: outcomes.count, by: EventStore.batch) {
            let some = outcomes[start..<min(start + EventStore.batch, outcomes.count)]
            try transaction { writer in
                let locating = Locating(writer, at: at.milliseconds)
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
        // A feed may have a member of that name with any value.
        let evidence = row.text(5).flatMap { word in PlaceEvidence.allCases.first { $0.rawValue == word } }
        self.init(
            handle: EventHandle(row.int64(0)), revision: row.int64(1), source: row.string(2), category: row.string(3),
            place: row.text(4), placeEvidence: evidence ?? .place, title: row.string(6), summary: row.text(7),
            language: row.text(8))
    }
}
