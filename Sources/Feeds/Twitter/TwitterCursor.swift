import Foundation
import Model

/// Which messages of a search have been read, between polls and within one.
///
/// Results come newest first. Everything up to `since` is done. When a poll ends before it gets down to `since`, what
/// lies from `until` up to `newest` is done too, and the next poll goes on below `until`; only when nothing is left in
/// between does `since` rise to `newest`. So no message between the two is passed over, and every state on the way is
/// true by itself.
struct TwitterCursor: Equatable {
    /// All messages up to this id are done.
    private(set) var since: Int64?
    /// The oldest message read above `since`; nil when nothing is missing in between.
    private(set) var until: Int64?
    /// The newest message read.
    private(set) var newest: Int64?
    /// Messages read in this poll.
    private(set) var read = 0
    /// Requests answered in this poll.
    private(set) var pages = 0
    /// `until` as it was when the present run of pages began; nil for a run that began with the newest message.
    private(set) var lowered: Int64?
    /// Whether nothing had been read before: what lies below the first messages is not waited for.
    private(set) var isFirst = false
    /// What can no longer be read, for the issue that says so.
    private(set) var lost: String?

    /// How far back a search reaches is 7 days; ids are dropped a little earlier than Twitter refuses them.
    static let reach: TimeInterval = 6.5 * 86_400

    /// The cursor at the start of a poll.
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

    /// Takes a page into account.
    mutating func take(_ page: TwitterPage) {
        read += page.count
        pages += 1
        if let id = page.newest { newest = max(newest ?? id, id) }
        if let id = page.oldest { until = min(until ?? id, id) }
    }

    /// Nothing is missing any more: the next run begins with the newest message.
    mutating func close() {
        since = newest ?? since
        (until, newest, lowered) = (nil, nil, nil)
        isFirst = false
    }

    // MARK: As texts

    /// What is remembered from poll to poll.
    var state: FeedState {
        var state = FeedState()
        state["since_id"] = since.map { String($0) }
        state["until_id"] = until.map { String($0) }
        state["newest_id"] = newest.map { String($0) }
        return state
    }

    /// Everything, to travel with a request.
    var notes: [String: String] {
        var notes = state.values
        notes["lowered"] = lowered.map { String($0) }
        notes["read"] = String(read)
        notes["pages"] = String(pages)
        notes["is_first"] = isFirst ? "true" : nil
        notes["lost"] = lost
        return notes
    }

    /// The cursor of a request's notes; nil for a request that is no search.
    init?(notes: [String: String]) {
        guard let read = notes["read"].flatMap({ Int($0) }) else { return nil }
        self.read = read
        pages = notes["pages"].flatMap { Int($0) } ?? 0
        since = Self.id(notes["since_id"])
        until = Self.id(notes["until_id"])
        newest = Self.id(notes["newest_id"])
        lowered = Self.id(notes["lowered"])
        isFirst = notes["is_first"] != nil
        // Told once, with the first answer.
        lost = pages == 0 ? notes["lost"] : nil
    }
}
