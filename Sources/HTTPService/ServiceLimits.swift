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
    /// Bytes of all answers that are being made or written, one piece of each; default 64 MiB. They are taken before a
    /// piece is made and given back when the socket has taken it. Without room an answer is 503, and one that has begun
    /// waits two seconds and is broken off. Answers up to 16 KiB need none.
    public var heldBytes = 64 << 20
    /// The least number of clients that can hold all connections, streams or bytes; default 4. One client holds at most
    /// this part of each.
    public var clients = 4
    /// Longest rest of a stream between two looks; default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Creates the bounds above.
    public init() {}
}
