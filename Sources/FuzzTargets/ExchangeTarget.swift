import Daemon
import Engine
import Fetching
import Foundation
import Logging
import Model
import Operations
import Simulation
import Synchronization

extension FuzzTarget {
    /// A target for whole answers of a server, head and body, as they come over a connection: through libcurl, decoder,
    /// engine, store and log.
    static let exchanges = FuzzTarget("headers-exchange", seeds: []) { data in
        try Exchanges.lock.withLock {
            let scene = try Exchanges.scene ?? Exchanges()
            // One that has failed, or was asked to wait, would answer the next input in another way.
            Exchanges.scene = nil
            if try scene.check(data) { Exchanges.scene = scene }
        }
    }
}

/// A daemon in this process whose only upstream gives the input as its answer.
private final class Exchanges {
    static let lock = NSLock()
    /// The scene of the next input; guarded by `lock`.
    nonisolated(unsafe) static var scene: Exchanges?

    private static let server: Result<FixedServer, BrokenInvariant> = Result { () throws(BrokenInvariant) in
        try FixedServer()
    }
    private static let fetcher: Result<Fetcher, Failure> = Result { () throws(Failure) in
        try Fetcher(
            limits: FetchLimits(connectTimeout: .seconds(5), totalTimeout: .seconds(5), stallTimeout: .seconds(5)),
            now: { InProcessDaemon.start })
    }
    /// A scene has at most so many inputs, since its store grows.
    private static let longest = 200
    private static let longestLine = 64 << 10
    private static let kinds = ["rss", "cap", "usgs"]

    private let daemon: InProcessDaemon
    private let server: FixedServer
    private let lines = Lines()
    private let log: PollLog
    private var inputs = 0

    /// The lines of the log.
    private final class Lines: Sendable {
        let longest = Mutex(0)
    }

    init() throws {
        let server = try Self.server.get()
        let fetcher = try Self.fetcher.get()
        self.server = server
        let sources = Self.kinds.map { kind in
            var source = SourceSettings(
                name: kind, kind: kind, url: "\(server.url)/\(kind)", refreshInterval: .seconds(86_400),
                offset: .seconds(86_400))
            source.followsServerInterval = true
            return source
        }
        daemon = try InProcessDaemon(sources) { order in Self.exchange(order, fetcher, server) }
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.trace), now: { InProcessDaemon.start },
            output: { [lines] line in lines.longest.withLock { $0 = max($0, line.utf8.count) } })
        log = PollLog(logger: Logger(label: "fuzz") { _ in handler })
    }

    /// Polls with the input as the server's answer, and follows what the engine makes of it. Returns whether the scene
    /// can take another input.
    func check(_ data: Data) throws -> Bool {
        inputs += 1
        server.set(data)
        let text = String(decoding: data.suffix(512), as: UTF8.self)
        let kind = text.contains("}") ? "usgs" : text.contains("alert") ? "cap" : "rss"
        let (reports, notices) = (daemon.reports.count, daemon.notices.count)
        try daemon.give(.poll(source: kind))
        try daemon.advance(.seconds(20))
        try hold(daemon.reports.count > reports, "a poll does not end")
        try hold(daemon.storeFailures.isEmpty, "the store refuses what was decoded: \(daemon.storeFailures)")
        for notice in daemon.notices[notices...] { log.notice(notice) }
        for report in daemon.reports[reports...] {
            log.ended(report)
            let wait = report.end.nextDue.timeIntervalSince(daemon.now.wall)
            try hold((-21...86_401 * 1.3).contains(wait), "\(report.source) is due in \(wait) s")
            if let failure = report.end.failure { try FailureCheck.check(failure) }
        }
        let longest = lines.longest.withLock { $0 }
        try hold(longest <= Self.longestLine, "a line of the log has \(longest) bytes")
        return inputs < Self.longest && daemon.reports[reports...].allSatisfy { $0.end.dueReason == .interval }
    }

    /// What a request to the server brings; other hosts are not reached.
    private static func exchange(_ order: FetchOrder, _ fetcher: Fetcher, _ server: FixedServer) -> ScriptedAnswer {
        guard order.url.hasPrefix(server.url + "/") else {
            return .failure(Failure(.network, .nameNotFound, "there is no other host"))
        }
        let request = order.fetch
        let outcome = QueueExecutor.shared.waiting { () -> Result<FetchOutcome, Failure> in
            do throws(Failure) { return .success(try await fetcher.fetch(request)) } catch { return .failure(error) }
        }
        return switch outcome {
        case .success(let outcome)?: .fetched(outcome)
        case .failure(let failure)?: .failure(failure)
        case nil: .notModified
        }
    }
}

/// A server on this machine that answers each connection with the same bytes, whatever is asked, and closes it.
final class FixedServer: Sendable {
    /// Scheme, address and port.
    let url: String
    private let bytes = Answer()

    private final class Answer: Sendable {
        let data = Mutex(Data())
    }

    /// - Parameter speaksFirst: Whether it answers before anything is asked, as servers of mail do.
    init(speaksFirst: Bool = false) throws(BrokenInvariant) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard listener >= 0, isOpen else { throw BrokenInvariant("there is no port for a server") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [bytes] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                Self.answer(connection, with: bytes.data.withLock { $0 }, atOnce: speaksFirst)
            }
        }
    }

    func set(_ data: Data) { bytes.data.withLock { $0 = data } }

    private static func answer(_ connection: Int32, with data: Data, atOnce: Bool) {
        defer { close(connection) }
        if atOnce {
            sendAll(data, to: connection)
            shutdown(connection, Int32(SHUT_WR))
        }
        // All of the request: unread bytes would reset the connection.
        var request = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while atOnce || !isWhole(request) {
            let count = repeating { recv(connection, &buffer, buffer.count, 0) }
            guard count > 0 else { return }
            request.append(contentsOf: buffer[..<count])
        }
        sendAll(data, to: connection)
    }

    /// Whether a request has its whole head, and the body that this announces.
    private static func isWhole(_ request: Data) -> Bool {
        guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n" as Character).first { $0.hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        return request.count - end.upperBound >= length ?? 0
    }
}
