import Dispatch
import Foundation
public import Model
import SQLite

/// The visible changes of events in the order in which they were committed, for those who follow from a cursor.
///
/// A cursor is the number of the last change that has been taken in, 0 before the first. A follower asks `next` until
/// there is nothing more, then waits, and asks again:
///
/// ```swift
/// while true {
///     let page = try feed.next(after: cursor)
///     cursor = page.cursor
///     if page.isTooOld {
///         // Read all events; what changes meanwhile comes after the cursor.
///     } else if page.changes.isEmpty {
///         try await feed.wait(after: cursor)
///     }
/// }
/// ```
public struct ChangeFeed: Sendable {
    /// Some changes after a cursor.
    public struct Page: Sendable, Hashable {
        /// The changes, oldest first, their numbers without a gap; empty where there are none, or the cursor is too old.
        public var changes: [EventChange]
        /// The cursor to go on from: behind `changes`, or the newest change where the given one is too old.
        public var cursor: Int64
        /// Number of the oldest change that is kept; one above the newest where none is.
        public var oldest: Int64
        /// Whether changes after the given cursor are no longer kept, or it is ahead of the database, as when that was
        /// replaced by a copy. Then start again from the events themselves.
        public var isTooOld: Bool
    }

    /// Passes the time between two looks at what others have committed; what it throws ends the wait.
    public typealias Pause = @Sendable () async throws -> Void

    let store: EventStore
    private let pause: Pause?
    /// Looks at what others have committed.
    private let queue = DispatchQueue(label: "visiventd.changes")

    /// Creates a feed of a store's changes.
    /// - Parameter pause: For a store that another process writes: what passes between two looks. Nil: only this store
    ///   writes, and tells of each commit itself.
    public init(of store: EventStore, pause: Pause? = nil) {
        self.store = store
        self.pause = pause
    }

    /// Number of the last change that the store has told of, or found when it was opened; for simulations, which cannot
    /// wait.
    package var told: Int64 { store.signal.newest }

    /// The changes after a cursor; blocks, as all reads of the store.
    /// - Parameters:
    ///   - cursor: Number of the last change that has been taken in; 0: none.
    ///   - limit: How many at the most, from 1.
    public func next(after cursor: Int64, limit: Int = 1000) throws(StoreError) -> Page {
        try store.read { connection in
            let (oldest, newest) = try EventStore.keptChanges(connection)
            guard cursor >= oldest - 1, cursor <= newest else {
                return Page(changes: [], cursor: newest, oldest: oldest, isTooOld: true)
            }
            var page = Page(changes: [], cursor: cursor, oldest: oldest, isTooOld: false)
            let find = try connection.prepare(
                "SELECT seq, kind, public_id, at_ms FROM change WHERE seq > ? ORDER BY seq LIMIT ?")
            find.bind(cursor)
            find.bind(max(1, limit))
            while try find.step() {
                page.cursor = find.int64(0)
                page.changes.append(
                    EventChange(
                        sequence: page.cursor, kind: EventChange.Kind(rawValue: find.string(1)) ?? .revised,
                        publicID: find.string(2), at: Date(milliseconds: find.int64(3))))
            }
            return page
        }
    }

    /// Waits until a change after the cursor has been committed, if there is none yet.
    ///
    /// Any number may wait. Without a pause nothing is read meanwhile: a commit of the store wakes those whom it
    /// concerns. With one SQLite's `data_version` is looked at, and the changes when it is another.
    /// - Parameters:
    ///   - cursor: Number of the last change that has been taken in; 0: none.
    ///   - kinds: Which changes are worth it. What was committed before the store was opened, and what is no longer kept,
    ///     counts as of any kind.
    /// - Returns: The number of the newest such change.
    /// - Throws: `CancellationError` when the task is cancelled; with a pause also what that throws, and `StoreError`.
    @discardableResult
    public func wait(
        after cursor: Int64, for kinds: Set<EventChange.Kind> = Set(EventChange.Kind.allCases)
    ) async throws -> Int64 {
        guard let pause else { return try await store.signal.wait(after: cursor, for: kinds) }
        var version: Int64?
        while true {
            try Task.checkCancellation()
            let look = try await look(after: cursor, for: kinds, unlessAt: version)
            if let newest = look.newest { return newest }
            version = look.version
            try await pause()
        }
    }

    private struct Look: Sendable {
        var version: Int64
        var newest: Int64?
    }

    /// Looks off the cooperative threads.
    private func look(
        after cursor: Int64, for kinds: Set<EventChange.Kind>, unlessAt version: Int64?
    ) async throws -> Look {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result<Look, any Error> {
                        // Read before the changes: a commit between the two makes it another the next time.
                        var look = Look(version: try store.dataVersion())
                        if look.version != version { look.newest = try store.newestChange(after: cursor, of: kinds) }
                        return look
                    })
            }
        }
    }
}

extension EventStore {
    /// Numbers of the oldest change that is kept and of the newest; oldest is one above newest where none is.
    static func keptChanges(_ connection: Connection) throws -> (oldest: Int64, newest: Int64) {
        let oldest = try value(MetaKey.oldestChange, connection).flatMap { Int64($0) } ?? 1
        return (oldest, try lastChange(connection))
    }

    /// Number of the newest change of some kinds after a cursor; nil when there is none.
    fileprivate func newestChange(after cursor: Int64, of kinds: Set<EventChange.Kind>) throws(StoreError) -> Int64? {
        try read { connection in
            let (oldest, newest) = try EventStore.keptChanges(connection)
            guard newest > cursor else { return nil }
            guard cursor >= oldest - 1, kinds.count < EventChange.Kind.allCases.count else { return newest }
            let names = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            let find = try connection.prepare("SELECT max(seq) FROM change WHERE seq > ? AND kind IN (\(names))")
            find.bind(cursor)
            return try find.firstInt64()
        }
    }

    /// A number that is another once a connection of anybody else has committed (<https://www.sqlite.org/pragma.html>).
    /// Numbers of two connections cannot be compared, so the writing connection is always asked.
    fileprivate func dataVersion() throws(StoreError) -> Int64 {
        try maintain { try $0.firstInt64("PRAGMA data_version") ?? 0 }
    }
}
