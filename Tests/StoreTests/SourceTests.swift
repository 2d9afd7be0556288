import Foundation
import Model
import Testing

@testable import Store

@Suite struct SourceTests {
    private func begin(_ test: TestStore, fingerprint: String = "f1", at: Date = start) throws -> SourceRecord {
        let beginning = PollBeginning(source: "quakes", at: at, nextDue: at + 300, fingerprint: fingerprint)
        guard case .begun(let record)? = try test.store.write([.begin(beginning)]).first else {
            throw StoreError(.other, "no result of a beginning")
        }
        return record
    }

    private func source(_ test: TestStore, _ name: String = "quakes") throws -> SourceRecord {
        try #require(try test.store.sources().first { $0.name == name })
    }

    @Test func attemptIsStoredAndTheStateBeforeItReturned() throws {
        let test = try TestStore()
        #expect(try begin(test).lastAttempt == nil)
        let record = try begin(test, at: start + 60)
        #expect(record.lastAttempt == start)
        #expect(record.nextDue == start + 300)
        #expect(try source(test).lastAttempt == start + 60)
        #expect(try test.value("SELECT attempts FROM sources_v1 WHERE name = 'quakes'") == "2")
    }

    @Test func whatIsStoredIsCounted() throws {
        let test = try TestStore()
        _ = try begin(test)
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([quake("us2")], from: "more")
        try test.poll([article("a", title: "Ash")], from: "news")
        let counters = try test.store.counters()
        #expect(counters.events == ["earthquake": 2, "news": 1])
        #expect(counters.shown == ["quakes": 2, "more": 1, "news": 1])
        #expect(counters.polls == ["quakes": 1, "more": 0, "news": 0])
        #expect(counters.failedPolls["quakes"] == 0)
        let last = try test.store.lastChange()
        #expect(counters.changes == last)
    }

    @Test func whatPollsCostAddsUpUntilAReset() throws {
        let test = try TestStore()
        func end(_ failure: Failure?, _ duration: Duration, bytes: Int) throws {
            var end = PollEnd(
                failure: failure, nextDue: start + 300, dueReason: .interval, failures: failure == nil ? 0 : 1)
            (end.duration, end.bytes) = (duration, bytes)
            try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", end: end))
        }
        try end(nil, .milliseconds(1500), bytes: 1 << 40)
        try end(Failure(.network, .timeout, "nobody answers"), .seconds(10), bytes: 0)
        try end(Failure(.feed, .tooLarge, "more than 64 MiB"), .milliseconds(1), bytes: 64 << 20)
        var counters = try test.store.counters()
        #expect(counters.failedPolls["quakes"] == 2)
        #expect(counters.pollTime["quakes"] == .milliseconds(11_501))
        #expect(counters.receivedBytes["quakes"] == 1 << 40 + 64 << 20)
        #expect(counters.receivedBytes["news"] == 0)
        _ = try test.store.reset(source: "quakes", includingEvents: false, at: start)
        counters = try test.store.counters()
        #expect(counters.failedPolls["quakes"] == 0 && counters.receivedBytes["quakes"] == 0)
        #expect(counters.pollTime["quakes"] == .zero)
    }

    @Test func aRemarkStaysUntilAnotherPollHasReadADocument() throws {
        let test = try TestStore()
        func end(_ remark: String?) throws {
            var end = PollEnd(failure: nil, nextDue: start + 300, dueReason: .interval, failures: 0)
            end.remark = remark
            try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", end: end))
        }
        try end("network_link 1")
        try end(nil)
        #expect(try source(test).remark == "network_link 1")
        #expect(try begin(test).remark == "network_link 1")
        #expect(try source(test, "more").remark == nil)
        try end("")
        #expect(try source(test).remark == nil)
        try end("bad_xml 2")
        _ = try test.store.reset(source: "quakes", includingEvents: false, at: start)
        #expect(try source(test).remark == nil)
    }

    @Test func eachSourceHasItsOwnFigures() throws {
        let test = try TestStore()
        try test.store.maintain { connection in
            try connection.execute(
                """
                INSERT INTO spend (source_id, month, reads)
                  SELECT id, '2026-01', 7 FROM source WHERE name = 'quakes' UNION ALL
                  SELECT id, '2026-02', 3 FROM source WHERE name = 'quakes' UNION ALL
                  SELECT id, '2025-12', 9 FROM source WHERE name = 'more';
                INSERT INTO refusal (source_id, reason, items)
                  SELECT id, 'too_old', 2 FROM source WHERE name = 'quakes' UNION ALL
                  SELECT id, 'too_old', 5 FROM source WHERE name = 'news' UNION ALL
                  SELECT id, 'filter', 1 FROM source WHERE name = 'news';
                INSERT INTO unproved_claim (source_id, provider, items, at_ms)
                  SELECT id, 'gvp', 4, 0 FROM source WHERE name = 'more';
                INSERT INTO meta (key, value) VALUES ('remark news', 'bad_xml 1');
                """)
        }
        try test.poll([quake("us1")])
        let sources = try test.store.sources()
        #expect(sources.map(\.name) == ["more", "news", "quakes"])
        #expect(sources.map(\.paidReads) == [9, 0, 3], "those of the last month")
        #expect(sources.map(\.refused) == [[:], ["too_old": 5, "filter": 1], ["too_old": 2]])
        #expect(sources.map { $0.unproved.mapValues(\.items) } == [["gvp": 4], [:], [:]])
        #expect(sources.map(\.remark) == [nil, "bad_xml 1", nil])
        #expect(sources.map(\.use.total.rows) == [0, 0, 1])
    }

    @Test func validatorsBelongToURLAndFingerprint() throws {
        let test = try TestStore()
        let (one, two) = ("https://example.org/1?key=a", "https://example.org/2")
        let tag = Validators(etag: #"W/"x""#, lastModified: "Sun, 01 Mar 2026 00:00:00 GMT")
        try test.step(
            PollStep(
                source: "quakes", at: start, fingerprint: "f1", validators: [one: tag, two: Validators(etag: "2")]))
        #expect(try begin(test).validators == [one: tag, two: Validators(etag: "2")])
        #expect(try begin(test, fingerprint: "f2").validators.isEmpty)
        try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", validators: [one: Validators()]))
        #expect(try begin(test).validators == [two: Validators(etag: "2")])
    }

    @Test("Validators of other settings take no room from those that a poll gets")
    func validatorsOfOtherSettings() throws {
        let test = try TestStore()
        let tag = Validators(etag: "x")
        let others = (0..<1000).map { ("https://example.org/\($0)", tag) }
        for (fingerprint, validators) in [("f1", [("https://example.org/old", tag)]), ("f2", others)] {
            try test.step(
                PollStep(
                    source: "quakes", at: start + (fingerprint == "f1" ? 0 : 60), fingerprint: fingerprint,
                    validators: Dictionary(uniqueKeysWithValues: validators)))
        }
        #expect(try begin(test).validators == ["https://example.org/old": tag])
    }

    @Test func stateAndWorkSurviveReopening() throws {
        let test = try TestStore()
        let work = WorkList(
            pending: [.init(request: FeedRequest(url: "https://example.org/d", role: "document"), chain: 0, tries: 2)],
            chains: [.init(validators: ["u": Validators(etag: "1")], state: FeedState(["since_id": "7"]))])
        try test.step(
            PollStep(source: "quakes", at: start, fingerprint: "f1", state: FeedState(["since_id": "5"]), work: work))
        try test.store.close()
        let again = try EventStore(path: test.path)
        let record = try #require(try again.sources().first { $0.name == "quakes" })
        #expect(record.state == FeedState(["since_id": "5"]))
        #expect(record.work == work)
        _ = try again.write([.step(PollStep(source: "quakes", at: start, fingerprint: "f1"))])
        let after = try #require(try again.sources().first { $0.name == "quakes" })
        #expect(after.state == FeedState(["since_id": "5"]))
        #expect(after.work == nil)
    }

    @Test func failuresAreCountedAndClearedBySuccess() throws {
        let test = try TestStore()
        func end(_ failure: Failure?, _ failures: Int, _ minute: Double) throws -> SourceRecord {
            let end = PollEnd(
                failure: failure, partialFailures: failure == nil ? ["topic b: http_500"] : [],
                nextDue: start + minute * 60 + 300, dueReason: failure == nil ? .interval : .backOff,
                failures: failures, requestedInterval: .seconds(60))
            try test.step(PollStep(source: "quakes", at: start + minute * 60, fingerprint: "f1", end: end))
            return try source(test)
        }
        let failure = Failure(.server, "http_500", "The server failed", status: 500, excerpt: Data("body".utf8))
        _ = try end(failure, 1, 1)
        let failing = try end(failure, 2, 2)
        #expect(failing.failures == 2)
        #expect(failing.failingSince == start + 60)
        #expect(failing.lastFailure?.code == "http_500")
        #expect(failing.lastFailure?.excerpt == nil)
        #expect(failing.lastSuccess == nil)
        #expect(failing.dueReason == .backOff)
        let recovered = try end(nil, 0, 3)
        #expect(recovered.failures == 0)
        #expect(recovered.failingSince == nil)
        #expect(recovered.lastSuccess == start + 180)
        #expect(recovered.lastFailureAt == start + 120)
        #expect(recovered.partialFailures == ["topic b: http_500"])
        #expect(recovered.nextDue == start + 480)
        #expect(recovered.requestedInterval == .seconds(60))
    }

    @Test func partsThatBringNothingStayUntilAPollSaysOtherwise() throws {
        let test = try TestStore()
        func stored(_ shortfalls: [Shortfall]?) throws -> [Shortfall] {
            var end = PollEnd(failure: nil, nextDue: start + 300, dueReason: .interval, failures: 0)
            end.shortfalls = shortfalls
            try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", end: end))
            return try source(test).shortfalls
        }
        var part = Shortfall(part: "topic x", since: start - 60.5, words: "x: a.test answered 404")
        part.isTold = true
        #expect(try stored([part]) == [part])
        #expect(try stored(nil) == [part], "as after a failure")
        #expect(try stored([]) == [])
    }

    @Test func reservationsStopAtTheMonthlyCap() throws {
        let test = try TestStore()
        func reserve(_ reads: Int, at: Date = start) throws -> Bool {
            let reservation = Reservation(source: "quakes", at: at, reads: reads, monthlyCap: 100)
            guard case .reserved(let grant)? = try test.store.write([.reserve(reservation)]).first else {
                return false
            }
            return grant == .granted
        }
        #expect(try reserve(60))
        #expect(try !reserve(41))
        #expect(try reserve(40))
        #expect(try !reserve(1))
        #expect(try begin(test).paidReads == 100)
        let settlement = PollStep.Settlement(reserved: 40, used: 10)
        try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", settlement: settlement))
        #expect(try source(test).paidReads == 70)
        #expect(try reserve(30))
        #expect(try reserve(100, at: start + 32 * 86_400))
        #expect(try begin(test, at: start + 32 * 86_400).paidReads == 100)
    }

    @Test func readsThatAreGivenBackChangeNothingElse() throws {
        let test = try TestStore()
        let work = WorkList(
            pending: [.init(request: FeedRequest(url: "https://example.org/2", role: "page", cost: 60), chain: 0)],
            chains: [.init()])
        try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", work: work))
        var reservation = Reservation(source: "quakes", at: start, reads: 60, monthlyCap: 100)
        _ = try test.store.write([.reserve(reservation)])
        let before = try source(test)
        reservation.reads = 40
        _ = try test.store.write([.giveBack(reservation)])
        var after = try source(test)
        #expect(before.paidReads == 60 && after.paidReads == 20)
        after.paidReads = 60
        #expect(after == before && after.work == work)
    }

    @Test func durableCommitsLeaveNormalOnesNormal() throws {
        let test = try TestStore()
        let reservation = Reservation(source: "quakes", at: start, reads: 1, monthlyCap: 100)
        _ = try test.store.write([.reserve(reservation)])
        var mode: Int64?
        try test.store.maintain { mode = try $0.firstInt64("PRAGMA synchronous") }
        #expect(mode == 1)
    }

    @Test func pausesOfHostsAreStoredWithAStep() throws {
        let test = try TestStore()
        #expect(try test.store.documentPauses().isEmpty)
        var step = PollStep(source: "news", at: start, fingerprint: "f1")
        step.documentPauses = ["a.test": start.addingTimeInterval(60), "b.test": start]
        try test.step(step)
        step.documentPauses = nil
        try test.step(step)
        #expect(try test.store.documentPauses() == ["a.test": start.addingTimeInterval(60), "b.test": start])
        step.documentPauses = ["c.test": start]
        try test.step(step)
        #expect(try test.store.documentPauses() == ["c.test": start])
    }

    @Test func unconfiguredSourcesStayDisabledWithTheirState() throws {
        let test = try TestStore()
        try test.step(PollStep(source: "news", at: start, fingerprint: "f1", state: FeedState(["a": "b"])))
        try test.store.reconcile([TestStore.sources[0]], at: start)
        let news = try source(test, "news")
        #expect(!news.isEnabled)
        #expect(news.maxAge == .seconds(240 * 3600))
        #expect(news.state == FeedState(["a": "b"]))
        try test.store.reconcile(TestStore.sources, at: start)
        #expect(try source(test, "news").isEnabled)
    }

    @Test func aStreamThatWasOpenIsSoNoMoreAfterAStart() throws {
        let test = try TestStore()
        _ = try begin(test)
        for reason in [DueReason.stream, .interval, .unknown("moon")] {
            let end = PollEnd(failure: nil, nextDue: start + 3600, dueReason: reason, failures: 0)
            try test.step(PollStep(source: "quakes", at: start, fingerprint: "f1", end: end))
            try test.store.reconcile(TestStore.sources, at: start + 10)
            let record = try source(test)
            #expect(record.dueReason == (reason == .stream ? DueReason.reconnect : reason))
            #expect(record.nextDue == (reason == .stream ? nil : start + 3600))
            #expect(record.lastAttempt == start && record.lastSuccess == start)
        }
    }

    @Test func redirectIsShownUntilTheURLChanges() throws {
        let test = try TestStore()
        let moved = PollStep.Moved(from: "https://example.org/news", to: "https://example.com/news")
        try test.step(PollStep(source: "news", at: start, fingerprint: "f1", moved: moved))
        try test.store.reconcile(TestStore.sources, at: start)
        #expect(try source(test, "news").movedTo == "https://example.com/news")
        var sources = TestStore.sources
        sources[2].url = "https://example.com/news"
        try test.store.reconcile(sources, at: start)
        #expect(try source(test, "news").movedTo == nil)
    }

    @Test func resetForgetsStateAndOnRequestEvents() throws {
        let test = try TestStore()
        try test.snapshot([quake("us1"), quake("us2")], minute: 1)
        try test.poll([quake("us2")], from: "more")
        let tags = ["u": Validators(etag: "1")]
        var end = PollEnd(failure: nil, nextDue: start + 300, dueReason: .interval, failures: 0)
        end.shortfalls = [Shortfall(part: "documents", since: start, words: "a.test answered 503")]
        try test.step(
            PollStep(
                source: "quakes", at: start, fingerprint: "f1", validators: tags, state: FeedState(["a": "b"]), end: end
            ))
        #expect(try test.store.reset(source: "quakes", includingEvents: false, at: start) == 0)
        #expect(try begin(test).validators.isEmpty)
        #expect(try source(test).state == FeedState())
        #expect(try source(test).shortfalls == [])
        #expect(try source(test).lastNew != nil, "the events stay")
        #expect(try test.value("SELECT count(*) FROM events_v1") == "2")
        #expect(try !test.snapshot([quake("us1"), quake("us2")], minute: 1).wasStale)
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start) == 1)
        #expect(try source(test).lastNew == nil)
        #expect(try test.rows("SELECT upstream_id FROM events_v1") == [["us2"]])
        #expect(try test.rows("SELECT source FROM event_sources_v1") == [["more"]])
        let unknown = storeErrorCode { _ = try test.store.reset(source: "nobody", includingEvents: true, at: start) }
        #expect(unknown == .unknownSource)
    }

    @Test func aResetGoesInShortTransactionsBetweenWhichOthersWrite() throws {
        let test = try TestStore()
        try test.poll((0..<250).map { quake("us\($0)") })
        let clock = TickingClock(tick: .milliseconds(1))
        var reset = SourceReset(of: "quakes", includingEvents: true, at: start)
        var left: [Int] = []
        var kept: String?
        while !reset.isComplete {
            try reset.step(in: test.store, timing: clock.stopwatch)
            left.append(try test.store.statistics().events)
            // Another source lists one of the remaining events.
            if left.count == 3 {
                let id = try #require(try test.value("SELECT upstream_id FROM events_v1 LIMIT 1"))
                try test.poll([quake(id)], from: "more")
                kept = id
            }
        }
        #expect(left.first == 250, "the state goes first")
        #expect(left.count >= 8, "250 rows of a millisecond each are at least seven transactions of 40 ms")
        #expect(zip(left, left.dropFirst()).allSatisfy { $0.0 - $0.1 <= 40 })
        #expect(clock.rests.allSatisfy { $0 > .zero && $0 <= TruncationPace.target })
        #expect(reset.removed == 249)
        #expect(try test.rows("SELECT upstream_id FROM events_v1") == [[kept ?? ""]])
        #expect(try test.value("SELECT count(*) FROM changes_v1 WHERE kind = 'truncated'") == "249")
    }

    @Test func aResetThatEndsInTheMiddleLeavesASourceThatAsksForEverything() throws {
        let test = try TestStore()
        let quakes = (0..<120).map { quake("us\($0)") }
        let tags = ["u": Validators(etag: "1")]
        try test.poll(quakes)
        try test.step(
            PollStep(source: "quakes", at: start, fingerprint: "f1", validators: tags, state: FeedState(["a": "b"])))
        var reset = SourceReset(of: "quakes", includingEvents: true, at: start)
        for _ in 0..<2 { try reset.step(in: test.store, timing: .still) }
        #expect(!reset.isComplete)
        #expect(reset.removed == 50)
        #expect(try begin(test).validators.isEmpty, "what has gone would not come back otherwise")
        #expect(try source(test).state == FeedState())
        #expect(try test.poll(quakes).new == 50)
        #expect(try test.store.statistics().events == 120)
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start) == 120)
    }

    @Test func lastFailedBodyIsKeptBoundedAndWithoutQuery() throws {
        let test = try TestStore()
        let failure = Failure(.feed, "not_json", "The body is no JSON", excerpt: Data("x".utf8))
        let body = Data(repeating: 65, count: 100_000)
        for url in ["https://example.org/1", "https://example.org/2?key=secret"] {
            try test.store.keepFailedBody(source: "quakes", url: url, at: start, failure: failure, body: body)
        }
        let kept = try #require(try test.store.failedBody(source: "quakes"))
        #expect(kept.url == "https://example.org/2")
        #expect(kept.at == start)
        #expect(kept.failure.code == "not_json")
        #expect(kept.body == body.prefix(65_536))
        #expect(try test.store.failedBody(source: "news") == nil)
    }

    @Test func factsAreKeptReplacedAndRemoved() throws {
        let test = try TestStore()
        #expect(try test.store.lastTrustedTime() == nil)
        for time in [start, start + 1, nil] {
            try test.store.transaction { try $0.connection.set(Meta.lastTrustedTime, to: time) }
            #expect(try test.store.lastTrustedTime() == time)
        }
    }

    @Test("The form of facts in the table, which files of earlier versions have")
    func formOfFacts() throws {
        let test = try TestStore()
        try test.store.transaction { writer in
            try writer.connection.set(Meta.lastTrustedTime, to: start)
            try writer.connection.set(Meta.oldestChange, to: 7)
            try writer.connection.set(Meta.fullText, to: false)
            try writer.connection.set(Meta.erasure, to: .begun)
            try writer.connection.set(Meta.emptied("quakes"), to: (1, 2))
            try writer.connection.set(Meta.renewed, to: ["b": start, "a": start])
        }
        try test.store.setTrouble("no key", of: .nominatim)
        let milliseconds = "\(start.milliseconds)"
        let rows = try test.rows(
            "SELECT key, value FROM meta WHERE key NOT IN ('numbered_since', 'reconciled') ORDER BY key")
        #expect(
            rows == [
                ["emptied quakes", "1 2"], ["erasure_pending", "2"], ["full_text", "0"],
                ["last_sound_time", milliseconds], ["oldest_change", "7"],
                ["renewed", #"{"a":\#(milliseconds),"b":\#(milliseconds)}"#], ["trouble_nominatim", "no key"],
            ])
    }

    @Test func arrivalsCountFirstSightsOfOneSource() throws {
        let test = try TestStore()
        try test.poll([quake("a"), quake("b")])
        try test.poll([quake("a"), quake("c")], at: start + 60)
        try test.poll([quake("d")], from: "more", at: start + 60)
        #expect(try test.store.arrivals(of: "quakes", since: start) == 3)
        #expect(try test.store.arrivals(of: "quakes", since: start + 1) == 1)
        #expect(try test.store.arrivals(of: "nobody", since: start) == 0)
    }
}
