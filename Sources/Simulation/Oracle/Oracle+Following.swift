import Engine
import Foundation
import Model
import Store

// A follower learns of each change once and in order, or that its cursor is too old: promise 15.
extension Oracle {
    /// Checks that each commit was announced, and nothing that was rolled back.
    func checkTold(at now: Moment) throws {
        guard feed.told == Int64(lastChange) else {
            throw broken(15, "change \(lastChange) is committed, told is \(feed.told)", at: now)
        }
    }

    /// The follower reads on, a few changes at a time, so that it sometimes lags behind.
    func follow(at now: Moment) throws {
        guard !follower.isAsleep, follower.cursor != Int64(lastChange) || reading.happens(0.02) else { return }
        _ = try readPage(limit: 1 + reading.below(5), at: now)
    }

    /// The follower reads all changes. Then it must know the state of the views.
    func catchUp(at now: Moment) throws {
        try probeCursors(at: now)
        guard !follower.isAsleep else { return }
        while true {
            guard let count = try readPage(limit: 1 + reading.below(50), at: now) else { return }
            if count == 0 { break }
        }
        let (told, views) = (follower.record, try recorded())
        let ids = Set(told.events.keys).union(views.events.keys).sorted()
        if let id = ids.first(where: { told.events[$0] != views.events[$0] }) {
            func words(_ known: Follower.Known?) -> String {
                known.map { "\($0.isWithdrawn ? "withdrawn" : "standing") by change \($0.change)" } ?? "not there"
            }
            let (followed, seen) = (words(told.events[id]), words(views.events[id]))
            throw broken(15, "\(title(of: id)) is \(seen), whoever follows knows it as \(followed)", at: now)
        }
        guard told.merged == views.merged else {
            throw broken(15, "merged are \(views.merged), whoever follows knows \(told.merged)", at: now)
        }
    }

    /// The follower continues from its cursor in a new life.
    func resumeFollowing(after ending: Ending, at now: Moment) throws {
        guard ending == .powerLoss else { return try follow(at: now) }
        // A cursor ahead of the log is reported as too old. After a loss of power no cursor can be continued: the
        // numbers of lost changes, which the follower may know, are given out again.
        _ = try page(after: follower.cursor, limit: 1, at: now)
        follower.begin(with: try recorded(), at: Int64(lastChange))
        try beginServing()
    }

    // MARK: - Reading

    /// The follower reads a page.
    /// - Returns: The number of changes; nil: the disk has refused.
    private func readPage(limit: Int, at now: Moment) throws -> Int? {
        guard let page = try page(after: follower.cursor, limit: limit, at: now) else { return nil }
        guard !page.isTooOld else {
            trace.note(elapsed(now), "cursor \(follower.cursor) is too old")
            faults.hit(.cursorTooOld)
            follower.begin(with: try recorded(), at: page.cursor)
            return 0
        }
        for change in page.changes {
            if let words = follower.take(change) { throw broken(15, words, at: now) }
        }
        return page.changes.count
    }

    /// A page of the feed, which must match the log; nil: the disk has refused.
    private func page(after cursor: Int64, limit: Int, at now: Moment) throws -> ChangePage? {
        guard !hasMachineDied() else { return nil }
        let page: ChangePage
        do throws(StoreError) {
            page = try feed.next(after: cursor, limit: limit)
        } catch {
            guard error.isTemporary else { throw broken(15, "the changes cannot be read: \(error)", at: now) }
            return nil
        }
        let (oldest, newest) = try keptChanges()
        let isCut = cursor + 1 < oldest || cursor > newest
        guard page.isTooOld == isCut else {
            let words = page.isTooOld ? "is called too old" : "is not called too old"
            throw broken(15, "cursor \(cursor) \(words), changes \(oldest) to \(newest) are kept", at: now)
        }
        let count = isCut ? 0 : min(Int64(limit), newest - cursor)
        guard page.changes.count == Int(count), page.cursor == (isCut ? newest : cursor + count), page.oldest == oldest
        else {
            let words = "\(page.changes.count) changes and cursor \(page.cursor)"
            throw broken(15, "after \(cursor) come \(words), kept are \(oldest) to \(newest)", at: now)
        }
        return page
    }

    /// Checks which cursors at the ends of the log are reported as too old.
    private func probeCursors(at now: Moment) throws {
        let (oldest, newest) = try keptChanges()
        for cursor in Set([-1, 0, oldest - 2, oldest - 1, oldest, newest - 1, newest, newest + 1]).sorted() {
            _ = try page(after: cursor, limit: 1, at: now)
        }
    }

    /// Numbers of the oldest change in the log and of the newest ever.
    private func keptChanges() throws -> (oldest: Int64, newest: Int64) {
        let last = try look("SELECT seq FROM sqlite_sequence WHERE name = 'change'").first.flatMap { Int64($0[0]) } ?? 0
        let first = try look("SELECT min(seq) FROM change").first.flatMap { Int64($0[0]) }
        return (first ?? last + 1, last)
    }

    /// The state of the views.
    private func recorded() throws -> Follower.Record {
        var record = Follower.Record()
        for row in try look("SELECT public_id, change_seq, withdrawn_reason IS NOT NULL FROM events_v1") {
            record.events[row[0]] = Follower.Known(change: Int64(row[1]) ?? 0, isWithdrawn: row[2] == "1")
        }
        for row in try look("SELECT public_id, into_public_id FROM merged_events_v1") { record.merged[row[0]] = row[1] }
        return record
    }
}
