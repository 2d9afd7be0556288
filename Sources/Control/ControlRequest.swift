public import Model

/// A request to the running daemon: a JSON object on one line, shorter than 64 KiB.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// The kinds of requests; the raw value is the word in JSON.
    public enum Command: String, Codable, Sendable {
        /// Poll `sources` now, whatever their schedule; one reply for each, at the end of its poll.
        case poll
        /// Remove the state of `sources`, with `includingEvents` also their events.
        case reset
        /// Ask the geocoding services about `question`, one after the other until one knows the place; kept answers
        /// count. The daemon replies once for each configured service (`ControlReply.service`).
        case geocode
        /// Correct the place of `event` as `correction` says, or take the correction back, on behalf of `user`.
        case place
        /// Read the configuration file again and apply it; a fault leaves the present one in force.
        case reload
        /// Tell why all polls pause: the message of the reply, empty if nothing keeps the daemon from polling. Also which
        /// sources their hosts hold back (`ControlReply.hostPauses`), and whether the clock is wrong (`clockError`).
        case health
        /// Send a message of `watch`, marked as a test, to its targets or to `target`; one reply for each.
        case tryWatch = "try_watch"
        /// Let the message `delivery` be sent again, to `target` or to all that have it.
        case resend
    }

    /// What the daemon is to do.
    public var command: Command
    /// Names of the sources for `poll` and `reset`, at most 100; empty (the default) for other requests.
    public var sources: [String]
    /// For `reset`: whether the events are removed, too; default false.
    public var includingEvents: Bool
    /// For `geocode`: the question, at most 1000 bytes of text; nil for other requests.
    public var question: PlaceQuery?
    /// For `place`: the public id of the event, at most 100 bytes; nil for other requests.
    public var event: String?
    /// For `place`: the place; nil for other requests.
    public var correction: PlaceCorrection?
    /// For `place`: the name of the user who asks, at most 100 bytes; nil for other requests. Where the kernel tells the
    /// daemon who has connected, that name counts.
    public var user: String?
    /// For `tryWatch`: the name of the watch; nil for other requests.
    public var watch: String?
    /// For `resend`: the id of the message; nil for other requests.
    public var delivery: String?
    /// For `tryWatch` and `resend`: the name of the target; nil: all of them, and for other requests.
    public var target: String?

    /// Creates a request; by default without sources, question and correction. The daemon checks it, not the
    /// initializer.
    public init(
        _ command: Command, sources: [String] = [], includingEvents: Bool = false, question: PlaceQuery? = nil,
        event: String? = nil, correction: PlaceCorrection? = nil, user: String? = nil
    ) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
        self.question = question
        self.event = event
        self.correction = correction
        self.user = user
    }
}
