public import Model

/// A request to the running daemon: one JSON object on a line.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// What is asked.
    public enum Command: String, Codable, Sendable {
        /// Poll sources now.
        case poll
        /// Forget sources' state, or their events too.
        case reset
        /// Ask the geocoding services.
        case geocode
        /// Read the configuration again.
        case reload
        /// Tell what keeps polls from beginning.
        case health
    }

    /// What is asked.
    public var command: Command
    /// The sources it concerns.
    public var sources: [String]
    /// For `reset`: whether the events go too.
    public var includingEvents: Bool
    /// For `geocode`: the question.
    public var question: PlaceQuery?

    /// Creates a request.
    public init(
        _ command: Command, sources: [String] = [], includingEvents: Bool = false, question: PlaceQuery? = nil
    ) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
        self.question = question
    }
}
