import DequeModule
import Model

/// The queue and the pace of requests to one host.
struct HostGate: Sendable {
    /// Keys of waiting requests, first come first served.
    var waiting: Deque<RequestKey> = []
    /// Requests under way.
    var open = 0
    /// When the last request was sent, as uptime; until its outcome reports that, when it was ordered.
    var lastSent: Duration?
    /// The uptime before which the host wants no request (Retry-After); nil: no pause.
    var notBefore: Duration?

    /// Notes when the last request was really sent; an earlier time than the noted one changes nothing.
    mutating func note(sent: Duration) {
        if let ordered = lastSent, sent > ordered { lastSent = sent }
    }

    /// Pauses until this uptime at least.
    mutating func pause(until: Duration) { notBefore = max(notBefore ?? until, until) }

    /// The earliest uptime of the next request by gap and pause.
    func earliest(gap: Duration) -> Duration {
        max(lastSent.map { $0 + gap } ?? .zero, notBefore ?? .zero)
    }

    /// Whether the gate can be forgotten: nothing waits or is under way, and no gap or pause is left.
    func isIdle(gap: Duration, at now: Moment) -> Bool {
        waiting.isEmpty && open == 0 && earliest(gap: gap) <= now.uptime
    }
}

/// Identifies a request of a poll: the index of its source, and its own in `ActivePoll.requests`.
struct RequestKey: Sendable, Hashable {
    var source: Int
    var number: Int
}
