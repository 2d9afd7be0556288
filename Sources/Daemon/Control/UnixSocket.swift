import Foundation

/// A Unix domain stream socket that carries lines.
struct UnixSocket {
    let descriptor: Int32

    /// Longest line taken.
    static let lineLimit = 64 << 10

    static func connected(to path: String) throws(DaemonError) -> UnixSocket {
        let socket = try made(for: path)
        let status = try withAddress(path) { connect(socket.descriptor, $0, $1) }
        guard status == 0 else {
            let isSilent = errno == ENOENT || errno == ECONNREFUSED
            let reason = String(cString: strerror(errno))
            close(socket.descriptor)
            // The lock is held all the same.
            let words = "; if no daemon runs, another command works on the database: try again when it has ended"
            throw .refused("cannot reach the daemon at \(path): \(reason)\(isSilent ? words : "")")
        }
        return socket
    }

    /// Binds and listens, for the owner and its group only (0660); a socket left by a dead daemon is replaced.
    static func listening(at path: String) throws(DaemonError) -> UnixSocket {
        if let other = try? connected(to: path) {
            close(other.descriptor)
            throw .cannotListen(path, "another daemon listens there; give each a control_socket of its own")
        }
        var file = stat()
        if lstat(path, &file) == 0, file.st_mode & S_IFMT != S_IFSOCK {
            throw .cannotListen(path, "something that is no socket is there")
        }
        let socket = try made(for: path)
        unlink(path)
        let mask = umask(0o117)
        let status = try withAddress(path) { bind(socket.descriptor, $0, $1) }
        umask(mask)
        guard status == 0, listen(socket.descriptor, 16) == 0 else {
            let reason = String(cString: strerror(errno))
            close(socket.descriptor)
            throw .cannotListen(path, reason)
        }
        return socket
    }

    /// Reads up to a line feed; nil at the end, when the whole line has not come within `seconds`, or when it is too long.
    func readLine(timeout seconds: Int) -> Data? {
        let end = ContinuousClock.now + .seconds(seconds)
        var line = Data()
        var byte: UInt8 = 0
        while line.count < Self.lineLimit {
            let left = end - ContinuousClock.now
            guard left > .zero else { return nil }
            limit(SO_RCVTIMEO, to: left)
            guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        return nil
    }

    private func limit(_ direction: Int32, to duration: Duration) {
        let (seconds, fraction) = duration.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(fraction / 1_000_000_000_000) + 1)
        setsockopt(descriptor, SOL_SOCKET, direction, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes a line; false when the other side is gone or does not read for 5 s.
    @discardableResult func writeLine(_ line: Data) -> Bool {
        limit(SO_SNDTIMEO, to: .seconds(5))
        let bytes = [UInt8](line) + [UInt8(ascii: "\n")]
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func made(for path: String) throws(DaemonError) -> UnixSocket {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen(path, String(cString: strerror(errno))) }
        return UnixSocket(descriptor: descriptor)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(DaemonError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .cannotListen(path, "the path is longer than a socket's may be; set control_socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
