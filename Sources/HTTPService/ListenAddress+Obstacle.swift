import Foundation
import Settings

extension ListenAddress {
    /// Why nobody may listen here, in words: NIO would remove a Unix socket at which another program listens. Nil for
    /// a free path, a socket left by a program that has ended, and a port, which the kernel guards.
    var obstacle: String? {
        guard case .unix(let path) = self else { return nil }
        var file = stat()
        guard lstat(path, &file) == 0 else { return nil }
        guard file.st_mode & S_IFMT == S_IFSOCK else { return "something that is no socket is there" }
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // `init` has checked its length.
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: &name) { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return connect(descriptor, address, socklen_t(bytes.count))
        }
        // EAGAIN: the queue of its listener is full.
        return status == 0 || errno == EAGAIN ? "another program listens there" : nil
    }
}
