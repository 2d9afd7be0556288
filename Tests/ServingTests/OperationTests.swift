import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

/// `/status`, `/health` and `/metrics`.
@Suite struct OperationTests {
    /// A record whose three sources were polled at `start` and are due five minutes later.
    private func polled() throws -> TestAPI {
        let test = try TestAPI.filled()
        for name in ["quakes", "news", "tweets"] { try end(test, name, at: start, dueIn: 300) }
        return test
    }

    private func end(
        _ test: TestAPI, _ source: String, at: Date, dueIn seconds: Double, failure: Failure? = nil,
        because reason: DueReason = .interval
    ) throws {
        let due = at + seconds
        let end = PollEnd(failure: failure, nextDue: due, dueReason: reason, failures: failure == nil ? 0 : 1)
        _ = try test.store.write([
            .begin(PollBeginning(source: source, at: at, nextDue: due, fingerprint: "f1")),
            .step(PollStep(source: source, at: at, fingerprint: "f1", end: end)),
        ])
    }

    private func health(_ test: TestAPI, now: Date) throws -> (status: Int, body: [String: Any]) {
        let answer = test.get("/health", now: now)
        let object = try JSONSerialization.jsonObject(with: Data(try test.text(answer).utf8))
        return (answer.status, try #require(object as? [String: Any]))
    }

    /// The level of a check; of `source` the worst.
    private func level(_ check: String, _ body: [String: Any]) -> String? {
        let checks = body["checks"] as? [[String: Any]] ?? []
        return checks.first { $0["check"] as? String == check }?["status"] as? String
    }

    private func lines(_ test: TestAPI, now: Date = start) throws -> [String] {
        let answer = test.get("/metrics", now: now)
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        return try test.text(answer).split(separator: "\n").map { String($0) }
    }

    // MARK: - Status

    @Test func theStatusIsThatOfTheDatabase() throws {
        let test = try polled()
        let failure = Failure(.server, "http_503", "example.org refused it", status: 503)
        try end(test, "news", at: start + 60, dueIn: 120, failure: failure, because: .backOff)
        let change = Int(try test.store.lastChange())
        let schema = try test.store.statistics().schemaVersion
        let status = try test.json("/status")
        #expect(status["version"] as? String == "1.0")
        #expect(status["last_poll"] as? String == "2026-03-01T00:01:00.000Z")
        #expect(status["newest_event"] as? String == "2026-02-28T23:00:00.000Z")
        #expect(status["change_seq"] as? Int == change)
        #expect(status["schema_version"] as? Int == schema)
        #expect(status["events"] as? Int == 7)
        #expect(status["geocode_queue"] as? Int == 3)
        #expect((status["locating"] as? [String: Any])?["new"] as? Int == 3)
        let sources = try #require(status["sources"] as? [[String: Any]])
        #expect(sources.map { $0["name"] as? String } == ["news", "quakes", "tweets"])
        let news = try #require(sources.first)
        #expect(news["failures"] as? Int == 1)
        #expect(news["last_failure"] as? String == "example.org refused it")
        #expect(news["next_due"] as? String == "2026-03-01T00:03:00.000Z")
        #expect(news["due_reason"] as? String == "back-off")
        #expect(news["last_success"] as? String == "2026-03-01T00:00:00.000Z")
    }

    @Test func whetherTheRecordIsKeptUpIsToldToTheMap() throws {
        let test = try polled()
        // The waits are five minutes, so a daemon may be away as long.
        for (path, key) in [("/status", "upkeep"), ("/page/upkeep", nil)] as [(String, String?)] {
            func upkeep(_ now: Date) throws -> [String: Any] {
                let answer = try test.json(path, now: now)
                guard let key else { return answer }
                return try #require(answer[key] as? [String: Any])
            }
            let live = try upkeep(start + 299)
            #expect(live["state"] as? String == "live")
            #expect(live["last_poll"] as? String == "2026-03-01T00:00:00.000Z")
            #expect((live["late"] as? [Any])?.isEmpty == true)
            let stopped = try upkeep(start + 301)
            #expect(stopped["state"] as? String == "stopped")
            #expect(stopped["reason"] as? String == "no_daemon")
            #expect(stopped["since"] as? String == "2026-03-01T00:00:00.000Z")
        }
        let failure = Failure(.server, "http_503", "example.org refused it", status: 503)
        try end(test, "news", at: start + 60, dueIn: 120, failure: failure, because: .backOff)
        let late = try test.json("/page/upkeep", now: start + 100)
        #expect(late["state"] as? String == "late")
        #expect(late["since"] as? String == "2026-03-01T00:01:00.000Z")
        let sources = try #require(late["late"] as? [[String: String]])
        #expect(sources == [["name": "news", "state": "failing", "since": "2026-03-01T00:01:00.000Z"]])
        // A proxy that hides /status lets this through.
        let answer = test.get("/page/upkeep", now: start + 100)
        #expect(try !test.text(answer).contains("refused it"))
        #expect(answer.header("cache-control") == "no-store" && answer.header("etag") == nil)
        #expect(test.get("/page/upkeep", "x=1").status == 400)
    }

    /// It is open to whoever may read the record, so no folder of the machine is named.
    @Test func noPathOfTheDatabaseIsTold() throws {
        let test = try polled()
        for path in ["/status", "/health", "/metrics"] {
            let text = try test.text(test.get(path))
            #expect(!text.isEmpty && !text.contains(test.directory.path), "\(path)")
        }
    }

    @Test func noCacheKeepsThem() throws {
        let test = try polled()
        for path in ["/status", "/health", "/metrics"] {
            let answer = test.get(path)
            #expect(answer.status == 200, "\(path)")
            #expect(answer.header("etag") == nil)
            #expect(answer.header("cache-control") == "no-store")
            #expect(test.get(path, headers: ["if-none-match": "*"]).status == 200)
            #expect(test.get(path + "/more").status == 404)
        }
    }

    // MARK: - Health

    @Test func pollsThatDoNotBeginAreAFailure() throws {
        let test = try polled()
        // The wait was five minutes, so the tolerance is a quarter of an hour.
        let well = try health(test, now: start + 1200)
        #expect(well.status == 200)
        #expect(well.body["status"] as? String == "ok")
        let late = try health(test, now: start + 1201)
        #expect(late.status == 503)
        #expect(late.body["status"] as? String == "failed")
        #expect(level("daemon", late.body) == "failed")
        #expect(level("source", late.body) == "warning")
        #expect(level("database", late.body) == "ok")
    }

    @Test func aSourceWithALongIntervalHidesNoStop() throws {
        let test = try polled()
        try end(test, "news", at: start + 60, dueIn: 604_800)
        let late = try health(test, now: start + 1201)
        #expect(late.status == 503)
    }

    @Test func oneSourceThatIsNotPolledIsAWarning() throws {
        let test = try polled()
        for name in ["news", "tweets"] { try end(test, name, at: start + 1100, dueIn: 300) }
        let late = try health(test, now: start + 1201)
        #expect(late.status == 200)
        #expect(late.body["status"] as? String == "warning")
        #expect(level("daemon", late.body) == "ok")
    }

    @Test func aServerThatAskedForAPauseIsNoStop() throws {
        let test = try polled()
        try end(test, "quakes", at: start, dueIn: 86_400, because: .retryAfter)
        let held = try health(test, now: start + 1201)
        #expect(held.status == 200)
        #expect(level("daemon", held.body) == "warning")
    }

    @Test func aFailingSourceIsAWarningAfterAQuarterOfAnHour() throws {
        let test = try polled()
        let failure = Failure(.network, "timeout", "no answer")
        for minute in 1...15 {
            for name in ["quakes", "news", "tweets"] {
                let isFailing = name == "quakes"
                try end(
                    test, name, at: start + Double(minute) * 60, dueIn: 60, failure: isFailing ? failure : nil,
                    because: isFailing ? .backOff : .interval)
            }
        }
        // The first failure was at the first minute.
        let well = try health(test, now: start + 960)
        #expect(well.body["status"] as? String == "ok")
        let late = try health(test, now: start + 961)
        #expect(late.status == 200)
        #expect(level("source", late.body) == "warning")
    }

    // MARK: - Metrics

    @Test func metricsAreThoseOfTheDatabase() throws {
        let test = try polled()
        let lines = try lines(test)
        for line in [
            "visiventd_build_info{version=\"1.0\"} 1", "visiventd_events{category=\"earthquake\"} 4",
            "visiventd_changes_total 7", "visiventd_check_status{check=\"daemon\"} 0",
            "visiventd_source_failures{source=\"quakes\"} 0",
            "visiventd_source_last_success_timestamp_seconds{source=\"quakes\"} 1772323200",
            "visiventd_source_last_attempt_timestamp_seconds{source=\"quakes\"} 1772323200",
            "visiventd_source_next_poll_timestamp_seconds{source=\"quakes\"} 1772323500",
            "visiventd_source_polls_total{source=\"news\"} 1", "visiventd_geocode_new_events 3",
            "visiventd_geocode_waiting_questions 0", "# TYPE visiventd_events gauge",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // What only the daemon or its configuration tells is left out.
        #expect(!lines.contains { $0.hasPrefix("visiventd_up") || $0.hasPrefix("visiventd_disk") })
        #expect(lines.contains { $0.hasPrefix("visiventd_database_size_bytes ") })
        let late = try self.lines(test, now: start + 1201)
        #expect(late.contains("visiventd_check_status{check=\"daemon\"} 2"))
    }
}
