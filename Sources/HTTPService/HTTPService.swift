public import Foundation
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
public import Serving
public import Settings
public import Store
import Synchronization

/// Serves the API over HTTP/1.1, read only: connections, hosts, limits and writing; the answers come from outside.
///
/// A graceful shutdown finishes the answers under way and ends the streams. It needs no network beside its listeners,
/// and touches the database through the pool alone.
public struct HTTPService: Service {
    private let listen: [ListenAddress]
    private let pool: ReaderPool
    private let limits: ServiceLimits
    private let hub = ChangeHub()
    private let newest = NewestChange()
    private let pump: StreamPump
    private let clients: ClientNames
    private let responder: Responder
    private let moves: AsyncStream<Void>
    private let log: ServiceLog
    private let logger: Logger
    private let whenListening: @Sendable ([ListenAddress]) -> Void

    /// Creates the service; nothing is opened before `run`.
    /// - Parameters:
    ///   - settings: The addresses, hosts, origins and base path.
    ///   - pool: The readers of the database; it stays open when the service ends.
    ///   - limits: The bounds.
    ///   - now: Returns wall time.
    ///   - logger: Takes the lines of docs/logs.md.
    ///   - requests: Counts the answers; by default nobody looks at the numbers.
    ///   - preparing: Prepares the answer to a request, which names the newest change known; it must not block. A read
    ///     that it returns is carried out on a thread of the pool.
    ///   - whenListening: Called once, when all listeners are open, with their addresses, port 0 replaced by the port
    ///     that the kernel has chosen.
    public init(
        settings: ServeSettings, pool: ReaderPool, limits: ServiceLimits = ServiceLimits(),
        now: @escaping @Sendable () -> Date, logger: Logger, requests: RequestCounts = RequestCounts(),
        preparing: @escaping @Sendable (APIRequest, Date) -> ReadAPI.Preparation,
        whenListening: @escaping @Sendable ([ListenAddress]) -> Void = { _ in }
    ) {
        listen = settings.listen
        self.pool = pool
        self.limits = limits
        self.logger = logger
        self.whenListening = whenListening
        let log = ServiceLog(logger)
        self.log = log
        let pump = StreamPump(pool: pool, hub: hub, now: now)
        self.pump = pump
        let (moves, move) = AsyncStream.makeStream(of: Void.self)
        self.moves = moves
        let clients = ClientNames(proxies: settings.trustedProxies)
        self.clients = clients
        responder = Responder(
            preparing: preparing, pool: pool, pump: pump, hosts: HostCheck(settings.hosts), clients: clients,
            headers: ResponseHeaders(origins: settings.origins), basePath: settings.basePath,
            mayBeFramed: !settings.frameAncestors.isEmpty, limits: limits,
            bytes: Shares(most: limits.heldBytes, clients: limits.clients),
            streams: Shares(most: limits.connections, clients: limits.clients), newest: newest, now: now, log: log,
            requests: requests,
            hasLooked: { if pool.hasSchemaMoved { move.finish() } })
    }

    /// Notes that the database may have changed: the streams look. Returns after the look.
    public func databaseMayHaveChanged() async {
        var found: Int64?
        while true {
            do {
                found = try await StoreError.patiently { [pool, hub, newest] in
                    try await pool.run(for: "changes") { store in
                        let change = try store.lastMark()
                        // Before the streams tell of it.
                        newest.note(change)
                        return hub.commitNoticed(newest: change.number) ? change.number : nil
                    }
                }
                break
            } catch let error as StoreError where error.code == .busy {
                // The streams would hear of this commit only with the next one.
                continue
            } catch {
                newest.note(nil)
                responder.note(error)
                break
            }
        }
        responder.hasLooked()
        if let found { pump.noticeCommit(newest: found) }
    }

    /// Serves until a graceful shutdown or cancellation.
    /// - Throws: `HTTPServiceError`.
    public func run() async throws {
        try await serve()
        log.stopped()
    }

    /// The thread of all connections. It ends with the process, since Hummingbird's server may still use it when it has
    /// ended.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private enum Ended: Sendable {
        case server
        case watch(hasMoved: Bool)
    }

    private func serve() async throws {
        let opened = Mutex<[ListenAddress]>([])
        let servers = listen.map { address in
            server(at: address) { bound in
                let all = opened.withLock { opened -> [ListenAddress]? in
                    opened.append(bound)
                    return opened.count == listen.count ? opened : nil
                }
                guard let all else { return }
                log.serving(all)
                whenListening(all)
            }
        }
        var hasMoved = false
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Ended.self) { group in
                for (address, server) in zip(listen, servers) {
                    group.addTask {
                        if let obstacle = address.obstacle {
                            throw HTTPServiceError.mayNotListen(address, obstacle)
                        }
                        do {
                            try await server.run()
                        } catch  where !Task.isCancelled {
                            guard let code = (error as? IOError)?.errnoCode else {
                                throw HTTPServiceError.cannotListen(address, "\(error)")
                            }
                            let reason = String(cString: strerror(code))
                            throw code == EADDRINUSE || code == EACCES || code == EPERM
                                ? HTTPServiceError.mayNotListen(address, reason)
                                : HTTPServiceError.cannotListen(address, reason)
                        }
                        return .server
                    }
                }
                group.addTask { [moves, pool] in
                    // The stream ends when the schema has moved, or with the task.
                    for await _ in moves {}
                    return .watch(hasMoved: !Task.isCancelled && pool.hasSchemaMoved)
                }
                var left = servers.count
                for try await ended in group {
                    switch ended {
                    case .watch(hasMoved: true):
                        hasMoved = true
                        log.schemaHasMoved()
                        pump.close()
                        for server in servers { try await server.shutdownGracefully() }
                    case .watch(hasMoved: false): break
                    case .server:
                        left -= 1
                        if left == 0 { group.cancelAll() }
                    }
                }
            }
        } onCancelOrGracefulShutdown: { [pump, log] in
            // A graceful shutdown that takes too long ends with a cancellation.
            if !pump.isClosed { log.stopping() }
            pump.close()
        }
        if hasMoved { throw HTTPServiceError.schemaMoved }
    }

    /// A server at one address; `whenBound` gets the address with its port.
    private func server(
        at address: ListenAddress, whenBound: @escaping @Sendable (ListenAddress) -> Void
    ) -> Server<GuardedChannel> {
        let channel = HTTP1Channel(
            responder: { [responder] (request: Request, writer: consuming ResponseWriter, channel: any Channel) in
                try await responder.respond(to: request, writer, on: channel)
            },
            configuration: HTTP1Channel.Configuration(idleTimeout: TimeAmount(limits.headTime)))
        let bind: BindAddress =
            switch address {
            case .tcp(let host, let port): .hostname(host, port: port)
            case .unix(let path): .unixDomainSocket(path: path)
            }
        let most = max(1, limits.connections / max(1, listen.count))
        return Server(
            childChannelSetup: GuardedChannel(
                http: channel, limits: limits, clients: clients,
                connections: Shares(most: most, clients: limits.clients), log: log),
            configuration: ServerConfiguration(
                address: bind, availableConnectionsDelegate: ConnectionLimit(most: most, log: log)),
            onServerRunning: { channel in
                switch address {
                case .tcp(let host, let port): whenBound(.tcp(host, channel.localAddress?.port ?? port))
                case .unix(let path):
                    chmod(path, 0o660)
                    whenBound(address)
                }
            },
            eventLoopGroup: Self.loops, logger: Self.quiet)
    }

    /// Hummingbird's own lines add nothing to ours.
    private static let quiet = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
}

/// Why the service has ended by itself.
public enum HTTPServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A listener cannot be opened, perhaps for a time, as at an address that the machine does not have yet; the reason
    /// in words.
    case cannotListen(ListenAddress, String)
    /// A listener cannot be opened until the operator acts: another program listens there, something that is no socket
    /// is there, or the program may not; the reason in words.
    case mayNotListen(ListenAddress, String)
    /// So few files may be open at a time that none is left for a connection; the present limit and one that is enough.
    case tooFewDescriptors(limit: Int, least: Int)
    /// A newer program has migrated the database: all answers were finished, and the program is to be started again.
    case schemaMoved

    /// Whether starting the program again cannot help.
    public var isFinal: Bool {
        switch self {
        case .mayNotListen, .tooFewDescriptors: true
        case .cannotListen, .schemaMoved: false
        }
    }

    /// One sentence for the operator, without a full stop.
    public var description: String {
        switch self {
        case .cannotListen(let address, let reason), .mayNotListen(let address, let reason):
            "\(address) cannot be listened at: \(reason)"
        case .tooFewDescriptors(let limit, let least):
            "only \(limit) files may be open at a time (ulimit -n, LimitNOFILE=), which leaves none for connections; "
                + "allow at least \(least)"
        case .schemaMoved: "a newer visiventd has migrated the database: start visiventd serve again"
        }
    }
}
