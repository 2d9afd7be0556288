import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection behind a `ConnectionGuard`, with a `RequestHeadHandler` behind its parser.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let limits: ServiceLimits
    let log: ServiceLog

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits: limits, log: log))
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestHeadHandler(), position: .after(parser))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// Counts the connections of one listener. At the limit it accepts no more until one has closed.
struct ConnectionLimit: AvailableConnectionsDelegate {
    let most: Int
    let log: ServiceLog
    private var count = 0
    /// Whether the limit was logged and the number has not fallen to half of it since.
    private var isFull = false

    init(most: Int, log: ServiceLog) {
        self.most = most
        self.log = log
    }

    mutating func connectionOpened() {
        count += 1
        guard count >= most, !isFull else { return }
        isFull = true
        log.tooManyConnections(most)
    }

    mutating func connectionClosed() {
        count -= 1
        if count <= most / 2 { isFull = false }
    }

    func isAcceptingNewConnections() -> Bool { count < most }
}
