import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection behind a `ConnectionGuard`, with a `RequestHeadHandler` behind its parser.
struct GuardedChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let presence: Presence

        var channel: any Channel { http.channel }
    }

    let http: HTTP1Channel
    let limits: ServiceLimits
    let clients: ClientNames
    /// The connections that each client holds.
    let connections: Shares
    let log: ServiceLog

    /// What the kernel keeps of an answer, in bytes; it takes twice as much. By itself it would keep megabytes for each
    /// client that does not read.
    private static let sendBuffer: SocketOptionValue = 128 << 10

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let presence = Presence()
        return channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(ChannelOptions.socketOption(.so_sndbuf), value: Self.sendBuffer)
            // A proxy holds connections for others.
            let client = clients.name(of: channel.remoteAddress)
            let isSurplus = client.map { !connections.take(1, for: $0) } ?? false
            if let client, !isSurplus {
                channel.closeFuture.whenComplete { [connections] _ in connections.give(1, of: client) }
            }
            try channel.pipeline.syncOperations.addHandler(
                ConnectionGuard(limits: limits, log: log, isSurplus: isSurplus, presence: presence))
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let connection = try pipeline.handler(type: ConnectionGuard.self)
            try pipeline.addHandler(RequestHeadHandler(connection), position: .after(parser))
            return Value(http: value, presence: presence)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            await Presence.$current.withValue(value.presence) { await http.handle(value: value.http, logger: logger) }
        } onCancel: {
            // Whatever the request is busy with ends when its client has left.
            value.channel.close(promise: nil)
        }
    }
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
