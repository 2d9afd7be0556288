public import Foundation

/// The state of a running daemon, by its own word.
public struct DaemonHealth: Sendable, Hashable {
    /// Why it does not poll, in its words; nil: nothing keeps it from polling, or it does not say in time.
    public var pause: String?
    /// Why it cannot be asked, with the remedy, in words for people; nil: a connection was made.
    public var silence: String?
    /// Until when sources are held back by a pause that their host asked for, by name (wall time); may be empty.
    public var hostPauses: [String: Date]

    /// Creates a state with these values; by default of a daemon that polls.
    public init(pause: String? = nil, silence: String? = nil, hostPauses: [String: Date] = [:]) {
        self.pause = pause
        self.silence = silence
        self.hostPauses = hostPauses
    }
}
