import Model

/// The queue and the pace of requests to one host.
struct HostGate: Sendable {
    var waiting = HostQueue()
    /// Requests under way.
    var open = 0
    /// When the last request was sent, as uptime; until its outcome reports that, when it was ordered.
    var lastSent: Duration?
    /// The uptimes before which the host wants no request of a lane or later ones (Retry-After).
    private var pauses: [Lane: Duration] = [:]

    /// Notes when the last request was really sent; an earlier time than the noted one changes nothing.
    mutating func note(sent: Duration) {
        if let ordered = lastSent, sent > ordered { lastSent = sent }
    }

    /// Pauses this lane and later ones until this uptime at least, because a request of the lane was answered so. What
    /// a poll cannot do without pauses configured addresses, too.
    mutating func pause(until: Duration, for lane: Lane) {
        let first = lane == .own ? Lane.configured : lane
        pauses[first] = max(pauses[first] ?? until, until)
    }

    /// The uptime before which no request of a lane may be sent; zero without a pause.
    func pauseEnd(for lane: Lane) -> Duration {
        pauses.filter { $0.key.rawValue <= lane.rawValue }.values.max() ?? .zero
    }

    /// The end of the pause that documents were answered with; zero without one.
    var documentPauseEnd: Duration { max(pauses[.document] ?? .zero, pauses[.led] ?? .zero) }

    /// The earliest uptime of the next request by the gap.
    func earliest(gap: Duration) -> Duration { lastSent.map { $0 + gap } ?? .zero }

    /// Whether the gate can be forgotten: nothing waits or is under way, and no gap or pause is left.
    func isIdle(gap: Duration, at now: Moment) -> Bool {
        waiting.isEmpty && open == 0 && max(earliest(gap: gap), pauseEnd(for: .led)) <= now.uptime
    }
}

/// Identifies a request of a poll: the index of its source, and its own in `ActivePoll.requests`.
struct RequestKey: Sendable, Hashable {
    var source: Int
    var number: Int
}
