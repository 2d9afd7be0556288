import FlyingFox
import FlyingSocks
public import Foundation
import Synchronization

/// A loopback HTTP server with scripted replies, for tests and the demo.
///
/// ```swift
/// let upstream = ScriptedUpstream()
/// upstream.play("/feed.xml", [.status(500), .body(feed, type: "application/rss+xml")])
/// try await upstream.start()
/// // … fetch upstream.baseURL + "/feed.xml" …
/// await upstream.stop()
/// ```
/// It speaks HTTP/1.1 with persistent connections on 127.0.0.1 only, and lives until `stop()`. It can neither close a
/// connection without an answer nor send bytes that are not HTTP.
public final class ScriptedUpstream: Sendable {
    private struct State {
        var server: HTTPServer?
        var port: UInt16 = 0
        var scripts: [String: [Reply]] = [:]
        var fallback: (@Sendable (RecordedRequest) -> Reply)?
        var requests: [RecordedRequest] = []
    }

    private let state = Synchronization.Mutex(State())
    private let now: @Sendable () -> Date

    /// Creates a server that does not listen yet.
    /// - Parameter now: The time of the Date header, called for each reply on any thread; default the wall clock.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    // MARK: - Listening

    /// Listens on 127.0.0.1 and returns once it does.
    /// - Parameter port: The port; 0, the default, lets the kernel choose. A stopped upstream may reuse its port.
    /// - Returns: The port, 1…65535.
    /// - Throws: The error of the socket, such as for a port in use.
    @discardableResult
    public func start(port: UInt16 = 0) async throws -> UInt16 {
        let server = try HTTPServer(
            address: .inet(ip4: "127.0.0.1", port: port), timeout: Duration.untilStopped.timeInterval,
            logger: Self.erased(.disabled),
            // A listening upstream keeps itself alive until `stop()`.
            handler: ClosureHTTPHandler { request in try await self.respond(to: request) })
        let listening = Task { try await server.waitUntilListening(timeout: Duration.untilStopped.timeInterval) }
        let running = Task(executorPreference: ServerThreads.shared) {
            do {
                try await server.run()
            } catch {
                listening.cancel()
                throw error
            }
        }
        do {
            try await listening.value
        } catch {
            running.cancel()
            try await running.value
            throw error
        }
        guard case .ip4(_, port: let bound)? = await server.listeningAddress else {
            await server.stop()
            throw POSIXError(.EADDRNOTAVAIL)
        }
        state.withLock {
            $0.server = server
            $0.port = bound
        }
        return bound
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end; the port is 0 before the first start and stays after
    /// `stop`.
    public var baseURL: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

    /// Stops listening and ends all connections, hanging ones included. Scripts and recorded requests stay; nothing
    /// happens if it does not listen.
    public func stop() async {
        let server = state.withLock { $0.server.take() }
        await server?.stop()
    }

    // MARK: - Script

    /// Sets the replies to a path, in turn, in place of any before; the last one repeats. Without a script, or with an
    /// empty one, a path is answered by `answerOthers`, else with 404.
    /// - Parameter path: A path (`/feed.xml`) for any query, or a path with query (`/feed.xml?page=2`), which takes
    ///   precedence.
    public func play(_ path: String, _ script: [Reply]) {
        state.withLock { $0.scripts[path] = script }
    }

    /// Sets the function that answers requests to paths without a script. It is called on any thread, also at the same
    /// time.
    public func answerOthers(_ reply: @escaping @Sendable (RecordedRequest) -> Reply) {
        state.withLock { $0.fallback = reply }
    }

    // MARK: - Record

    /// The requests to a path with any query, or to a path with query, in order of arrival; empty if there were none.
    public func requests(to path: String) -> [RecordedRequest] {
        requests.filter { $0.path == path || $0.target == path }
    }

    /// All requests whose bodies have arrived, in that order; those answered with 404 or not at all included.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    // MARK: - Answering

    private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var headers: [String: String] = [:]
        for (header, value) in request.headers { headers[header.rawValue.lowercased()] = value }
        let recorded = RecordedRequest(
            method: request.method.rawValue, path: request.target.path(), query: request.target.query(),
            headers: headers, body: try await request.bodyData)
        let answer = reply(to: recorded)
        if case .never = answer.delivery { try await Task.sleep(for: .untilStopped) }
        return answer.response(to: recorded, date: now())
    }

    private func reply(to request: RecordedRequest) -> Reply {
        let (scripted, fallback) = state.withLock { state in
            state.requests.append(request)
            let key = state.scripts[request.target] == nil ? request.path : request.target
            let next = state.scripts[key]?.first
            if let script = state.scripts[key], script.count > 1 { state.scripts[key] = Array(script.dropFirst()) }
            return (next, state.fallback)
        }
        return scripted ?? fallback?(request) ?? .status(404)
    }

    private static func erased(_ logger: some Logging) -> any Logging { logger }
}

extension Duration {
    /// The whole seconds of the duration.
    var timeInterval: TimeInterval { TimeInterval(components.seconds) }
}
