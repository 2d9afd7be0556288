import Dispatch
import Foundation
import HTTPService
import Logging
import Serving
import Settings
import Store
import Synchronization
import TestSupport

extension FuzzTarget {
    /// A target for the bytes of a client of `visiventd serve`, on a connection of their own.
    static let connections = FuzzTarget("connections", seeds: []) { data in
        let service = try LiveService.shared.get()
        let answer = try service.exchange(data, milliseconds: 30)
        try hold(
            answer.isEmpty || answer.starts(with: "HTTP/1.".utf8), "an answer without a head: \(answer.count) bytes")
        // The others are served as before.
        let request = Data("GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        let next = try service.exchange(request, milliseconds: 20_000)
        try hold(next.starts(with: "HTTP/1.1 200".utf8), "the next client gets \(next.count) bytes")
    }
}

/// The service over an empty database, on a Unix socket; it lasts as long as the process.
private final class LiveService: Sendable {
    static let shared: Result<LiveService, any Error> = Result { try LiveService() }

    private let directory = TemporaryDirectory()
    private let path: String
    private static let longestAnswer = 1 << 20

    private init() throws {
        let database = directory.path + "/events.sqlite"
        try EventStore(path: database).close()
        path = directory.path + "/http"
        let api = ReadAPI(program: "fuzzed")
        let listening = DispatchSemaphore(value: 0)
        var limits = ServiceLimits()
        limits.headTime = .seconds(1)
        var settings = Settings(database: database, sources: []).serve
        settings.listen = [.unix(path)]
        let service = HTTPService(
            settings: settings, pool: ReaderPool(path: database), limits: limits,
            now: { Date(timeIntervalSince1970: 1_790_000_000) },
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() },
            preparing: { request, now in api.prepare(request, now: now) },
            whenListening: { _ in listening.signal() })
        Task(executorPreference: QueueExecutor.shared) { try await service.run() }
        guard listening.wait(timeout: .now() + 60) == .success else {
            throw BrokenInvariant("the service does not begin")
        }
    }

    /// Sends the bytes on a connection, and returns what comes back until its end or a silence of so many milliseconds.
    func exchange(_ data: Data, milliseconds: Int) throws(BrokenInvariant) -> Data {
        let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                repeating { Int(connect(connection, address, socklen_t(MemoryLayout<sockaddr_un>.size))) } == 0
            }
        }
        try hold(isShort && isConnected, "the service takes no connection")
        sendAll(data, to: connection)
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while answer.count < Self.longestAnswer {
            let count = repeating { recv(connection, &buffer, buffer.count, 0) }
            guard count > 0 else { break }
            answer.append(contentsOf: buffer[..<count])
        }
        return answer
    }
}
