public import Model
import SQLite

extension EventStore {
    /// The events, each that has no coordinate with the reason, where the queue of places or a correction tells one
    /// (`StoredEvent.missingPlace`). Withdrawn events wait for no place, so most have none.
    ///
    /// Each such event costs a few look-ups by keys. Throws `StoreError`.
    public func explainingMissingPlaces(of events: [StoredEvent]) throws(StoreError) -> [StoredEvent] {
        guard events.contains(where: { $0.event.location == nil }) else { return events }
        return try read { connection -> [StoredEvent] in
            let find = try connection.prepare(QueueSQL.missingPlace)
            let findCorrection = try connection.prepare(CorrectionSQL.isCorrected)
            var explained = events
            for index in explained.indices where explained[index].event.location == nil {
                find.bind(explained[index].publicID)
                let waiting = try find.first { (state: $0.string(0), job: $0.text(1), reason: $0.text(2)) }
                if let (state, job, reason) = waiting {
                    explained[index].missingPlace = MissingPlace(state: state, job: job, reason: reason)
                    continue
                }
                findCorrection.bind(explained[index].publicID)
                if try findCorrection.firstInt64() == 1 { explained[index].missingPlace = .takenAway }
            }
            return explained
        }
    }
}

extension MissingPlace {
    /// Reads the state of an event in the queue and that of its job; nil for reasons of other versions.
    fileprivate init?(state: String, job: String?, reason: String?) {
        switch (state, job) {
        case (_, "unresolved"?): self = .notFound
        case ("new", _), ("asked", _): self = .waiting
        default:
            guard let known = MissingPlace.allCases.first(where: { $0 != .waiting && $0.words == reason }) else {
                return nil
            }
            self = known
        }
    }
}
