import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Store
import TestSupport
import Testing

@testable import Simulation

/// The real program, killed by SIGKILL during its polls and started again.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct KillTests {
    /// The fact that triggers the signal.
    enum Moment: Sendable, CustomTestStringConvertible {
        /// The upstream has received this many requests; the last is unanswered.
        case request(Int)
        /// The daemon has logged a line with all of these words.
        case line([String])

        var testDescription: String {
            switch self {
            case .request(let number): "request \(number)"
            case .line(let words): "line \(words.joined(separator: " "))"
            }
        }
    }

    private static let moments: [Moment] = [
        .request(1), .request(2), .request(3), .request(5), .request(7), .request(9),
        .line(["poll started", "source=quakes"]), .line(["poll started", "source=news"]),
        .line(["poll ended", "source=news"]), .line(["poll ended", "source=quakes"]),
    ]

    /// A request as seen by the upstream.
    private struct Arrival: Sendable {
        var life: String
        var path: String
        var etag: String?
        var at: Date
    }

    private static let topics = ["a", "b", "c", "d", "e", "f", "g", "h"]
    private static let quakes = "/summary/all_month.geojson"

    /// The documents of one try, with times relative to the machine's clock, which the real program uses.
    private struct Upstream: Sendable {
        let server = ScriptedUpstream()
        let arrivals = Facts<Arrival>()
        let ids: [String]

        init(now: Date, onRequest: @escaping @Sendable (Int) -> Void) {
            let quakes = (0..<3000).map { Documents.Quake(id: "us\($0)", time: now - 3600 - Double($0)) }
            var bodies = [KillTests.quakes: Documents.usgs(quakes, generated: now, period: "all_month")]
            var ids = quakes.map(\.id)
            for topic in KillTests.topics {
                let items = (0..<20).map {
                    Documents.Item(guid: "\(topic)\($0)", title: "Item \(topic) \($0)", date: now - 7200)
                }
                bodies["/news/\(topic).xml"] = Documents.rss(items)
                ids += items.map(\.guid)
            }
            self.ids = ids.sorted()
            let (log, documents) = (arrivals, bodies)
            server.answerOthers { request in
                log.append(
                    Arrival(
                        life: request.headers["x-life"] ?? "", path: request.path,
                        etag: request.headers["if-none-match"], at: Date()))
                onRequest(log.all.count)
                return documents[request.path].map { Reply.body($0) } ?? .status(404)
            }
        }
    }

    private func configuration(life: String, _ directory: TemporaryDirectory, _ upstream: Upstream) throws -> String {
        let path = "\(directory.path)/\(life).yaml"
        let text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/control.sock"
            log:
              level: debug
              format: logfmt
            fetch:
              per_host_gap: 5ms
              per_host_concurrency: 4
              connect_timeout: 2m
              stall_timeout: 1h
              total_timeout: 1h
            sources:
              - name: quakes
                kind: usgs
                url: \(upstream.server.baseURL)\(Self.quakes)
                refresh_interval: 10s
                max_age: 720h
                headers:
                  X-Life: \(life)
              - name: news
                kind: rss
                url: \(upstream.server.baseURL)/news/{topic}.xml
                topics: [\(Self.topics.joined(separator: ", "))]
                refresh_interval: 10s
                offset: 0s
                max_age: 720h
                headers:
                  X-Life: \(life)
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Ten kills, at ten moments.
    @Test(arguments: KillTests.moments)
    func aKilledDaemonLosesAndDoublesNothingAndIsNotEarly(moment: Moment) async throws {
        let directory = TemporaryDirectory()
        // The signal is sent once there are both the process and the moment, in either order.
        let victims = Facts<DaemonProcess>()
        let isDue = Facts<Bool>()
        let upstream = Upstream(now: Date()) { count in
            if case .request(count) = moment {
                isDue.append(true)
                for victim in victims.all { victim.signal(SIGKILL) }
            }
        }
        try await upstream.server.start()
        defer { Task { [server = upstream.server] in await server.stop() } }

        let firstFile = try configuration(life: "first", directory, upstream)
        let first = try DaemonProcess(configuration: firstFile) { process, line in
            if case .line(let words) = moment, words.allSatisfy({ line.contains($0) }) { process.signal(SIGKILL) }
        }
        victims.append(first)
        if !isDue.all.isEmpty { first.signal(SIGKILL) }
        let death = try #require(await first.exit())
        #expect(death.status == -SIGKILL, "\(first.lines.all.suffix(5))")

        // The database is readable as it was left, with nothing half done.
        let left = try EventStore(path: directory.path + "/events.sqlite", mode: .readOnly)
        #expect(try left.rows("PRAGMA integrity_check") == [["ok"]])
        let records = try left.sources()
        let validators = try Dictionary(
            left.rows("SELECT url, etag FROM validator").map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        let stored = try left.rows("SELECT count(*) FROM events_v1 WHERE provider = 'usgs'")
        #expect(stored == [["0"]] || stored == [["3000"]], "a body's events come all or none")

        let second = try DaemonProcess(configuration: configuration(life: "second", directory, upstream))
        defer { second.signal(SIGKILL) }
        for source in ["quakes", "news"] {
            let isPolled = await second.lines.wait { lines in
                lines.contains { $0.contains("poll ended") && $0.contains("source=\(source)") }
            }
            #expect(isPolled, "\(second.lines.all.suffix(5))")
        }
        let terminated = ContinuousClock.now
        second.signal(SIGTERM)
        let end = try #require(await second.exit())
        #expect(end.status == 0)
        #expect(end.at - terminated < .seconds(5))

        let store = try EventStore(path: directory.path + "/events.sqlite", mode: .readOnly)
        #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try store.rows("SELECT upstream_id FROM events_v1 ORDER BY 1").map { $0[0] } == upstream.ids)
        #expect(try store.rows("SELECT DISTINCT revision FROM events_v1") == [["1"]])
        let changes = try store.rows("SELECT kind, count(*) FROM changes_v1 GROUP BY 1")
        #expect(changes == [["new", "\(upstream.ids.count)"]])

        let again = upstream.arrivals.all.filter { $0.life == "second" }
        let dues = Dictionary(records.map { ($0.name, $0.nextDue) }, uniquingKeysWith: { first, _ in first })
        var asked: Set<String> = []
        for arrival in again where asked.insert(arrival.path).inserted {
            let source = arrival.path == Self.quakes ? "quakes" : "news"
            if let due = dues[source] ?? nil {
                #expect(arrival.at > due.addingTimeInterval(-0.002), "\(arrival.path) before it was due")
            }
            #expect(arrival.etag == validators[upstream.server.baseURL + arrival.path], "\(arrival.path)")
        }
        #expect(asked.count == 1 + Self.topics.count)
    }
}
