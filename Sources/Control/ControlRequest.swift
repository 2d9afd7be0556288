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
        /// Read the configuration file again and apply it; a fault leaves the present one in force.
        case reload
        /// Tell why all polls pause: the message of the reply, empty if nothing keeps the daemon from polling. Also which
        /// sources their hosts hold back (`ControlReply.hostPauses`).
        case health
    }

    /// What the daemon is to do.
    public var command: Command
    /// Names of the sources for `poll` and `reset`, at most 100; empty (the default) for other requests.
    public var sources: [String]
    /// For `reset`: whether the events are removed, too; default false.
    public var includingEvents: Bool
    /// For `geocode`: the question, at most 1000 bytes of text; nil for other requests.
    public var question: PlaceQuery?

    /// Creates a request; by default without sources and question. The daemon checks it, not the initializer.
    public init(
        _ command: Command, sources: [String] = [], includingEvents: Bool = false, question: PlaceQuery? = nil
    ) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
        self.question = question
    }
}
