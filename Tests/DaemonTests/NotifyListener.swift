import Foundation
import ProcessSupport
import Testing

/// The service manager's end of `NOTIFY_SOCKET`.
final class NotifyListener: Sendable {
    /// The value of `NOTIFY_SOCKET`: a path, or `@` and an abstract name.
    let address: String
    private let descriptor: Int32

    init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(status == 0)
    }

    deinit { close(descriptor) }

    /// The environment for this manager.
    func environment(watchdog: Duration? = nil) -> [String: String] {
        var environment = ["NOTIFY_SOCKET": address]
        if let watchdog { environment["WATCHDOG_USEC"] = "\(Int64(watchdog / .microseconds(1)))" }
        return environment
    }

    /// Removes and returns the messages received so far.
    func take() -> [String] {
        var messages: [String] = []
        while let message = receive(Int32(MSG_DONTWAIT)) { messages.append(message) }
        return messages
    }

    /// Collects messages until one announces the stop, or none has come for four minutes.
    func collect() -> Facts<String> {
        let messages = Facts<String>()
        var limit = timeval(tv_sec: 240, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        Thread.detachNewThread { [self] in
            while let message = receive(0) {
                messages.append(message)
                if message.hasPrefix("STOPPING=1") { break }
            }
            messages.finish()
        }
        return messages
    }

    private func receive(_ flags: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
