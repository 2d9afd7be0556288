/// Bounds on connections and clients.
public struct ServiceLimits: Sendable {
    /// Connections open at the same time, shared evenly by the listeners; default 1 024. Further ones wait in the
    /// kernel's queue.
    public var connections = 1024
    /// Bytes of a request's head; default 16 KiB. A longer one is answered 431, and the connection is closed.
    public var headBytes = 16 << 10
    /// Time for a request's head, and of rest between two requests; default 10 s. Then the connection is closed.
    public var headTime = Duration.seconds(10)
    /// Time without a byte taken by the client; default 30 s. Then the connection is closed.
    public var stall = Duration.seconds(30)
    /// Bytes of all answers that are being written, one piece of each; default 64 MiB. A further answer whose first
    /// piece has 64 KiB or more is 503, and one that comes to such a piece later is broken off.
    public var heldBytes = 64 << 20
    /// Longest rest of a stream between two looks; default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Creates the bounds above.
    public init() {}
}
