public import Foundation

/// The state of a running daemon, by its own word.
public struct DaemonHealth: Sendable, Hashable {
    /// Why it does not poll, in its words; nil: nothing keeps it from polling, or it does not say in time.
    public var pause: String?
    /// Why it cannot be asked, with the remedy, in words for people; nil: a connection was made.
    public var silence: String?
    /// The pauses that hosts asked for and that hold sources back, by the sources' names; may be empty.
    public var hostPauses: [String: HostPause]
    /// How far its clock is from that of the server that answered last, in seconds (server minus ours); nil, the
    /// default, unless it is known to be wrong.
    public var clockError: Int?

    /// Creates a state with these values; by default of a daemon that polls.
    public init(pause: String? = nil, silence: String? = nil, hostPauses: [String: HostPause] = [:]) {
        self.pause = pause
        self.silence = silence
        self.hostPauses = hostPauses
    }
}

/// A pause that a host has asked for.
public struct HostPause: Sendable, Hashable {
    /// The host, with its port unless that is the scheme's own; nil: an older daemon does not name it.
    public var host: String?
    /// Wall time of its end.
    public var until: Date

    /// Creates a pause with these values, which are not checked.
    public init(host: String?, until: Date) {
        self.host = host
        self.until = until
    }
}
