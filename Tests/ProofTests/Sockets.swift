import Foundation

/// A socket that is closed when this object is released.
final class ProofSocket: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A bound socket on this machine that answers nothing.
    /// - Parameters:
    ///   - type: `SOCK_STREAM` or `SOCK_DGRAM`.
    ///   - loopback: The last number of 127.0.0.x; nil for ::1.
    ///   - backlog: Connections that may wait for being accepted; nil: it does not listen.
    /// - Returns: Nil if the address is not available.
    static func silent(_ type: __socket_type, loopback: UInt8?, port: UInt16, backlog: Int32?) -> ProofSocket? {
        let descriptor = socket(loopback == nil ? AF_INET6 : AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let made = ProofSocket(descriptor)
        let status = with(loopback, port) { bind(descriptor, $0, $1) }
        guard status == 0 else { return nil }
        if let backlog, listen(descriptor, backlog) != 0 { return nil }
        return made
    }

    /// A connection to ::1 on this machine that is started and not used.
    static func idle(port: UInt16) -> ProofSocket? {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET6, flags, 0)
        guard descriptor >= 0 else { return nil }
        let made = ProofSocket(descriptor)
        let status = with(nil, port) { connect(descriptor, $0, $1) }
        return status == 0 || errno == EINPROGRESS ? made : nil
    }

    private static func with(
        _ loopback: UInt8?, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        if let loopback {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(loopback)).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}

/// A port of ::1 that neither accepts nor refuses connections: its queue is full.
final class BlackHole: Sendable {
    private let sockets: [ProofSocket]

    /// - Returns: Nil without ::1, or if the port is in use.
    init?(port: UInt16) {
        guard let listener = ProofSocket.silent(SOCK_STREAM, loopback: nil, port: port, backlog: 0) else { return nil }
        // A backlog of 0 holds one connection; the second makes sure.
        let fillers = (0..<2).compactMap { _ in ProofSocket.idle(port: port) }
        guard fillers.count == 2 else { return nil }
        sockets = [listener] + fillers
    }

    /// Whether this machine has ::1.
    static let isPossible = ProofSocket.silent(SOCK_STREAM, loopback: nil, port: 0, backlog: nil) != nil
}

/// A resolver on port 53 that accepts all questions and answers none.
final class SilentResolver: Sendable {
    static let address: UInt8 = 77
    private let sockets: [ProofSocket]

    /// - Returns: Nil if port 53 is not available.
    init?() {
        guard let datagrams = ProofSocket.silent(SOCK_DGRAM, loopback: Self.address, port: 53, backlog: nil),
            let streams = ProofSocket.silent(SOCK_STREAM, loopback: Self.address, port: 53, backlog: 8)
        else { return nil }
        sockets = [datagrams, streams]
    }
}
