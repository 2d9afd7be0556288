import Foundation
import Glibc
import Settings
import Testing

/// A client that says exactly what it is told, over a blocking socket.
final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects.
    /// - Parameters:
    ///   - receiveBuffer: Bytes that the kernel keeps for a client that does not read; nil: as usual.
    ///   - own: The address that the client has, such as 127.0.0.2; nil: as usual.
    init(_ address: ListenAddress, receiveBuffer: Int32? = nil, from own: String? = nil) throws {
        let isUnix = if case .unix = address { true } else { false }
        let descriptor = socket(isUnix ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        self.descriptor = descriptor
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        if let own {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, own, &name.sin_addr)
            let status = withUnsafeBytes(of: &name) { bytes -> Int32 in
                guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
                return bind(descriptor, address, socklen_t(bytes.count))
            }
            try #require(status == 0)
        }
        let outcome: Int32
        switch address {
        case .tcp(let host, let port):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, host, &name.sin_addr)
            outcome = Self.connect(descriptor, &name)
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            outcome = Self.connect(descriptor, &name)
        }
        try #require(outcome == 0, "\(address): \(String(cString: strerror(errno)))")
    }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
        withUnsafeBytes(of: &name) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return Glibc.connect(descriptor, address, socklen_t(bytes.count))
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Sends text; a closed connection is no fault.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            start += count
        }
    }

    /// Ends the sending side, or both.
    func shutdown(both: Bool = false) { Glibc.shutdown(descriptor, Int32(both ? SHUT_RDWR : SHUT_WR)) }

    /// What comes until the condition holds, or until the other side closes.
    func receive(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async -> String {
        await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            Thread.detachNewThread { [self] in
                var received: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while !isEnough(String(decoding: received, as: UTF8.self)) {
                    let count = recv(descriptor, &buffer, 1 << 16, 0)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    received += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: received, as: UTF8.self))
            }
        }
    }
}

/// An answer as it came.
struct RawAnswer {
    var status = 0
    var headers: [String: String] = [:]
    var body = ""

    init(_ text: String) {
        guard let end = text.range(of: "\r\n\r\n") else { return }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        var rest = text[end.upperBound...]
        guard headers["transfer-encoding"] == "chunked" else {
            body = String(rest)
            return
        }
        while let line = rest.range(of: "\r\n"), let count = Int(rest[..<line.lowerBound], radix: 16), count > 0 {
            let chunk = rest[line.upperBound...].utf8.prefix(count)
            body += String(Substring(chunk))
            rest = Substring(rest[line.upperBound...].utf8.dropFirst(count + 2))
        }
    }
}
