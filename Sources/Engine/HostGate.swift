import DequeModule
import Model

/// The requests that wait for one host, and when the next may go: so many at a time, so far apart.
struct HostGate: Sendable {
    /// Keys of waiting requests, first come first served.
    var waiting: Deque<RequestKey> = []
    /// Requests under way.
    var open = 0
    /// When the last one was sent: as far as its outcome has told that, else when it was ordered.
    var lastSent: Duration?
    /// The host wants to be left alone until then (Retry-After).
    var notBefore: Duration?

    /// When the next request may be sent as far as time is concerned.
    func earliest(gap: Duration) -> Duration {
        max(lastSent.map { $0 + gap } ?? .zero, notBefore ?? .zero)
    }

    /// Whether nothing waits, is under way or has to be remembered for the next request.
    func isIdle(gap: Duration, at now: Moment) -> Bool {
        waiting.isEmpty && open == 0 && earliest(gap: gap) <= now.uptime
    }
}

/// A request of a poll: the source and the request's number in it.
struct RequestKey: Sendable, Hashable {
    var source: Int
    var number: Int
}
