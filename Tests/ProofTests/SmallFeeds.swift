import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Synchronization
import TestSupport

/// A folder with a configuration, and an upstream with a USGS feed that grows with each request until it is stopped.
final class SmallFeeds: Sendable {
    /// Features added by each request.
    static let step = 1500

    let server = ScriptedUpstream()
    let directory = TemporaryDirectory()
    private let start = Date()
    private let growth = Mutex((requests: 0, isOver: false))

    init() async throws {
        server.answerOthers { [self] _ in .body(body(), type: "application/json", etag: .absent) }
        try await server.start()
    }

    func end() { Task { [server] in await server.stop() } }

    /// Stops the growth of the feed.
    func stopGrowing() { growth.withLock { $0.isOver = true } }

    /// The number of events in the feed.
    var count: Int { growth.withLock { $0.requests } * Self.step }

    private func body() -> Data {
        let requests = growth.withLock { growth in
            if !growth.isOver { growth.requests += 1 }
            return growth.requests
        }
        let first = start.milliseconds - 3_600_000
        let features = (0..<(requests * Self.step)).map { number in
            Documents.feature("us\(number)", time: first - Int64(number) * 1000, updated: first, magnitude: 5)
        }
        return Documents.usgs(features, generated: start.milliseconds + Int64(requests))
    }

    /// Writes a configuration and returns its path; the database is in the folder `disk`, which is created.
    /// - Parameter sources: Lines of YAML below `sources:`.
    /// - Parameter minimumFree: The floor of free space; the test disks are small.
    func configuration(
        fetch: String = "per_host_gap: 0s", minimumFree: String = "0B", _ sources: [String]
    ) throws -> String {
        let file = directory.path + "/visiventd.yaml"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try """
        database: "\(database.path)"
        control_socket: "\(socket)"
        log: {level: debug, format: logfmt}
        fetch: {\(fetch)}
        disk: {minimum_free: \(minimumFree)}
        sources:
        \(sources.map { "  - " + $0 }.joined(separator: "\n"))
        """.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// A line of YAML for a source with this upstream's feed or another URL.
    func source(_ name: String, url: String? = nil, offset: String = "0s") -> String {
        let url = url ?? "\(server.baseURL)/\(name)"
        return "{name: \(name), kind: usgs, url: \"\(url)\", refresh_interval: 10s, offset: \(offset), max_age: 720h}"
    }

    /// The folder of the database.
    var disk: String { directory.path + "/disk" }
    /// The control socket.
    var socket: String { directory.path + "/control.sock" }
    /// The database.
    var database: LeftDatabase { LeftDatabase(path: disk + "/events.sqlite") }
}
