public import Model

/// A request to the running daemon: a JSON object on one line, shorter than 64 KiB.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// The kinds of requests.
    public enum Command: String, Codable, Sendable {
        /// Poll sources now.
        case poll
        /// Remove sources' state, or their events, too.
        case reset
        /// Ask the geocoding services.
        case geocode
        /// Reload the configuration.
        case reload
        /// Tell why all polls pause.
        case health
    }

    /// The kind of request.
    public var command: Command
    /// Names of the sources for `poll` and `reset`, at most 100; empty for other requests.
    public var sources: [String]
    /// For `reset`: whether the events are removed, too; default false.
    public var includingEvents: Bool
    /// For `geocode`: the question, at most 1000 bytes of text; nil for other requests.
    public var question: PlaceQuery?

    /// Creates a request; by default without sources and question.
    public init(
        _ command: Command, sources: [String] = [], includingEvents: Bool = false, question: PlaceQuery? = nil
    ) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
        self.question = question
    }
}
