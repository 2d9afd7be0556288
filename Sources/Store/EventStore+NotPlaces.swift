public import Foundation
public import Model
import SQLite

extension EventStore {
    /// The most events examined at a time.
    static let examined = 4096
    /// Events whose places are taken away in one transaction.
    private static let batch = 256

    /// The next events of a source that have a place found by name, in the order of handles. Their `place` is the words
    /// that led to it; they have no other text and no context.
    /// - Parameter event: The event behind which to begin; `start`: at the first.
    /// - Returns: The events among those examined, and the last that was examined; nil: none is left.
    /// - Throws: `StoreError`.
    public func placedByName(
        in source: String, after event: EventHandle
    ) throws(StoreError) -> (events: [UnlocatedEvent], last: EventHandle?) {
        try maintain { connection -> (events: [UnlocatedEvent], last: EventHandle?) in
            let find = try connection.prepare(QueueSQL.placedByName, source, event.number, EventStore.examined)
            var events: [UnlocatedEvent] = []
            var last: EventHandle?
            while try find.step() {
                last = EventHandle(find.int64(0))
                if find.text(4) != nil { events.append(UnlocatedEvent(row: find)) }
            }
            return (events, last)
        }
    }

    /// Takes away the places of events that were found by name, and queues the events. Each gets a new revision and the
    /// change `revised`; one that has been revised since it was read stays as it is.
    ///
    /// One transaction changes up to 256 events, so that polls need not wait for all of them. Throws `StoreError`; earlier
    /// batches are stored then.
    /// - Parameters:
    ///   - events: Events as `placedByName` returned them.
    ///   - at: Wall time of the changes.
    public func unlocate(_ events: [UnlocatedEvent], at: Date) throws(StoreError) {
        for start in stride(from: 0, to: events.count, by: EventStore.batch) {
            let some = events[start..<min(start + EventStore.batch, events.count)]
            try transaction { writer in
                let locating = Locating(writer, at: at.milliseconds)
                for event in some { try locating.unlocate(event) }
            }
        }
    }
}
