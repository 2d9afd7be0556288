public import Foundation

/// One line of the daemon's answer, as JSON; `isLast` marks the last one.
public struct ControlReply: Codable, Sendable, Hashable {
    /// The name of the source that the reply is about; nil: none.
    public var source: String?
    /// The outcome in words for people; may be empty, as in the last reply.
    public var message: String
    /// For `geocode`: a service's reply; nil in other replies.
    public var service: ServiceReply?
    /// For `health`: until when sources are held back by a pause that their host asked for, by name (wall time); nil in
    /// other replies.
    public var hostPauses: [String: Date]?
    /// For `health`: the hosts of these sources, by the sources' names; nil in other replies.
    public var pausedHosts: [String: String]?
    /// For `health`: how far the clock is from that of the server that answered last, in seconds (server minus ours);
    /// nil unless it is known to be wrong, and in other replies.
    public var clockError: Int?
    /// Whether the request succeeded for this source, service or configuration; default true.
    public var isSuccess: Bool
    /// For `reset` and `place`: whether the database refuses for a time, as on a full disk, so that the same request
    /// may succeed later; nil: no.
    public var isTemporary: Bool?
    /// For `reload`: whether the configuration has a fault; nil: no.
    public var isConfigurationFault: Bool?
    /// Whether no reply follows; default false. Its message may be empty.
    public var isLast: Bool

    /// Creates a reply with these values; by default of a success and not the last.
    public init(
        source: String? = nil, message: String, service: ServiceReply? = nil, isSuccess: Bool = true,
        isLast: Bool = false
    ) {
        self.source = source
        self.message = message
        self.service = service
        self.isSuccess = isSuccess
        self.isLast = isLast
    }
}
