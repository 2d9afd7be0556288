/// A request to the running daemon: one JSON object on a line.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// What is asked.
    public enum Command: String, Codable, Sendable {
        /// Poll sources now.
        case poll
        /// Forget sources' state, or their events too.
        case reset
    }

    /// What is asked.
    public var command: Command
    /// The sources it concerns.
    public var sources: [String]
    /// For `reset`: whether the events go too.
    public var includingEvents: Bool

    /// Creates a request.
    public init(_ command: Command, sources: [String], includingEvents: Bool = false) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
    }
}

/// One line of the daemon's answer; the last has `isLast`.
public struct ControlReply: Codable, Sendable, Hashable {
    /// The source it concerns.
    public var source: String?
    /// What came of it, for people.
    public var message: String
    /// Whether it went well.
    public var isSuccess: Bool
    /// Whether nothing follows.
    public var isLast: Bool

    /// Creates a reply.
    public init(source: String? = nil, message: String, isSuccess: Bool = true, isLast: Bool = false) {
        self.source = source
        self.message = message
        self.isSuccess = isSuccess
        self.isLast = isLast
    }
}
