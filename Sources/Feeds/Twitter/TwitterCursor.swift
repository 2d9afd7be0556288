import Foundation
import Model

/// The messages of a search that have been read, between polls and within one.
///
/// Results come newest first. All messages up to `since` are read. A poll may end before it reaches `since`; then the
/// messages from `until` to `newest` are read too, and the next poll continues below `until`. Only when the gap is
/// closed does `since` rise to `newest`. So no message is skipped, and every intermediate state is consistent.
struct TwitterCursor: Equatable {
    /// All messages up to this id are read.
    private(set) var since: Int64?
    /// The oldest message read above `since`; nil without a gap.
    private(set) var until: Int64?
    /// The newest message read above `since`; nil without a gap.
    private(set) var newest: Int64?
    /// The number of messages read in this poll.
    private(set) var read = 0
    /// The number of requests answered in this poll.
    private(set) var pages = 0
    /// The value of `until` at the start of the present run of pages; nil for a run that began with the newest message.
    private(set) var lowered: Int64?
    /// Whether the search is new. Messages below its first page are not waited for.
    private(set) var isFirst = false
    /// The messages that can no longer be searched, in words for an issue; nil when none are lost.
    private(set) var lost: String?

    /// The reach of a search in seconds: 6.5 days. Twitter allows 7; older ids are dropped before it refuses them.
    static let reach: TimeInterval = 6.5 * 86_400

    /// Creates the cursor for the start of a poll.
    init(_ state: FeedState, now: Date) {
        since = Self.id(state["since_id"])
        until = Self.id(state["until_id"])
        newest = Self.id(state["newest_id"])
        if until == nil || newest == nil { (until, newest) = (nil, nil) }
        if let low = until, Self.isOutOfReach(low, now: now) {
            lost = "messages before \(low) and after \(since ?? 0) can no longer be searched"
            since = newest
            (until, newest) = (nil, nil)
        }
        if let low = since, Self.isOutOfReach(low, now: now) {
            if until == nil { lost = "messages after \(low) can no longer all be searched" }
            since = nil
        }
        lowered = until
        isFirst = since == nil && until == nil
    }

    private static func isOutOfReach(_ id: Int64, now: Date) -> Bool {
        TwitterID.date(of: id).map { now.timeIntervalSince($0) > reach } ?? false
    }

    private static func id(_ text: String?) -> Int64? { text.flatMap { Int64($0) } }

    // MARK: Moving on

    /// Counts a page.
    mutating func take(_ page: TwitterPage) {
        read += page.count
        pages += 1
        if let id = page.newest { newest = max(newest ?? id, id) }
        if let id = page.oldest { until = min(until ?? id, id) }
    }

    /// Closes the gap: the next run begins with the newest message.
    mutating func close() {
        since = newest ?? since
        (until, newest, lowered) = (nil, nil, nil)
        isFirst = false
    }

    // MARK: As texts

    /// The part of the cursor that is stored between polls.
    var state: FeedState {
        var state = FeedState()
        state["since_id"] = since.map { String($0) }
        state["until_id"] = until.map { String($0) }
        state["newest_id"] = newest.map { String($0) }
        return state
    }

    /// The whole cursor, as notes of a request.
    var notes: [String: String] {
        var notes = state.values
        notes["lowered"] = lowered.map { String($0) }
        notes["read"] = String(read)
        notes["pages"] = String(pages)
        notes["is_first"] = isFirst ? "true" : nil
        notes["lost"] = lost
        return notes
    }

    /// Reads the cursor in a request's notes; nil for a request that is no search.
    init?(notes: [String: String]) {
        guard let read = notes["read"].flatMap({ Int($0) }) else { return nil }
        self.read = read
        pages = notes["pages"].flatMap { Int($0) } ?? 0
        since = Self.id(notes["since_id"])
        until = Self.id(notes["until_id"])
        newest = Self.id(notes["newest_id"])
        lowered = Self.id(notes["lowered"])
        isFirst = notes["is_first"] != nil
        // Reported once, with the first answer.
        lost = pages == 0 ? notes["lost"] : nil
    }
}
