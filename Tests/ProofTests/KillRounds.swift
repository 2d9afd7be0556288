import Control
import Foundation
import ProcessSupport
import TestSupport
import Testing

/// A database, the feeds that its daemons poll, and the conditions after each death.
struct KillRounds {
    /// The database after a death.
    struct Left: Sendable {
        /// The due time of each source.
        var dues: [String: Date] = [:]
        /// The validator of each URL path.
        var etags: [String: String] = [:]
        /// The edition of each validator.
        var editions: [String: Int] = [:]
        /// The sorted upstream ids of messages.
        var messages: [String] = []
        /// The number of the last change.
        var lastChange = ""
    }

    static let sources = ["quakes", "news", "messages"]

    let feeds = ChangingFeeds()
    private let directory = TemporaryDirectory()
    private let database: LeftDatabase
    private var socket: String { directory.path + "/control.sock" }

    init() async throws {
        database = LeftDatabase(path: directory.path + "/events.sqlite")
        try await feeds.server.start()
        try "token".write(toFile: directory.path + "/token", atomically: true, encoding: .utf8)
    }

    func end() { Task { [feeds] in await feeds.server.stop() } }

    /// Starts a daemon.
    func start(_ life: String) throws -> DaemonProcess {
        let file = "\(directory.path)/\(life).yaml"
        let source = "refresh_interval: 10s, offset: 0s, max_age: 720h, headers: {X-Life: \(life)}"
        let base = feeds.server.baseURL
        try """
        database: "\(database.path)"
        control_socket: "\(socket)"
        log: {level: debug, format: logfmt}
        fetch: {per_host_gap: 5ms, per_host_concurrency: 4}
        sources:
          - {name: quakes, kind: usgs, url: "\(base)\(ChangingFeeds.quakesPath)", \(source)}
          - {name: news, kind: rss, url: "\(base)/news/{topic}.xml",
             topics: [\(ChangingFeeds.topics.joined(separator: ", "))], \(source)}
          - {name: messages, kind: twitter, url: "\(base)\(ChangingFeeds.searchPath)", enabled: true, query: lava,
             bearer_token_file: "\(directory.path)/token", most_messages: 10000, monthly_cap: 10000000, \(source)}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        return try DaemonProcess(configuration: file)
    }

    /// Requests polls from the running daemon, due or not; it may die meanwhile.
    /// - Parameter whenDone: Called with whether all polls succeeded.
    func poll(_ sources: [String], whenDone: @escaping @Sendable (Bool) -> Void) {
        let socket = socket
        Thread.detachNewThread {
            whenDone((try? ControlClient.send(ControlRequest(.poll, sources: sources), to: socket) { _ in }) ?? false)
        }
    }

    /// Runs a daemon that polls all sources and stops regularly.
    /// - Returns: The duration of the polls.
    @discardableResult
    func live(_ life: String) async throws -> Duration {
        let process = try start(life)
        #expect(await process.says(" started ", "control="), "\(process.lines.all)")
        let begun = ContinuousClock.now
        let answers = Facts<Bool>()
        poll(Self.sources) { answers.append($0) }
        _ = await answers.wait { !$0.isEmpty }
        let duration = ContinuousClock.now - begun
        #expect(answers.all == [true], "\(process.lines.all.suffix(5))")
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        return duration
    }

    /// Checks the database: intact, no partial or doubled data, and no older state than before.
    func inspect(after life: String, since last: Left = Left()) async throws -> Left {
        #expect(try await database.column("PRAGMA integrity_check") == ["ok"], "\(life)")
        #expect(try await database.indexFaults() == "ok", "\(life)")
        var left = Left()
        for row in try await database.rows("SELECT name, next_due_ms FROM sources_v1") where row.count == 2 {
            left.dues[row[0]] = Double(row[1]).map { Date(timeIntervalSince1970: $0 / 1000) }
        }
        let base = feeds.server.baseURL
        for row in try await database.rows("SELECT url, etag FROM validator WHERE etag IS NOT NULL") {
            let path = String(row[0].dropFirst(base.count))
            left.etags[path] = row[1]
            left.editions[path] = ChangingFeeds.edition(of: row[1])
        }
        // Validators and events belong to the same edition, since a body is stored with its validators or not at all.
        if let edition = left.editions[ChangingFeeds.quakesPath] {
            let sums = try await database.rows(
                """
                SELECT count(*), CAST(round(total(magnitude) * 10) AS INTEGER) FROM events_v1
                WHERE provider = 'usgs' AND withdrawn_reason IS NULL
                """)
            let expected = feeds.sums(of: edition)
            #expect(sums == [["\(expected.count)", "\(expected.tenths)"]], "\(life): quakes of edition \(edition)")
        }
        for topic in ChangingFeeds.topics {
            guard let edition = left.editions["/news/\(topic).xml"] else { continue }
            let count = try await database.column(
                "SELECT count(*) FROM events_v1 WHERE upstream_id GLOB '\(topic)[0-9]*' AND category = 'news'")
            #expect(count == ["\(feeds.itemCount(of: edition))"], "\(life): topic \(topic) of edition \(edition)")
        }
        let doubled = "SELECT count(*) - count(DISTINCT provider || ' ' || upstream_id) FROM events_v1"
        #expect(try await database.column(doubled) == ["0"], "\(life)")
        for (path, edition) in last.editions { #expect((left.editions[path] ?? -1) >= edition, "\(life): \(path)") }
        left.messages = try await database.column(
            "SELECT upstream_id FROM events_v1 WHERE provider = 'twitter' ORDER BY upstream_id")
        #expect(Set(left.messages).isSubset(of: feeds.messageIDs), "\(life)")
        #expect(Set(left.messages).isSuperset(of: last.messages), "\(life)")
        left.lastChange = try await database.column("SELECT max(seq) FROM changes_v1").first ?? ""
        return left
    }

    /// Checks the requests of a run: none is early unless the source was forced, and the first one of each path has the
    /// validator stored by the run before.
    func checkRequests(of life: String, since left: Left, forced: [String]) {
        var seen: Set<String> = []
        for arrival in feeds.arrivals.all where arrival.life == life {
            if !forced.contains(arrival.source), let due = left.dues[arrival.source] {
                // Stored times have whole milliseconds.
                #expect(arrival.at > due - 0.002, "\(life): \(arrival.path) before it was due")
            }
            guard arrival.path != ChangingFeeds.searchPath, seen.insert(arrival.path).inserted else { continue }
            #expect(arrival.etag == left.etags[arrival.path], "\(life): \(arrival.path)")
        }
    }
}
