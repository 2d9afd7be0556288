package import Foundation
import SQLite

/// A Unix domain stream socket that carries lines. Its functions block; it is not closed by itself.
package struct UnixSocket: Sendable {
    /// The file descriptor; the owner of the value closes it.
    package let descriptor: Int32

    /// The number of bytes, 64 KiB, that a line must stay below.
    package static let lineLimit = 64 << 10

    /// Wraps an open, connected or listening socket; the owner closes it.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to the program that listens at the path `path`.
    /// - Parameter seconds: How long to wait while the queue of connections is full; nil, the default: for ever.
    /// - Throws: `DaemonError.unreachable` with a number of errno(3): ENOTSOCK if no socket is there, ENAMETOOLONG for
    ///   a path of more than 107 bytes.
    package static func connected(to path: String, within seconds: Int? = nil) throws(DaemonError) -> UnixSocket {
        guard let socket = made() else { throw .unreachable(path, errno) }
        // On Linux this limit applies to connect(2), too.
        if let seconds { socket.limit(SO_SNDTIMEO, to: .seconds(seconds)) }
        let status = withAddress(path) { connect(socket.descriptor, $0, $1) }
        guard status == 0 else {
            let error = status == nil ? ENAMETOOLONG : errno
            close(socket.descriptor)
            var file = stat()
            let isOther = error == ECONNREFUSED && stat(path, &file) == 0 && file.st_mode & S_IFMT != S_IFSOCK
            throw .unreachable(path, isOther ? ENOTSOCK : error)
        }
        return socket
    }

    /// Checks that this user can listen at a path; makes nothing.
    /// - Throws: `DaemonError.cannotListen` if a program listens there, something else than a socket is there, or the
    ///   folder cannot be written.
    package static func mustBeFree(_ path: String) throws(DaemonError) {
        if let other = try? connected(to: path) {
            close(other.descriptor)
            throw .cannotListen(path, "another daemon listens there; give each a control_socket of its own")
        }
        var file = stat()
        if lstat(path, &file) == 0, file.st_mode & S_IFMT != S_IFSOCK {
            throw .cannotListen(path, "something that is no socket is there")
        }
        guard access(DatabasePath.folder(of: path), W_OK | X_OK) == 0 else {
            throw .cannotListen(path, String(cString: strerror(errno)))
        }
    }

    /// Binds and listens at a path, with access for the owner and the group only (0660). A socket left by a dead daemon
    /// is replaced. For a moment the umask of the process is changed.
    /// - Throws: `DaemonError.cannotListen` as `mustBeFree` does, for a path of more than 107 bytes, and if the system
    ///   refuses.
    package static func listening(at path: String) throws(DaemonError) -> UnixSocket {
        try mustBeFree(path)
        guard let socket = made() else { throw .cannotListen(path, String(cString: strerror(errno))) }
        unlink(path)
        let mask = umask(0o117)
        let status = withAddress(path) { bind(socket.descriptor, $0, $1) }
        umask(mask)
        guard status == 0, listen(socket.descriptor, 16) == 0 else {
            let reason =
                status == nil
                ? "the path is longer than a socket's may be; set control_socket" : String(cString: strerror(errno))
            close(socket.descriptor)
            throw .cannotListen(path, reason)
        }
        return socket
    }

    // The number that stands for all users outside of a user namespace (`PrivateUsers=` of systemd).
    private static let unmappedUser: uid_t = 65_534

    /// The name of the user who has connected (unix(7), `SO_PEERCRED`); nil if the kernel does not tell, as to a daemon
    /// in a user namespace that lacks the user.
    package var peer: String? {
        // struct ucred, which Glibc declares with _GNU_SOURCE only.
        var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
            credentials.user != Self.unmappedUser
        else { return nil }
        return UserName.of(credentials.user)
    }

    /// Reads up to a line feed, which is left out. Nil at the end, or if the line is not complete within `seconds`.
    ///
    /// A longer line is cut to `lineLimit` bytes, a length that no complete line has. The rest is read, too, up to 1
    /// MiB in all, because Linux would otherwise reset the connection, and the sender would lose the answer.
    package func readLine(timeout seconds: Int) -> Data? {
        let end = ContinuousClock.now + .seconds(seconds)
        var line = Data()
        var block = [UInt8](repeating: 0, count: 4096)
        var read = 0
        while read < 16 * Self.lineLimit {
            let left = end - ContinuousClock.now
            guard left > .zero else { break }
            limit(SO_RCVTIMEO, to: left)
            // What follows the line stays in the socket, for the next call.
            let waiting = recv(descriptor, &block, block.count, Int32(MSG_PEEK))
            guard waiting > 0 else { break }
            let lineFeed = block[..<waiting].firstIndex(of: UInt8(ascii: "\n"))
            let taken = recv(descriptor, &block, lineFeed.map { $0 + 1 } ?? waiting, 0)
            guard taken > 0 else { break }
            read += taken
            let isEnd = lineFeed == taken - 1
            line.append(contentsOf: block[..<(isEnd ? taken - 1 : taken)].prefix(Self.lineLimit - line.count))
            if isEnd { return line }
        }
        return line.count < Self.lineLimit ? nil : line
    }

    private func limit(_ direction: Int32, to duration: Duration) {
        var time = timeval(beyond: duration)
        setsockopt(descriptor, SOL_SOCKET, direction, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes a line, which must not contain a line feed, and a line feed; false if the other side is gone or does not
    /// read for 5 s.
    @discardableResult package func writeLine(_ line: Data) -> Bool {
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

    private static func made() -> UnixSocket? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        return descriptor >= 0 ? UnixSocket(descriptor: descriptor) : nil
    }

    /// The result of `body`; nil if the path is too long (unix(7)).
    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

extension timeval {
    /// The next microsecond after a duration, because a time-out of 0 means none.
    init(beyond duration: Duration) {
        let (seconds, fraction) = duration.components
        let (carried, microseconds) = (fraction / 1_000_000_000_000 + 1).quotientAndRemainder(dividingBy: 1_000_000)
        self.init(tv_sec: Int(seconds + carried), tv_usec: Int(microseconds))
    }
}
