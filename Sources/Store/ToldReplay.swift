public import Foundation
public import Model
import SQLite
public import Telling

/// What a plan would have told of changes that lie back: the rules of telling over a database of its own in memory.
///
/// It answers the tasks of a `Teller` by the times of the changes. For one thread.
public final class ToldReplay {
    /// A change with what the record knows of it.
    public struct Step: Sendable {
        /// The event as the change left it, or its end.
        public var update: EventUpdate
        /// Why it is no news; nil: it may be.
        public var silence: Passed?
        /// Wall time of the change.
        public var at: Date
    }

    private let file: DatabaseFile
    private let connection: Connection
    private let plan: TellingPlan
    /// The events that something is known of.
    private var events: [String: StoredEvent] = [:]
    /// The changes that were not followed yet.
    private var steps: [Step] = []

    /// Begins with nothing told. Throws `StoreError`.
    public init(_ plan: TellingPlan) throws(StoreError) {
        self.plan = plan
        (file, connection) = try reporting {
            let file = try DatabaseFile(path: ":memory:")
            let connection = Connection(handle: file.connection.handle, pool: StatementPool())
            try connection.execute(
                "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);" + Schema.told)
            return (file, connection)
        }
    }

    /// Takes a change, which is followed by the next such task.
    public func add(_ step: Step) { steps.append(step) }

    /// Carries out a task, as `EventStore.tell`. Throws `StoreError`.
    public func tell(
        _ task: TellingTask, at now: TellingTime, composing compose: (Announcement) -> Data
    ) throws(StoreError) -> TellingAnswer {
        try reporting {
            switch task {
            case .begin: return .begun([:])
            case .follow, .health:
                defer { steps = [] }
                return .followed(isDone: true, news: try steps.reduce(into: []) { $0.formUnion(try see($1)) })
            case .write(let settlements, let targets):
                return .wrote(try book(now).write(settling: settlements, taking: targets, composing: compose))
            }
        }
    }

    private func see(_ step: Step) throws -> Set<String> {
        let id: String
        switch step.update {
        case .changed(let event, _):
            id = event.publicID
            events[id] = event
        case .gone(let change, let successor):
            id = change.publicID
            if let successor, events[successor] == nil { events[successor] = events[id] }
        }
        let news = try book(TellingTime(wall: step.at)).see(step.update, silence: step.silence)
        let isKnown = try connection.firstInt64(
            "SELECT 1 FROM told WHERE public_id = ? AND (told IS NOT NULL OR kind IS NOT NULL)", id)
        if isKnown == nil { events[id] = nil }
        return news
    }

    private func book(_ now: TellingTime) throws -> ToldBook {
        try ToldBook(connection, plan, at: now) { [events] in events[$0] }
    }
}

extension EventStore {
    /// The next changes for a replay, oldest first; those are left out of which the record knows no state. Blocks.
    /// - Parameters:
    ///   - cursor: The number of the last change taken; nil: none.
    ///   - limit: The most changes read.
    /// - Returns: The changes, and the cursor for the next call; nil: there are no more.
    /// - Throws: `StoreError`.
    public func replaySteps(
        after cursor: Int64?, limit: Int
    ) throws(StoreError) -> (steps: [ToldReplay.Step], cursor: Int64?) {
        try read { connection in
            let page = try ChangeFeed.page(after: cursor, limit: limit, connection)
            guard !page.changes.isEmpty else { return ([], nil) }
            let silences = try Silences(on: page, after: cursor ?? page.oldest - 1, connection)
            let steps = try ChangeFeed.steps(page.changes[...], connection).compactMap { step -> ToldReplay.Step? in
                let gone = step.isEnd ? EventUpdate.gone(step.change, into: step.successor) : nil
                guard let update = step.after.map({ .changed($0, step.change.kind) }) ?? gone else { return nil }
                return ToldReplay.Step(update: update, silence: silences.of(update), at: step.change.at)
            }
            return (steps, page.cursor)
        }
    }
}
