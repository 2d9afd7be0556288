import Foundation
import HTTPService
import Logging
import Model
import Operations
import ProcessSupport
import ServiceLifecycle
import Serving
import Store
import TestSupport
import Testing

@testable import Settings

/// 2026-03-01T00:00:00Z.
let start = Date(timeIntervalSince1970: 1_772_323_200)

extension ServiceLimits {
    /// Bounds of time that no test reaches, however busy the machine is.
    static var patient: ServiceLimits {
        var limits = ServiceLimits()
        limits.headTime = .seconds(3600)
        limits.stall = .seconds(3600)
        limits.heartbeat = .seconds(3600)
        return limits
    }
}

/// A service over a database of its own.
struct Scene: Sendable {
    typealias Answering = @Sendable (APIRequest, EventStore, Date) -> APIAnswer
    typealias Preparing = @Sendable (APIRequest, Date) -> ReadAPI.Preparation

    let directory = TemporaryDirectory()
    let lines = Facts<String>()
    var database: String { directory.path + "/events.sqlite" }

    /// A service that listens.
    struct Served: Sendable {
        let service: HTTPService
        let addresses: [ListenAddress]
        let group: ServiceGroup

        func client(receiveBuffer: Int32? = nil, from own: String? = nil) throws -> RawClient {
            try RawClient(addresses[0], receiveBuffer: receiveBuffer, from: own)
        }

        /// Asks on a connection of its own, until the service closes it.
        func ask(
            _ method: String = "GET", _ target: String = "/", host: String = "localhost", headers: String = ""
        ) async throws -> RawAnswer {
            let client = try client()
            client.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(headers)\r\n")
            return RawAnswer(await client.receive())
        }
    }

    /// Says which path is asked for.
    static let echo: Answering = { request, _, _ in
        APIAnswer(
            status: 200, headers: [(name: "Content-Type", value: "text/plain")],
            body: .whole(Array("GET \(request.path) \(request.query ?? "-")".utf8)))
    }

    /// Makes the database.
    @discardableResult
    func makeStore() throws -> EventStore {
        let store = try EventStore(path: database)
        try store.reconcile(
            [SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")], at: start)
        return store
    }

    /// Serves while `body` runs, then stops gracefully. Throws what the service or `body` throws.
    func serve(
        _ settings: ServeSettings = ServeSettings(listen: [.tcp("127.0.0.1", 0)]),
        limits: ServiceLimits = .patient, answering: @escaping Answering = Scene.echo,
        _ body: (Served) async throws -> Void
    ) async throws {
        let preparing: Preparing = { request, now in .read { store in answering(request, store, now) } }
        try await serve(settings, limits: limits, preparing: preparing, body)
    }

    /// Serves answers that are prepared without the database.
    func serve(
        _ settings: ServeSettings = ServeSettings(listen: [.tcp("127.0.0.1", 0)]),
        limits: ServiceLimits = .patient, preparing: @escaping Preparing, _ body: (Served) async throws -> Void
    ) async throws {
        let lines = self.lines
        let bound = Facts<[ListenAddress]>()
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.trace), now: { start }, output: { lines.append($0) })
        let service = HTTPService(
            settings: settings, pool: ReaderPool(path: database, budget: .seconds(3600)), limits: limits,
            now: { start },
            logger: Logger(label: "test") { _ in handler }, preparing: preparing,
            whenListening: { bound.append($0) })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
        let run = Task {
            defer { bound.finish() }
            try await group.run()
        }
        if await bound.wait(until: { !$0.isEmpty }), let addresses = bound.all.first {
            do {
                try await body(Served(service: service, addresses: addresses, group: group))
            } catch {
                run.cancel()
                _ = await run.result
                throw error
            }
            await group.triggerGracefulShutdown()
        }
        try await run.value
    }

    func linesSaying(_ words: String) -> [String] { lines.all.filter { $0.contains(words) } }
}
