import Dispatch
import Foundation
public import Model
import SQLite

/// The visible changes of events in commit order, read from a cursor.
///
/// A cursor is the number of the last change that the follower has processed, 0 before the first. A follower calls
/// `next` until no change is left, then waits and calls it again:
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
    /// Waits between two checks for commits of other processes; an error it throws ends the wait and comes out of
    /// `wait`.
    public typealias Pause = @Sendable () async throws -> Void

    let store: EventStore
    private let pause: Pause?
    /// Checks for commits of other processes, for all feeds. A concurrent queue would block the cooperative threads.
    private static let queue = DispatchQueue(label: "visiventd.changes")

    /// Creates a feed of a store's changes.
    /// - Parameter pause: Needed if another process writes the database; passes the time between two checks. Nil, the
    ///   default: only this store writes, and each of its commits wakes the waiters.
    public init(of store: EventStore, pause: Pause? = nil) {
        self.store = store
        self.pause = pause
    }

    /// The number of the newest change that the store has signalled, or found when it was opened (0: none); for
    /// simulations, which cannot wait.
    package var told: Int64 { store.signal.newest }

    /// The numbers of the oldest change kept and of the newest; the oldest is one above the newest if none is kept.
    /// Throws `StoreError`.
    public func kept() throws(StoreError) -> (oldest: Int64, newest: Int64) {
        try store.read { try EventStore.keptChanges($0) }
    }

    /// The changes after a cursor. Blocks, as all reads of the store do.
    /// - Parameters:
    ///   - cursor: The last change processed; 0: none; nil: that before the oldest change kept.
    ///   - limit: The most changes returned; values below 1 count as 1.
    /// - Throws: `StoreError` if the database cannot be read. A cursor that is too old is no error.
    public func next(after cursor: Int64?, limit: Int = 1000) throws(StoreError) -> ChangePage {
        try store.read { try Self.page(after: cursor, limit: limit, $0) }
    }

    static func page(after cursor: Int64?, limit: Int, _ connection: Connection) throws -> ChangePage {
        let (oldest, newest) = try EventStore.keptChanges(connection)
        let cursor = cursor ?? oldest - 1
        guard cursor >= oldest - 1, cursor <= newest else {
            return ChangePage(changes: [], cursor: newest, oldest: oldest, newest: newest, isTooOld: true)
        }
        var page = ChangePage(changes: [], cursor: cursor, oldest: oldest, newest: newest, isTooOld: false)
        let find = try connection.prepare(
            "SELECT seq, kind, public_id, at_ms FROM change WHERE seq > ? ORDER BY seq LIMIT ?", cursor, max(1, limit))
        while try find.step() {
            page.cursor = find.int64(0)
            page.changes.append(
                EventChange(
                    sequence: page.cursor, kind: EventChange.Kind(rawValue: find.string(1)) ?? .revised,
                    publicID: find.string(2), at: Date(milliseconds: find.int64(3))))
        }
        return page
    }

    /// Waits until a change after the cursor has been committed; returns at once if there is one.
    ///
    /// Any number of tasks may wait. Without a pause nothing is read meanwhile: commits of the store wake the waiters.
    /// With a pause SQLite's `data_version` is checked, and the changes when it differs.
    /// - Parameters:
    ///   - cursor: The last change processed; 0: none.
    ///   - kinds: The kinds to wait for; all by default. Changes that were committed before the store was opened, and
    ///     changes no longer kept, count as any kind.
    /// - Returns: The number of the newest such change.
    /// - Throws: `CancellationError` when the task is cancelled; with a pause also its errors and `StoreError`.
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

    /// Checks outside the cooperative threads.
    private func look(
        after cursor: Int64, for kinds: Set<EventChange.Kind>, unlessAt version: Int64?
    ) async throws -> Look {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    with: Result<Look, any Error> {
                        // Read before the changes, so that a commit in between gives another version at the next check.
                        var look = Look(version: try store.dataVersion())
                        if look.version != version { look.newest = try store.newestChange(after: cursor, of: kinds) }
                        return look
                    })
            }
        }
    }
}

extension EventStore {
    /// The numbers of the oldest change kept and of the newest; the oldest is one above the newest if none is kept.
    static func keptChanges(_ connection: Connection) throws -> (oldest: Int64, newest: Int64) {
        (try connection.oldestChange(), try lastChange(connection))
    }

    /// The number of the newest change of these kinds after a cursor; nil if there is none.
    fileprivate func newestChange(after cursor: Int64, of kinds: Set<EventChange.Kind>) throws(StoreError) -> Int64? {
        try read { connection in
            let (oldest, newest) = try EventStore.keptChanges(connection)
            guard newest > cursor else { return nil }
            guard cursor >= oldest - 1, kinds.count < EventChange.Kind.allCases.count else { return newest }
            let names = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            return try connection.firstInt64("SELECT max(seq) FROM change WHERE seq > ? AND kind IN (\(names))", cursor)
        }
    }

    /// SQLite's `data_version` (<https://www.sqlite.org/pragma.html>), which changes when another connection has
    /// committed. Versions of two connections cannot be compared, so the writing connection is always asked.
    fileprivate func dataVersion() throws(StoreError) -> Int64 {
        try maintain { try $0.firstInt64("PRAGMA data_version") ?? 0 }
    }
}
