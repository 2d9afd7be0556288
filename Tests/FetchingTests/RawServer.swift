import Foundation
import Synchronization

/// A loopback server that sends exactly the given bytes, on threads of its own and a port chosen by the kernel.
final class RawServer: Sendable {
    /// An event at the server.
    enum Event: Sendable {
        case request(RawRequest)
        /// The client closed a connection while the script waited for that.
        case closed
    }

    /// Its port on 127.0.0.1.
    let port: UInt16

    private let listener: Int32
    private let log: RawLog
    private let events: AsyncStream<Event>

    /// Starts a server that runs `script` for each connection and then closes it.
    init(_ script: @escaping @Sendable (RawConnection) -> Void) throws {
        let (listener, port) = try boundSocket()
        guard listen(listener, 16) == 0 else { throw POSIXError(.EIO) }
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let log = RawLog(sink)
        self.listener = listener
        self.port = port
        self.events = events
        self.log = log
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0 && errno == EINTR { continue }
                guard socket >= 0 else { break }
                guard log.open(socket) else {
                    close(socket)
                    break
                }
                Thread.detachNewThread {
                    script(RawConnection(socket, log))
                    log.close(socket)
                }
            }
            close(listener)
        }
    }

    /// Starts a server that answers the n-th request with the n-th reply, on persistent connections.
    convenience init(replies: [[UInt8]]) throws {
        try self.init { connection in
            while let request = connection.readRequest(), request.number <= replies.count {
                connection.send(replies[request.number - 1])
            }
        }
    }

    /// Starts a server that answers the first request of each connection, then closes.
    convenience init(reply: [UInt8]) throws {
        try self.init { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(reply)
        }
    }

    /// The URL of a path on this server.
    func url(_ path: String, scheme: String = "http") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    /// Waits for the next event.
    func next() async -> Event? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    /// All requests so far.
    var requests: [RawRequest] { log.requests }

    /// The number of connections so far.
    var connectionCount: Int { log.connectionCount }

    /// Stops the server and closes all connections.
    func stop() {
        if log.stop() { shutdown(listener, Int32(SHUT_RDWR)) }
    }
}

/// A request as received.
struct RawRequest: Sendable {
    /// Number of the request over all connections, from 1.
    var number: Int
    /// Head and body.
    var bytes: [UInt8]

    /// Head and body in ISO 8859-1.
    var text: String { latin1(bytes) }

    /// The value of a header; nil when it is missing.
    func header(_ name: String) -> String? {
        let start = name.lowercased() + ": "
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = latin1(line.filter { $0 != UInt8(ascii: "\r") })
            if text.lowercased().hasPrefix(start) { return String(text.dropFirst(start.count)) }
        }
        return nil
    }
}

/// One connection, for its script.
final class RawConnection: Sendable {
    private let socket: Int32
    private let log: RawLog

    fileprivate init(_ socket: Int32, _ log: RawLog) {
        self.socket = socket
        self.log = log
    }

    /// Reads a request with its body; nil after the client closed.
    func readRequest() -> RawRequest? {
        var bytes: [UInt8] = []
        while true {
            if let head = Self.headLength(bytes) {
                let request = RawRequest(number: 0, bytes: bytes)
                let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
                if bytes.count >= head + length { return log.note(bytes) }
            }
            guard let more = receive() else { return nil }
            bytes += more
        }
    }

    /// Length of the head with its empty line; nil while it is incomplete.
    private static func headLength(_ bytes: [UInt8]) -> Int? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= end.count else { return nil }
        return (end.count...bytes.count).first { Array(bytes[($0 - end.count)..<$0]) == end }
    }

    /// Reads up to an ending, such as that of a line; nil after the client closed.
    func readText(until end: String) -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
            guard let more = receive() else { return nil }
            bytes += more
        }
        return latin1(bytes)
    }

    /// Sends bytes; false if the connection is closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        // MSG_NOSIGNAL
        let noSignal: Int32 = 0x4000
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { systemSend(socket, $0, noSignal) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Sends text; false if the connection is closed.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits until the client closes and records that event; discards all bytes until then.
    func waitForClose() {
        while receive() != nil {}
        log.noteClose()
    }

    /// Whether the connection stays open and silent for this time.
    func staysOpen(milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, milliseconds) == 0
    }

    /// Makes the close send a reset.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func receive() -> [UInt8]? {
        let size = 16 << 10
        var buffer = [UInt8](repeating: 0, count: size)
        let count = recv(socket, &buffer, size, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

/// A port that refuses connections: it is bound, but nobody listens.
final class RefusingPort: Sendable {
    let port: UInt16
    private let socket: Int32

    init() throws {
        let (socket, port) = try boundSocket()
        self.socket = socket
        self.port = port
    }

    deinit { close(socket) }
}

/// The state shared by a server's threads.
private final class RawLog: Sendable {
    private struct State: Sendable {
        var sockets: Set<Int32> = []
        var requests: [RawRequest] = []
        var connectionCount = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    private let sink: AsyncStream<RawServer.Event>.Continuation

    init(_ sink: AsyncStream<RawServer.Event>.Continuation) { self.sink = sink }

    var requests: [RawRequest] { state.withLock { $0.requests } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }

    func open(_ socket: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.connectionCount += 1
            state.sockets.insert(socket)
            return true
        }
    }

    func close(_ socket: Int32) {
        state.withLock { state in
            state.sockets.remove(socket)
            closeSocket(socket)
        }
    }

    func note(_ bytes: [UInt8]) -> RawRequest {
        let request = state.withLock { state in
            let request = RawRequest(number: state.requests.count + 1, bytes: bytes)
            state.requests.append(request)
            return request
        }
        sink.yield(.request(request))
        return request
    }

    func noteClose() { sink.yield(.closed) }

    /// Wakes all scripts; false if already stopped.
    func stop() -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            return true
        }
    }
}

/// Bytes as text in ISO 8859-1.
func latin1(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// A stream socket on 127.0.0.1 with a port chosen by the kernel.
private func boundSocket() throws -> (socket: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
            bind(descriptor, general, length) == 0 && getsockname(descriptor, general, &length) == 0
        }
    }
    guard isBound else {
        closeSocket(descriptor)
        throw POSIXError(.EADDRNOTAVAIL)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

// These system calls have the names of methods above.
private func closeSocket(_ socket: Int32) { close(socket) }
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(socket, bytes.baseAddress, bytes.count, flags)
}
