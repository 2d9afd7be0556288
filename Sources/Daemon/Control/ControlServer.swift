import Dispatch
import Foundation

/// Takes requests on the control socket, one a connection, and streams the replies.
public final class ControlServer: Sendable {
    /// Carries a request out; sends each reply as it comes.
    public typealias Handler =
        @Sendable (ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) async -> Void

    private let path: String
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let listener: any DispatchSourceRead

    /// Listens at `path`; the directory must exist.
    /// - Throws: `DaemonError.cannotListen`.
    public init(path: String, handler: @escaping Handler) throws(DaemonError) {
        self.path = path
        let socket = try UnixSocket.listening(at: path)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: socket.descriptor, queue: DispatchQueue(label: "visiventd.control"))
        source.setEventHandler(qos: .default, flags: []) {
            let descriptor = accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            DispatchQueue.global().async { Self.serve(UnixSocket(descriptor: descriptor), handler) }
        }
        source.setCancelHandler(qos: .default, flags: []) { close(socket.descriptor) }
        listener = source
        source.resume()
    }

    /// Stops listening and removes the socket.
    public func stop() {
        listener.cancel()
        unlink(path)
    }

    private static func serve(_ socket: UnixSocket, _ handler: @escaping Handler) {
        let reply: @Sendable (ControlReply) -> Void = { reply in
            if let line = try? JSONEncoder().encode(reply) { socket.writeLine(line) }
        }
        guard let line = socket.readLine(timeout: 5) else {
            close(socket.descriptor)
            return
        }
        guard let request = try? JSONDecoder().decode(ControlRequest.self, from: line) else {
            reply(ControlReply(message: "the request cannot be read", isSuccess: false, isLast: true))
            close(socket.descriptor)
            return
        }
        Task {
            await handler(request, reply)
            close(socket.descriptor)
        }
    }
}

/// Talks to the running daemon.
public enum ControlClient {
    /// Sends a request and hands each reply to `body` until the last.
    ///
    /// - Returns: Whether all went well.
    /// - Throws: `DaemonError.refused` when no daemon listens at `path` or it breaks off.
    public static func send(
        _ request: ControlRequest, to path: String, _ body: (ControlReply) -> Void
    ) throws(DaemonError) -> Bool {
        let socket = try UnixSocket.connected(to: path)
        defer { close(socket.descriptor) }
        guard let line = try? JSONEncoder().encode(request), socket.writeLine(line) else {
            throw .refused("the daemon at \(path) does not take the request")
        }
        var isSuccess = true
        while let line = socket.readLine(timeout: 600) {
            guard let reply = try? JSONDecoder().decode(ControlReply.self, from: line) else { break }
            isSuccess = isSuccess && reply.isSuccess
            if !reply.message.isEmpty { body(reply) }
            if reply.isLast { return isSuccess }
        }
        throw .refused("the daemon at \(path) broke off")
    }
}
