/// One line of the daemon's answer; the last has `isLast`.
public struct ControlReply: Codable, Sendable, Hashable {
    /// The source it concerns.
    public var source: String?
    /// What came of it, for people.
    public var message: String
    /// For `geocode`: what a service says.
    public var service: ServiceReply?
    /// Whether it went well.
    public var isSuccess: Bool
    /// For `reload`: whether the configuration itself is at fault.
    public var isConfigurationFault: Bool?
    /// Whether nothing follows.
    public var isLast: Bool

    /// Creates a reply.
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
