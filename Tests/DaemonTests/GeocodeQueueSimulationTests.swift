import Engine
import Foundation
import Model
import Store
import Testing

@testable import Simulation

/// A batch of messages without coordinates passes through the geocode queue while polls continue: the real engine,
/// feeds, store and scheduler under simulated time.
@Suite struct GeocodeQueueSimulationTests {
    private static let start = InProcessDaemon.start
    private static let messageURL = "file:///var/spool/messages.json"
    private static let newsURL = "https://news.test/feed.xml"
    private static let quakeURL = "https://quakes.test/summary/all_day.geojson"
    /// When the batch arrives, in seconds from the start.
    private static let arrival = 10.0
    private static let latency = Duration.milliseconds(40)

    private static let messageSource = SourceSettings(
        name: "messages", kind: "twitter", url: messageURL, refreshInterval: .seconds(300), offset: .seconds(10))
    private static let newsSource = SourceSettings(
        name: "news", kind: "rss", url: newsURL, refreshInterval: .seconds(7), offset: .seconds(3))
    private static let quakeSource = SourceSettings(
        name: "quakes", kind: "usgs", url: quakeURL, refreshInterval: .seconds(30))

    /// The daemon with its upstreams: 5 000 messages whose authors live in 800 places `Villa N`, every tenth unknown to
    /// MapQuest, and news from a new town every seven seconds.
    private final class Scene {
        static let messages = 5000
        static let names = 800

        let daemon: InProcessDaemon
        let geocoding: GeocodeDriver

        /// - Parameters:
        ///   - sources: The polled sources.
        ///   - dailyQuota: The daily quota of MapQuest.
        ///   - outage: When MapQuest fails, in seconds from the start.
        init(_ sources: [SourceSettings], dailyQuota: Int, outage: Range<Double>) throws {
            let start = InProcessDaemon.start
            let site = ScriptedSite()
            site.serve(Scene.batch(newest: start - 60), at: GeocodeQueueSimulationTests.messageURL)
            let quakes = (0..<50).map { Documents.Quake(id: "us\($0)", time: start - 3600 - Double($0)) }
            site.documents[GeocodeQueueSimulationTests.quakeURL] = { order in
                Documents.usgs(quakes, generated: order.context.now)
            }
            site.documents[GeocodeQueueSimulationTests.newsURL] = { order in
                let newest = Int(clamping: order.context.now.timeIntervalSince(start)) / 7
                let items = (max(0, newest - 20)...newest).map { number -> Documents.Item in
                    let date = start.addingTimeInterval(Double(7 * number))
                    return Documents.Item(guid: "\(number)", title: "Town \(number) speaks", date: date)
                }
                return Documents.rss(items)
            }
            let plan = ProviderPlan(provider: .mapquest, gap: .milliseconds(100), dailyQuota: dailyQuota)
            let driver = GeocodeDriver(
                [plan], table: { Scene.outcome(of: $0) },
                service: { query, now in
                    Scene.reaction(to: query, isDown: outage.contains(now.wall.timeIntervalSince(start)))
                })
            geocoding = driver
            daemon = try InProcessDaemon(sources, geocoding: driver) { site.answer($0) }
        }

        /// Messages one millisecond apart, in the format of API v1.1.
        private static func batch(newest: Date) -> Data {
            let all = (0..<messages).map { number -> String in
                let id = (newest.milliseconds - Int64(number) - 1_288_834_974_657) << 22
                return """
                    {"id_str":"\(id)","text":"the ground shakes, says number \(number)","lang":"en",\
                    "user":{"screen_name":"observer\(number)","name":"Observer","location":"Villa \(number % names)"}}
                    """
            }
            return Data("[\(all.joined(separator: ","))]".utf8)
        }

        /// The outcome with a city table that knows no place.
        private static func outcome(of event: UnlocatedEvent) -> LocalOutcome {
            let text: String
            if event.category == "message" {
                guard let place = event.place else { return .unresolved(reason: "names no place") }
                text = place
            } else {
                text = event.title.replacing(" speaks", with: "")
            }
            return .ask(
                PlaceQuery(
                    text: text, folded: text.lowercased(), evidence: event.category == "message" ? .author : .title))
        }

        private static func reaction(to query: PlaceQuery, isDown: Bool) -> GeocodeDriver.Reaction {
            if isDown {
                return GeocodeDriver.Reaction(
                    reply: .failure(Failure(.network, .timeout, "no answer")), delay: .seconds(2))
            }
            let answer =
                place(query.text).map { ProviderAnswer.found($0) } ?? ProviderAnswer.missing(reason: "no match")
            return GeocodeDriver.Reaction(reply: .success(answer), delay: GeocodeQueueSimulationTests.latency)
        }

        /// The location of a place in MapQuest; nil if unknown.
        static func place(_ name: String) -> Location? {
            let words = name.split(separator: " ")
            guard let number = words.last.flatMap({ Int($0) }), words.first == "Town" || number % 10 != 0 else {
                return nil
            }
            let coordinate = Coordinate(latitude: Double(number % 80) + 0.5, longitude: Double(number % 170) + 0.25)
            return coordinate.map {
                Location($0, method: .mapquest, precision: .city, confidence: 0.8, matchedText: name)
            }
        }

        static func isKnown(_ villa: Int) -> Bool { place("Villa \(villa)") != nil }

        /// Seconds from the start to each answer, by question; more than one for a repeated question.
        var answers: [String: [Double]] {
            var answers: [String: [Double]] = [:]
            for one in geocoding.asked where one.isAnswered {
                let at = one.at.wall.timeIntervalSince(InProcessDaemon.start) + one.reaction.delay.seconds
                answers[one.query.text, default: []].append(at)
            }
            return answers
        }
    }

    // MARK: - What must hold

    /// Every event has the place of its name, or none.
    private func expectSettled(_ scene: Scene) throws {
        let daemon = scene.daemon
        let known = (0..<Scene.messages).filter { Scene.isKnown($0 % Scene.names) }.count
        #expect(try daemon.number("SELECT count(*) FROM events_v1 WHERE category = 'message'") == Scene.messages)
        #expect(
            try daemon.number("SELECT count(*) FROM events_v1 WHERE category = 'message' AND latitude IS NOT NULL")
                == known)
        let places = try daemon.rows(
            """
            SELECT DISTINCT place_text, latitude, longitude, location_method, location_precision FROM events_v1
            WHERE category = 'message' AND latitude IS NOT NULL
            """)
        #expect(places.count == (0..<Scene.names).filter { Scene.isKnown($0) }.count)
        for row in places {
            let place = Scene.place(row[0])?.coordinate
            #expect(row[1] == place.map { "\($0.latitude)" }, "\(row)")
            #expect(row[2] == place.map { "\($0.longitude)" }, "\(row)")
            #expect(row[3] == "mapquest" && row[4] == "city", "\(row)")
        }
        let pinned = try daemon.number("SELECT count(*) FROM events_v1 WHERE location_method = 'mapquest'")
        #expect(try daemon.number("SELECT count(*) FROM changes_v1 WHERE kind = 'located'") == pinned)

        // Places unknown to all services are unresolved, with the services that were asked; nothing waits.
        let unresolved = try daemon.rows(
            """
            SELECT u.state, json_extract(u.asked_json, '$[0].provider'), json_array_length(u.asked_json), count(*)
            FROM unlocated_v1 u JOIN events_v1 e USING (public_id) WHERE e.category = 'message' GROUP BY 1, 2, 3
            """)
        #expect(unresolved == [["unresolved", "mapquest", "1", "\(Scene.messages - known)"]])
    }

    /// Only one request at a time, with the gap between the starts of any two.
    private func expectPolite(_ geocoding: GeocodeDriver) {
        #expect(geocoding.overlaps == 0)
        for (one, next) in zip(geocoding.asked, geocoding.asked.dropFirst()) {
            // The store keeps whole milliseconds, and a restart knows no more.
            #expect(next.at.uptime - one.at.uptime >= .milliseconds(99), "\(one.query.text), \(next.query.text)")
        }
    }

    private func expectPunctual(_ daemon: InProcessDaemon) {
        for report in daemon.reports {
            #expect(report.started.milliseconds == report.due.milliseconds, "\(report.source)")
            #expect(report.end.failure == nil, "\(report.source)")
        }
    }

    private static func line(_ at: Date, _ source: String?) -> String { "\(at.rfc3339) \(source ?? "truncation")" }

    // MARK: - Tests

    @Test("a batch drains past an outage: each name asked once, none starving, no poll late, all settled")
    func batch() throws {
        let outage = 40.0..<100.0
        let scene = try Scene(
            [Self.messageSource, Self.newsSource, Self.quakeSource], dailyQuota: 2000, outage: outage)
        let daemon = scene.daemon
        let length = Duration.seconds(400)
        let forecast = daemon.engine.forecast(for: length, at: daemon.now).map { Self.line($0.at, $0.source) }
        try daemon.advance(length - .milliseconds(1))

        var happened = daemon.reports.map { Self.line($0.started, $0.source) }
        happened += daemon.truncations.map { Self.line($0.at, nil) }
        #expect(happened.sorted() == forecast.sorted(), "polls are where they would be without a queue")
        expectPunctual(daemon)
        try expectSettled(scene)
        expectPolite(scene.geocoding)

        let answers = scene.answers
        let villas = answers.filter { $0.key.hasPrefix("Villa") }
        #expect(villas.count == Scene.names)
        #expect(answers.values.allSatisfy { $0.count == 1 }, "answered once each")
        let failed = scene.geocoding.asked.filter { !$0.isAnswered }
        #expect((3...6).contains(failed.count), "three to open the breaker, then probes: \(failed.count)")
        #expect(failed.allSatisfy { outage.contains($0.at.wall.timeIntervalSince(Self.start)) })

        // 80 s of requests, the outage, and the longest possible wait after it (60 s and a fifth).
        let longest = villas.values.joined().map { $0 - Self.arrival }.max() ?? 0
        #expect(longest < 80 + 60 + 72 + 5, "\(longest)")
        // New events go first while the batch drains; only a taken job, their own turn, and the oldest job may precede
        // them.
        for (name, times) in answers where name.hasPrefix("Town") {
            let number = Int(name.dropFirst(5)) ?? 0
            let seen = 3.0 + 7 * Double(number)
            guard seen != Self.arrival, seen < outage.lowerBound - 1 || seen > 175 else { continue }
            #expect(times[0] - seen < 0.5, "\(name)")
        }
        #expect(scene.geocoding.notices.count == 2, "\(scene.geocoding.notices)")
        let statistics = try daemon.store.queueStatistics(at: daemon.now.wall)
        #expect(statistics.new == 0 && statistics.asked == 0 && statistics.jobs == 0, "\(statistics)")
        #expect(statistics.kept[.mapquest]?.misses == Scene.names / 10)
        let usage = try daemon.store.providerUsage(at: daemon.now.wall)[.mapquest]
        #expect(usage?.today == scene.geocoding.asked.count)
        #expect(usage?.thisMonth == scene.geocoding.asked.count)
    }

    @Test("deaths at any point lose no event and cost at most one request each")
    func deaths() throws {
        let scene = try Scene(
            [Self.messageSource, Self.newsSource, Self.quakeSource], dailyQuota: 2000, outage: 40..<100)
        let daemon = scene.daemon
        let lifetimes = [20, 31, 44, 7, 97, 180, 333, 512, 247, 401, 603, 88]
        for lifetime in lifetimes {
            daemon.lifetime = lifetime
            try daemon.advance(.seconds(600))
            try #require(daemon.isDead)
            try daemon.restart()
        }
        try daemon.advance(.seconds(1200))
        expectPunctual(daemon)
        try expectSettled(scene)
        expectPolite(scene.geocoding)
        let answers = scene.answers
        let repeated = answers.values.map { $0.count - 1 }.reduce(0, +)
        #expect(repeated <= lifetimes.count, "only an answer that was not stored yet is asked for again")
        // Reserved requests may not have been sent, but sent ones were reserved.
        let usage = try daemon.store.providerUsage(at: daemon.now.wall)[.mapquest]
        let reserved = usage?.today ?? 0
        let sent = scene.geocoding.asked.count
        #expect(reserved >= sent && reserved <= sent + lifetimes.count)
    }

    @Test("a reload that concerns places replaces the scheduler: nothing is lost, and the gap is kept")
    func relocation() throws {
        let scene = try Scene([Self.messageSource, Self.newsSource], dailyQuota: 2000, outage: 0..<0)
        let daemon = scene.daemon
        try daemon.advance(.seconds(30))
        let before = scene.geocoding.asked.count
        var news = Self.newsSource
        news.home = PlaceContext(country: "PE")
        try daemon.reload([Self.messageSource, news])
        #expect(daemon.reloads.map(\.changed) == [["news"]])
        try daemon.advance(.seconds(370))
        #expect(before > 100 && scene.geocoding.asked.count > before)
        try expectSettled(scene)
        expectPolite(scene.geocoding)
        let repeated = scene.answers.values.map { $0.count - 1 }.reduce(0, +)
        #expect(repeated <= 1, "only the request under way is made again")
    }

    @Test("a day's quota is never passed, restarts included, and the rest is asked on the next days")
    func quota() throws {
        var source = Self.messageSource
        source.refreshInterval = .seconds(7 * 86_400)
        // One source has half of it.
        let scene = try Scene([source], dailyQuota: 600, outage: 0..<0)
        let daemon = scene.daemon
        try daemon.advance(.seconds(25))
        try daemon.restart()
        try daemon.advance(.seconds(86_400))
        try daemon.restart()
        try daemon.advance(.seconds(86_400 + 3600))
        var days: [Int64: Int] = [:]
        for one in scene.geocoding.asked { days[one.at.wall.milliseconds / 86_400_000, default: 0] += 1 }
        #expect(days.count == 3)
        #expect(days.values.allSatisfy { $0 <= 300 }, "\(days)")
        try expectSettled(scene)
        expectPolite(scene.geocoding)
        expectPunctual(daemon)
        let repeated = scene.answers.values.map { $0.count - 1 }.reduce(0, +)
        #expect(repeated <= 2, "only what was under way at a restart is asked for again")
    }
}
