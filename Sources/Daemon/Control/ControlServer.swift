public import Control
import Dispatch
import Fetching
import Foundation
import Synchronization

/// Takes requests on the control socket, one a connection, and streams the replies. Up to 8 connections are open at a
/// time; each has 5 s to send its request.
public final class ControlServer: Sendable {
    /// Carries out a request and sends each reply when it is ready; the connection is closed when it returns. `reply`
    /// may be called from any thread and never waits.
    public typealias Handler =
        @Sendable (ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) async -> Void

    /// The most connections at a time; further ones get an error and are closed.
    private static let maximumConnections = 8
    /// The most names in a request: 100. A request with more is refused as unreadable.
    public static let maximumNames = 100

    private let path: String
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let listener: any DispatchSourceRead

    /// Listens at `path`; the directory must exist. Requests are taken from now on, each on a queue of its own.
    /// - Parameters:
    ///   - path: The path of the socket; a leftover socket that nobody serves is replaced.
    ///   - handler: Carries out the requests, several at a time.
    /// - Throws: `DaemonError.cannotListen`.
    public init(path: String, handler: @escaping Handler) throws(DaemonError) {
        self.path = path
        let socket = try UnixSocket.listening(at: path)
        let open = SharedCount()
        let source = DispatchSource.makeReadSource(
            fileDescriptor: socket.descriptor, queue: DispatchQueue(label: "visiventd.control"))
        source.setEventHandler(qos: .default, flags: []) {
            guard !DescriptorReserve.isReached(for: .control) else {
                // The connection stays in the queue, and would be reported again at once.
                usleep(200_000)
                return
            }
            guard let descriptor = DescriptorReserve.keep(accept(socket.descriptor, nil, nil), for: .control) else {
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let isWelcome = open.withLock { open in
                open += 1
                return open <= Self.maximumConnections
            }
            let connection = UnixSocket(descriptor: descriptor)
            let end: @Sendable () -> Void = {
                close(connection.descriptor)
                open.withLock { $0 -= 1 }
            }
            guard isWelcome else {
                connection.answer(
                    ControlReply(
                        message: "too many connections at a time; try again", isSuccess: false, isLast: true))
                return end()
            }
            // Reading and writing may block, so each connection has a queue of its own.
            let queue = DispatchQueue(label: "visiventd.control.connection")
            queue.async { Self.serve(connection, on: queue, handler, end) }
        }
        source.setCancelHandler(qos: .default, flags: []) { close(socket.descriptor) }
        listener = source
        source.resume()
    }

    /// Stops listening and removes the socket; requests under way go on. A second call does nothing more.
    public func stop() {
        listener.cancel()
        unlink(path)
    }

    private static func serve(
        _ socket: UnixSocket, on queue: DispatchQueue, _ handler: @escaping Handler,
        _ end: @escaping @Sendable () -> Void
    ) {
        let write: @Sendable (ControlReply) -> Void = { reply in socket.answer(reply) }
        guard let line = socket.readLine(timeout: 5) else { return end() }
        guard line.count < UnixSocket.lineLimit else {
            let limit = "\(UnixSocket.lineLimit >> 10) KiB"
            write(ControlReply(message: "the request is longer than \(limit)", isSuccess: false, isLast: true))
            return end()
        }
        guard var request = try? JSONDecoder().decode(ControlRequest.self, from: line),
            request.sources.count <= maximumNames
        else {
            write(ControlReply(message: "the request cannot be read", isSuccess: false, isLast: true))
            return end()
        }
        if let peer = socket.peer { request.user = peer }
        Task { [request] in
            await handler(request) { reply in queue.async { write(reply) } }
            queue.async { end() }
        }
    }
}

extension UnixSocket {
    /// Writes a reply as one line.
    fileprivate func answer(_ reply: ControlReply) {
        if let line = try? JSONEncoder().encode(reply) { writeLine(line) }
    }
}

/// A counter that several threads share.
private final class SharedCount: Sendable {
    private let count = Mutex(0)

    func withLock<Result: Sendable>(_ body: (inout Int) -> Result) -> Result { count.withLock { body(&$0) } }
}
