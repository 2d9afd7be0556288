import Foundation
import Glibc
import ProcessSupport
import Testing

/// A client of `visiventd serve` that says exactly what it is told; its socket is closed when it is released.
final class ServeClient: Sendable {
    /// Where the service listens.
    enum Address: Sendable {
        /// A port of 127.0.0.1.
        case port(UInt16)
        /// The path of a Unix socket.
        case socket(String)
    }

    /// The number of files that this process may open, raised to 16 384 where the system allows it.
    static let fileLimit: Int = {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        guard limit.rlim_cur < 16_384 else { return 16_384 }
        let now = Int(limit.rlim_cur)
        limit.rlim_cur = 16_384
        limit.rlim_max = max(limit.rlim_max, 16_384)
        return setrlimit(resource, &limit) == 0 ? 16_384 : now
    }()

    /// Clients have descriptors from this number on, where there are as many: select(2), which other code of this
    /// process may use, knows only those below 1 024.
    private static let firstDescriptor: Int32 = fileLimit < 16_384 ? 0 : 2048

    private let descriptor: Int32

    /// Connects.
    /// - Parameters:
    ///   - number: Which client it is, of a port. Sixteen in a row have addresses of their own, 127.0.0.1 to
    ///     127.0.0.16, and so shares of their own.
    ///   - receiveBuffer: Bytes that the kernel keeps for a client that does not read; nil: as usual.
    ///   - isPatient: Whether to wait for the connection, and for the other side to take what is sent.
    init(_ address: Address, as number: Int = 0, receiveBuffer: Int32? = nil, isPatient: Bool = true) throws {
        let family = if case .socket = address { AF_UNIX } else { AF_INET }
        let flags = isPatient ? 0 : SOCK_NONBLOCK.rawValue
        let low = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | flags), 0)
        descriptor = fcntl(low, F_DUPFD_CLOEXEC, Self.firstDescriptor)
        Glibc.close(low)
        try #require(descriptor >= 0, "\(String(cString: strerror(errno)))")
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        let outcome: Int32
        switch address {
        case .port(let port):
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = UInt32(0x7F00_0001 + number % 16).bigEndian
            let isBound = Self.call(Glibc.bind, descriptor, &own)
            try #require(isBound == 0, "\(String(cString: strerror(errno)))")
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            outcome = Self.call(Glibc.connect, descriptor, &name)
        case .socket(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            outcome = Self.call(Glibc.connect, descriptor, &name)
        }
        let isOnTheWay = !isPatient && errno == EINPROGRESS
        try #require(outcome == 0 || isOnTheWay, "\(String(cString: strerror(errno)))")
    }

    /// Calls bind(2) or connect(2).
    private static func call<Name>(
        _ body: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, _ name: inout Name
    ) -> Int32 {
        withUnsafeBytes(of: &name) { bytes in
            body(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Sends text; what a closed connection does not take is dropped.
    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Asks for a path.
    /// - Parameter headers: Further lines of the head, each with its line end.
    func ask(_ target: String, headers: String = "") {
        send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
    }

    /// Ends the sending side.
    func endSending() { Glibc.shutdown(descriptor, Int32(SHUT_WR)) }

    /// What comes, without carriage returns, until the condition holds, the other side closes, or the test's time is
    /// over.
    func receive(until isEnough: (@Sendable (String) -> Bool)? = nil) async -> String {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                Thread.detachNewThread { [self] in
                    var received: [UInt8] = []
                    var buffer = [UInt8](repeating: 0, count: 1 << 16)
                    // Without a condition a large answer is not looked at again with each of its pieces.
                    while isEnough.map({ !$0(String(decoding: received, as: UTF8.self)) }) ?? true {
                        let count = recv(descriptor, &buffer, buffer.count, 0)
                        if count < 0, errno == EINTR { continue }
                        guard count > 0 else { break }
                        received += buffer[..<count].filter { $0 != 0x0D }
                    }
                    continuation.resume(returning: String(decoding: received, as: UTF8.self))
                }
            }
        } onCancel: {
            Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
