import Foundation

/// A server on 127.0.0.1 that sends as long as its script does, on threads of its own.
final class HostileServer: Sendable {
    /// A connection with its request.
    struct Connection: Sendable {
        /// The requested path.
        let path: String
        fileprivate let descriptor: Int32

        /// Sends bytes; false if the client has closed.
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { systemSend(descriptor, $0) }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }

        /// Sends a text.
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends a text repeatedly until the client closes.
        /// - Parameter pause: Microseconds after each time.
        func sendForEver(_ text: String, pause: UInt32 = 0) {
            let bytes = Array(text.utf8)
            while send(bytes) { if pause > 0 { usleep(pause) } }
        }
    }

    /// The port.
    let port: UInt16
    private let listener: Int32

    /// Starts the server; it closes a connection when the script returns.
    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(descriptor, general, length) == 0 && getsockname(descriptor, general, &length) == 0
                    && listen(descriptor, 16) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 && errno == EINTR { continue }
                guard connection >= 0 else { break }
                Thread.detachNewThread {
                    if let path = Self.path(connection) {
                        script(Connection(path: path, descriptor: connection))
                        // Unread input would turn the close into a reset.
                        shutdown(connection, Int32(SHUT_WR))
                    }
                    close(connection)
                }
            }
            close(descriptor)
        }
    }

    /// Stops listening.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Reads the head of a request and returns its path; nil without a valid head.
    private static func path(_ connection: Int32) -> String? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, head.count < 65_536 else { return nil }
            head += buffer[..<count]
        }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? String(words[1]) : nil
    }
}

// This system call has the name of a method of `Connection`.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
