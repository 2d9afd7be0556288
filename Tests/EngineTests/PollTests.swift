import Foundation
import Model
import Testing

@testable import Engine

@Suite struct PollTests {
    private let down = Failure(.network, .timeout, "no answer")

    @Test func sourcesThatFailTogetherRetryApartAndRecover() {
        let names = (0..<8).map { "s\($0)" }
        let harness = EngineHarness(names.map { EngineHarness.source($0) })
        harness.run(.seconds(1)) { .failed($0.id, self.down, FetchFacts()) }
        #expect(harness.reports.map(\.end.failures) == Array(repeating: 1, count: 8))
        let dues = Set(harness.reports.map(\.end.nextDue))
        #expect(dues.count == 8, "each source has its own back-off")
        #expect(dues.allSatisfy { (48...72).contains($0.timeIntervalSince(EngineHarness.start)) })
        harness.run(.seconds(80)) { .empty($0) }
        #expect(harness.reports.count == 16)
        #expect(harness.reports.suffix(8).allSatisfy { $0.end.failure == nil && $0.recoveredAfter != nil })
    }

    @Test(arguments: [false, true]) func theStoredEndHasTheTimeAndTheBytesOfThePoll(isFailure: Bool) throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.seconds(1))
        let order = try #require(harness.takeOrder())
        harness.advance(.seconds(7))
        let facts = FetchFacts(bytes: 512)
        harness.give(isFailure ? .failed(order.id, down, facts) : .answered(order.id, FeedAnswer(), facts))
        let end = try #require(harness.steps.last?.end)
        #expect(end.bytes == 512)
        #expect(end.duration >= .seconds(7))
        #expect(end.duration == harness.reports.last?.duration)
    }

    @Test func retryAfterIsObeyedByAllSourcesOfTheHost() {
        let sources = [
            EngineHarness.source("a", url: "https://same.test/a", every: .seconds(60)),
            EngineHarness.source("b", url: "https://same.test/b", every: .seconds(60), offset: .seconds(10)),
            EngineHarness.source("c", every: .seconds(60)),
        ]
        let harness = EngineHarness(sources)
        harness.run(.seconds(400)) { order in
            order.url.hasSuffix("/a") && harness.elapsed < .seconds(5)
                ? .failed(
                    order.id,
                    Failure(
                        .server, "http_429", "", status: 429, retryAfter: EngineHarness.start.addingTimeInterval(300)),
                    FetchFacts()) : .empty(order)
        }
        let polite = harness.sent.filter { $0.url.contains("same.test") }.map(\.at)
        #expect(polite.first == .zero)
        #expect(polite.dropFirst().first == .seconds(300))
        #expect(harness.sent.filter { $0.url.contains("c.test") }.count == 7, "another host is not concerned")
    }

    @Test func sourcesThatTheirHostHoldsBackAreKnown() {
        let harness = EngineHarness([
            EngineHarness.source("a", url: "https://same.test/a"),
            EngineHarness.source("b", url: "https://same.test/b", offset: .seconds(10)),
            EngineHarness.source("late", url: "https://same.test/late", offset: .seconds(900)),
            EngineHarness.source("c", offset: .seconds(10)),
        ])
        let start = harness.now.uptime
        let busy = Failure(
            .server, "http_429", "", status: 429, retryAfter: EngineHarness.start.addingTimeInterval(600))
        harness.run(.seconds(5)) { .failed($0.id, busy, FetchFacts()) }
        let pauses = harness.engine.hostPauses(at: harness.now)
        #expect(pauses.map { $0.source } == ["a", "b"])
        #expect(pauses.allSatisfy { $0.until == start + .seconds(600) })
        harness.run(.seconds(10)) { .empty($0) }
        #expect(harness.engine.hostPauses(at: harness.now).map { $0.source } == ["a", "b"], "b was due meanwhile")
        harness.run(.seconds(620)) { .empty($0) }
        #expect(harness.engine.hostPauses(at: harness.now).isEmpty)
    }

    @Test func aSourceThatWaitsForItsHostHasNotFailed() throws {
        let harness = EngineHarness([
            EngineHarness.source("a", url: "https://same.test/a"),
            EngineHarness.source("b", url: "https://same.test/b"),
            EngineHarness.source("late", url: "https://same.test/late", offset: .seconds(900)),
            EngineHarness.source("moved", url: "https://moved.test/", offset: .seconds(10)),
        ])
        let until = EngineHarness.start.addingTimeInterval(600)
        let busy = Failure(.server, "http_429", "", status: 429, retryAfter: until)
        harness.run(.seconds(20)) { order in
            guard order.url == "https://moved.test/" else { return .failed(order.id, busy, FetchFacts()) }
            return .redirected(order.id, to: "https://same.test/moved", isPermanent: false, FetchFacts())
        }
        harness.give(.poll(source: "late"))
        #expect(harness.abandoned == ["b", "moved", "late"])
        #expect(harness.refusals == ["host_waiting", "host_waiting", "host_waiting"])
        #expect(harness.reports.map(\.source) == ["a"], "nobody else was refused")
        #expect(harness.records["b"]?.failures == 0 && harness.records["late"] == nil)
        let waits = ["b", "moved"].map { Notice.pollWaits(source: $0, host: "same.test", until: until) }
        #expect(harness.notices.filter { if case .pollWaits = $0 { true } else { false } } == waits)
        #expect(harness.engine.hostPauses(at: harness.now).allSatisfy { $0.host == "same.test" })
        harness.run(.seconds(590)) { .empty($0) }
        let answered = harness.reports.filter { $0.end.failure == nil }
        #expect(Set(answered.map(\.source)) == ["a", "b", "moved"], "they are asked when the pause is over")
        #expect(harness.sent.filter { $0.url.contains("same.test") }.dropFirst().allSatisfy { $0.at >= .seconds(600) })
    }

    @Test func aTopicThatWaitsForItsHostHidesNoFailure() throws {
        let harness = EngineHarness([
            EngineHarness.source("first", url: "https://x.test/other"),
            EngineHarness.source(
                "a", url: "https://{topic}.test/feed", topics: ["x", "y"], offset: .seconds(10)),
        ])
        let busy = Failure(
            .server, "http_429", "", status: 429, retryAfter: EngineHarness.start.addingTimeInterval(600))
        harness.run(.seconds(20)) { .failed($0.id, $0.url.contains("//x.") ? busy : self.down, FetchFacts()) }
        let end = try #require(harness.reports.last { $0.source == "a" }?.end)
        #expect(end.failure?.message == "no answer")
        #expect(end.partialFailures == ["x: waits for x.test until 2023-11-14T22:23:20Z (it asked for it)"])
    }

    @Test func aDocumentThatIsGivenUpIsStoredAsAnIssue() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.zero)
        let document = FeedRequest(url: "https://a.test/d1?key=1", role: "document", isEssential: false)
        let index = try #require(harness.takeOrder())
        harness.give(.answered(index.id, FeedAnswer(followUps: [document]), FetchFacts()))
        harness.advance(.seconds(1))
        let refusal = Failure(.server, "http_404", "a.test answered 404", status: 404)
        harness.give(.failed(try #require(harness.takeOrder()).id, refusal, FetchFacts()))
        let issue = FeedIssue(
            "document_http_404", at: "https://a.test/d1", found: "a.test answered 404", costsItem: true)
        #expect(harness.steps.flatMap(\.issues) == [issue])
        #expect(harness.reports.last?.result.refused == ["document_http_404": 1])
        #expect(harness.reports.last?.result.issues.numbers == ["document_http_404": 1])
    }

    @Test func aRequestWhoseSecretIsMissingDoesNotCount() {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        let missing = Failure(.operator, .secret, "/etc/a.token cannot be read: No such file or directory")
        harness.run(.seconds(1)) { .failed($0.id, missing, FetchFacts()) }
        harness.run(.seconds(200)) { .empty($0) }
        #expect(harness.reports.map(\.requests).prefix(2) == [0, 1])
    }

    @Test func aResourceThatIsGoneIsAskedOnceADay() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.run(.seconds(1)) { .failed($0.id, Failure(.server, "http_410", "", status: 410), FetchFacts()) }
        let end = try #require(harness.reports.first?.end)
        #expect(end.dueReason == .gone)
        #expect(end.nextDue == EngineHarness.start.addingTimeInterval(86_400))
    }

    @Test func oneFailingTopicDoesNotFailItsSource() throws {
        let harness = EngineHarness([EngineHarness.source("a", url: "https://a.test/{topic}", topics: ["x", "y"])])
        harness.run(.seconds(3)) {
            $0.url.hasSuffix("x") ? .failed($0.id, self.down, FetchFacts()) : .empty($0, etag: "\"1\"")
        }
        let end = try #require(harness.reports.first?.end)
        #expect(end.failure == nil)
        #expect(end.partialFailures == ["x: no answer"])
        #expect(harness.records["a"]?.validators == ["https://a.test/y": Validators(etag: "\"1\"")])
        #expect(harness.sent.map(\.at) == [.zero, .seconds(1)], "one request at a time to a host, a second apart")
    }

    @Test func aPollAsksTheStoreForTheValidatorsOfItsFirstURLs() {
        let source = EngineHarness.source("a", url: "https://a.test/{topic}?key=k", topics: ["x", "y"])
        let harness = EngineHarness([source])
        harness.run(.seconds(3)) { .empty($0, etag: "\"1\"") }
        let urls = harness.beginnings.first?.urls ?? []
        #expect(urls == ["https://a.test/x?key=k", "https://a.test/y?key=k"].map(\.validatorKey))
        #expect(!urls.contains { $0.contains("key=k") }, "a query may hold a secret")
        #expect(harness.records["a"].map { Set($0.validators.keys) } == Set(urls), "they are stored under these keys")
    }

    @Test func validatorsAndStateOfAnIndexAreStoredWithItsLastDocument() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.zero)
        let index = try #require(harness.takeOrder())
        let documents = ["d1", "d2"].map {
            FeedRequest(url: "https://a.test/\($0)", role: "document", isEssential: false)
        }
        harness.give(
            .answered(
                index.id, FeedAnswer(followUps: documents, state: FeedState(["seen": "d1 d2"])),
                FetchFacts(validators: Validators(etag: "\"index\""))))
        #expect(harness.records["a"]?.validators.isEmpty == true)
        #expect(harness.records["a"]?.work?.pending.map(\.request) == documents, "the work list survives a restart")
        harness.advance(.seconds(1))
        harness.give(.empty(try #require(harness.takeOrder()), etag: "\"d1\""))
        #expect(harness.records["a"]?.validators == ["https://a.test/d1": Validators(etag: "\"d1\"")])
        #expect(harness.records["a"]?.state == FeedState())
        harness.advance(.seconds(1))
        harness.give(.empty(try #require(harness.takeOrder())))
        #expect(harness.records["a"]?.validators["https://a.test/feed"] == Validators(etag: "\"index\""))
        #expect(harness.records["a"]?.state == FeedState(["seen": "d1 d2"]))
        #expect(harness.records["a"]?.work == nil)
        #expect(harness.reports.count == 1)
    }

    @Test func aRestartResumesTheWorkListAndThenAsksTheIndex() throws {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.work = WorkList(
            pending: [
                WorkList.Pending(
                    request: FeedRequest(url: "https://a.test/d2", role: "document", isEssential: false), chain: 0)
            ],
            chains: [
                WorkList.Chain(
                    validators: ["https://a.test/feed": Validators(etag: "\"index\"")], state: FeedState(["seen": "d2"])
                )
            ])
        record.nextDue = EngineHarness.start.addingTimeInterval(200)
        let harness = EngineHarness([EngineHarness.source("a")], records: ["a": record])
        harness.advance(.seconds(199))
        #expect(harness.sent.isEmpty, "what is pending is no reason to come before the stored due time")
        harness.advance(.seconds(1))
        let document = try #require(harness.takeOrder())
        #expect(document.url == "https://a.test/d2")
        harness.give(.empty(document))
        #expect(harness.records["a"]?.state == FeedState(["seen": "d2"]))
        #expect(harness.records["a"]?.validators["https://a.test/feed"] == Validators(etag: "\"index\""))
        harness.advance(.seconds(1))
        let index = try #require(harness.takeOrder())
        #expect(index.url == "https://a.test/feed")
        #expect(index.context.state == FeedState(["seen": "d2"]), "the feed plans with what the work list has brought")
    }

    @Test func aFailedPageStoresNothingThatWasHeldBack() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.zero)
        harness.give(
            .answered(
                try #require(harness.takeOrder()).id,
                FeedAnswer(
                    followUps: [FeedRequest(url: "https://a.test/p2", role: "page")],
                    state: FeedState(["since_id": "9"])),
                FetchFacts()))
        harness.advance(.seconds(1))
        harness.give(
            .failed(
                try #require(harness.takeOrder()).id, Failure(.server, "http_400", "bad token", status: 400),
                FetchFacts()))
        #expect(harness.records["a"]?.state == FeedState())
        #expect(harness.records["a"]?.work == nil)
        #expect(harness.reports.count == 1)
    }

    @Test func aTransientFailureLeavesAPageForTheNextPoll() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.zero)
        harness.give(
            .answered(
                try #require(harness.takeOrder()).id,
                FeedAnswer(
                    followUps: [FeedRequest(url: "https://a.test/p2", role: "page")],
                    state: FeedState(["since_id": "9"])),
                FetchFacts()))
        harness.advance(.seconds(1))
        harness.give(.failed(try #require(harness.takeOrder()).id, down, FetchFacts()))
        #expect(harness.records["a"]?.work?.pending.first?.tries == 1)
        #expect(harness.reports.first?.end.dueReason == .work)
        harness.advance(.seconds(80))
        let page = try #require(harness.takeOrder())
        #expect(page.url == "https://a.test/p2")
        harness.give(.empty(page))
        #expect(harness.records["a"]?.state == FeedState(["since_id": "9"]))
    }

    @Test(arguments: [
        FeedRequest(url: "https://a.test/p2", authorization: .bearer), FeedRequest(url: "https://a.test/p2", cost: 10),
    ])
    func whatCannotBeAskedAsItWasStoredIsPlannedAnew(request: FeedRequest) {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.work = WorkList(pending: [WorkList.Pending(request: request, chain: 0)], chains: [WorkList.Chain()])
        let harness = EngineHarness([EngineHarness.source("a")], records: ["a": record])
        harness.advance(.zero)
        #expect(harness.sent.map(\.url) == ["https://a.test/feed"])
    }

    @Test func aRefusedSinceIDIsForgotten() throws {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.state = FeedState(["since_id": "1"])
        let harness = EngineHarness([EngineHarness.source("a")], records: ["a": record]) { settings in
            var feed = ScriptedFeed(settings)
            feed.afterRefusal = { failure, poll in failure.code == "http_400" ? FeedState() : nil }
            return feed
        }
        harness.advance(.zero)
        harness.give(
            .failed(try #require(harness.takeOrder()).id, Failure(.server, "http_400", "", status: 400), FetchFacts()))
        #expect(harness.records["a"]?.state == FeedState())
    }

    @Test func theWordsOfARefusalReachTheFeedAndAreNotStored() throws {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.state = FeedState(["since_id": "1"])
        let harness = EngineHarness([EngineHarness.source("a")], records: ["a": record]) { settings in
            var feed = ScriptedFeed(settings)
            feed.afterRefusal = { failure, _ in
                failure.excerpt == Data("'since_id' is too old".utf8) ? FeedState() : nil
            }
            return feed
        }
        harness.advance(.zero)
        let refusal = Failure(
            .server, "http_400", "answered 400", status: 400, excerpt: Data("'since_id' is too old".utf8))
        harness.give(.failed(try #require(harness.takeOrder()).id, refusal, FetchFacts()))
        #expect(harness.records["a"]?.state == FeedState())
        let failure = try #require(harness.reports.first?.end.failure)
        #expect(failure.status == 400 && failure.excerpt == nil)
    }

    @Test func whileADocumentWaitsItsIndexIsNotAsked() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.run(.seconds(2000)) { order in
            guard order.url.hasSuffix("/feed") else { return .failed(order.id, self.down, FetchFacts()) }
            let document = FeedRequest(url: "https://a.test/d1", role: "document", isEssential: false)
            return .answered(
                order.id, FeedAnswer(followUps: [document], state: FeedState(["seen": "d1"])),
                FetchFacts(validators: Validators(etag: "\"i\"")))
        }
        let urls = harness.sent.map { $0.url.dropFirst("https://a.test/".count) }
        #expect(urls.prefix(6) == ["feed", "d1", "d1", "d1", "d1", "d1"], "five tries, one request a poll")
        #expect(harness.records["a"]?.state == FeedState(), "an outage, however long, loses no document")
        #expect(harness.records["a"]?.validators.isEmpty == true)
        #expect(urls.dropFirst(6).first == "feed", "then all of it is asked for again")
    }

    /// A document that the feed requests again itself is tried twice. Then its index continues, and the other
    /// documents' events are stored.
    @Test func aDocumentThatIsPutOffKeepsNoIndexWaiting() throws {
        let harness = EngineHarness([EngineHarness.source("a")]) { settings in
            var feed = ScriptedFeed(settings)
            feed.afterRefusal = { _, _ in FeedState(["late": "d1"]) }
            return feed
        }
        harness.run(.seconds(1500)) { order in
            guard order.url.hasSuffix("/feed") else { return .failed(order.id, self.down, FetchFacts()) }
            let isLate = harness.records["a"]?.state["late"] != nil
            let document = FeedRequest(
                url: "https://a.test/d1", role: "document", isEssential: false, maximumTries: isLate ? 1 : 2)
            return .answered(
                order.id, FeedAnswer(followUps: [document], state: FeedState(["seen": "d1"])),
                FetchFacts(validators: Validators(etag: "\"i\"")))
        }
        let urls = harness.sent.map { $0.url.dropFirst("https://a.test/".count) }
        #expect(urls.prefix(7) == ["feed", "d1", "d1", "feed", "d1", "feed", "d1"])
        #expect(harness.records["a"]?.state == FeedState(["late": "d1"]))
        #expect(harness.records["a"]?.validators.isEmpty == false)
        #expect(harness.reports.last?.end.failure == nil && harness.reports.last?.end.dueReason == .interval)
    }

    @Test func credentialsStayAtTheConfiguredHost() throws {
        var settings = EngineHarness.source("a")
        settings.headers = ["X-Key": "1"]
        settings.authorizationFile = "/token"
        let harness = EngineHarness([settings])
        harness.advance(.zero)
        let first = try #require(harness.takeOrder())
        #expect(first.authorizationFile == "/token" && first.fetch.headers == ["X-Key": "1"])
        let documents = ["https://a.test/d1", "https://b.test/d2"].map {
            FeedRequest(url: $0, role: "document", authorization: .bearer, isEssential: false)
        }
        let plain = FeedRequest(url: "https://c.test/d3", role: "document", isEssential: false)
        let answer = FeedAnswer(followUps: documents + [plain], secrets: ["bearer": Secret("t")])
        harness.give(.answered(first.id, answer, FetchFacts()))
        harness.advance(.seconds(1))
        try #require(harness.orders.count == 3)
        for (order, _) in harness.orders {
            let isHome = order.url.hasPrefix("https://a.test")
            #expect(order.fetch.home == (isHome ? nil : "https://a.test/feed"), "\(order.url)")
            #expect(order.fetch.headers == (isHome ? ["X-Key": "1"] : [:]), "\(order.url)")
            #expect(order.fetch.authorization == (isHome ? Secret("Bearer t") : nil), "\(order.url)")
            #expect(order.authorizationFile == nil, "\(order.url)")
        }
    }

    @Test func aHostWithATopicInItIsConfiguredToo() throws {
        var settings = EngineHarness.source("a")
        settings.url = "https://{topic}.test/feed"
        settings.topics = ["World", "sport"]
        let harness = EngineHarness([settings])
        harness.advance(.zero)
        let orders = [try #require(harness.takeOrder()), try #require(harness.takeOrder())]
        #expect(Set(orders.map { $0.url }) == ["https://World.test/feed", "https://sport.test/feed"])
        #expect(orders.allSatisfy { $0.fetch.home == nil })
        let elsewhere = FeedRequest(url: "https://news.test/d1", role: "document", isEssential: false)
        harness.give(.answered(orders[0].id, FeedAnswer(followUps: [elsewhere]), FetchFacts()))
        harness.advance(.seconds(1))
        #expect(try #require(harness.takeOrder()).fetch.home == "https://World.test/feed")
    }

    @Test func whatThisMachineLacksIsNoSourcesTrouble() {
        let harness = EngineHarness([EngineHarness.source("a"), EngineHarness.source("b")])
        let short = Failure(.ours, .noDescriptors, "no descriptor is left")
        harness.run(.seconds(30)) { order in
            order.url.contains("a.test") ? .failed(order.id, short, FetchFacts()) : .empty(order)
        }
        #expect(harness.reports.map(\.source) == ["b"])
        #expect(harness.records["a"]?.failures == 0)
        #expect(harness.notices.contains { if case .pollPostponed("a", short, _) = $0 { true } else { false } })
        #expect(harness.refusals.allSatisfy { $0 == "no_descriptors" })
        #expect(harness.engine.summary.setback == "a: no descriptor is left")
        harness.run(.seconds(120)) { .empty($0) }
        #expect(harness.reports.contains { $0.source == "a" && $0.end.failure == nil })
        #expect(harness.engine.summary.setback == nil)
    }

    @Test func documentsWithoutAnEventTellTheirMostFrequentIssue() throws {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        func report(_ answer: (FetchOrder) -> Input) throws -> PollReport {
            harness.advance(.seconds(60))
            harness.give(answer(try #require(harness.takeOrder())))
            return try #require(harness.reports.last)
        }
        func decoded(_ answer: FeedAnswer) -> (FetchOrder) -> Input {
            { .answered($0.id, answer, FetchFacts()) }
        }
        let link = FeedIssue("network_link", at: "line 3", found: "https://b.test/x.kml?key=1")
        let odd = FeedAnswer(issues: [FeedIssue("bad_xml", at: "line 1"), link, link])
        let remark = "network_link 2 (https://b.test/x.kml)"
        let first = try report(decoded(odd))
        #expect(first.end.remark == remark && first.isNewlyOdd)
        let second = try report(decoded(odd))
        #expect(second.end.remark == remark && !second.isNewlyOdd)
        #expect(try report { .unchanged($0.id, FetchFacts()) }.end.remark == nil, "what is known stays")
        let index = FeedAnswer(issues: [link], state: FeedState(["seen": "x"]))
        #expect(try report(decoded(index)).end.remark == nil, "all that it lists may be known")
        let event = Event(provider: "p", id: "1", category: .news, title: "t")
        #expect(try report(decoded(FeedAnswer(events: [event], issues: [link]))).end.remark == "")
        #expect(try report(decoded(odd)).isNewlyOdd)
        #expect(try report(decoded(FeedAnswer())).end.remark == "")
    }

    @Test func aDocumentThatBreaksOffIsAskedForWithoutItsValidators() {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        var asked: [String?] = []
        harness.run(.seconds(200)) { order in
            asked.append(order.fetch.validators.etag)
            var answer = FeedAnswer()
            answer.isWhole = harness.elapsed >= .seconds(60)
            return .answered(order.id, answer, FetchFacts(validators: Validators(etag: "\"1\"")))
        }
        #expect(asked.prefix(3) == [nil, nil, "\"1\""])
    }

    @Test func whatTheStoreRefusesIsTheSourcesOwnTrouble() throws {
        let harness = EngineHarness([
            EngineHarness.source("a", every: .seconds(60)), EngineHarness.source("b", every: .seconds(60)),
        ])
        harness.refusedSource = "a"
        harness.run(.seconds(590)) { .empty($0) }
        #expect(harness.sent.filter { $0.url.contains("b.test") }.count == 10, "the other goes on as planned")
        #expect(harness.sent.filter { $0.url.contains("a.test") }.count <= 5, "it backs off")
        #expect(harness.notices.contains { if case .writeRefused = $0 { true } else { false } })
    }

    @Test func aHostIsForgottenOnceNothingOfItCounts() {
        let busy = Failure(
            .server, "http_503", "", status: 503, retryAfter: EngineHarness.start.addingTimeInterval(1000))
        let harness = EngineHarness([EngineHarness.source("a"), EngineHarness.source("b", every: .seconds(60))])
        harness.run(.seconds(120)) { order in
            if order.url == "https://moved.test/" { return .failed(order.id, busy, FetchFacts()) }
            guard order.url == "https://a.test/feed" else { return .empty(order) }
            return .redirected(order.id, to: "https://moved.test/", isPermanent: false, FetchFacts())
        }
        #expect(Set(harness.engine.hosts.keys) == ["b.test", "moved.test"], "the latter has asked to be left alone")
        harness.run(.seconds(1030)) { .empty($0) }
        #expect(Set(harness.engine.hosts.keys) == ["b.test"])
    }

    @Test func aHostThatWantsToBeLeftAloneIsSoAfterARestart() {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.nextDue = EngineHarness.start.addingTimeInterval(500)
        record.dueReason = .retryAfter
        record.failures = 1
        let harness = EngineHarness(
            [
                EngineHarness.source("a", url: "https://same.test/a"),
                EngineHarness.source("b", url: "https://same.test/b", every: .seconds(100)),
            ], records: ["a": record])
        harness.run(.seconds(499)) { .empty($0) }
        #expect(harness.sent.isEmpty)
        harness.run(.seconds(10)) { .empty($0) }
        #expect(harness.sent.count == 2)
    }

    @Test func aStopDoesNotWaitForAStoreThatHangs() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.storeHangs = true
        harness.advance(.zero)
        harness.give(.stop)
        harness.advance(.seconds(3))
        #expect(!harness.isStopped)
        harness.advance(.seconds(1))
        #expect(harness.isStopped)
    }

    @Test(arguments: [
        Failure(.server, "http_404", "", status: 404), Failure(.feed, "truncated", "ends too early"),
    ])
    func aRefusedDocumentMovesItsChainsState(refusal: Failure) throws {
        let harness = EngineHarness([EngineHarness.source("a")]) { settings in
            var feed = ScriptedFeed(settings)
            feed.afterRefusal = { _, poll in FeedState(["seen": (poll.state["seen"] ?? "") + " gone"]) }
            return feed
        }
        harness.advance(.zero)
        let document = FeedRequest(url: "https://a.test/d1", role: "document", isEssential: false)
        harness.give(
            .answered(
                try #require(harness.takeOrder()).id,
                FeedAnswer(followUps: [document], state: FeedState(["seen": "d1"])),
                FetchFacts()))
        harness.advance(.seconds(1))
        harness.give(.failed(try #require(harness.takeOrder()).id, refusal, FetchFacts()))
        #expect(harness.records["a"]?.state == FeedState(["seen": "d1 gone"]))
        #expect(harness.reports.first?.result.refused == [:], "it is asked for again")
        #expect(harness.reports.first?.end.partialFailures == ["https://a.test/d1: \(refusal.message)"])
        #expect(harness.reports.first?.end.failure == nil)
    }

    @Test func aPollAskedForIsAbandonedWhenNothingCanBeStored() {
        let harness = EngineHarness([EngineHarness.source("a", offset: .seconds(60))])
        harness.storeWorks = false
        harness.give(.poll(source: "a"))
        #expect(harness.abandoned == ["a"], "whoever waits for it is told")
        harness.give(.poll(source: "a"))
        #expect(harness.abandoned == ["a", "a"])
        #expect(harness.refusals == ["store", "store"])
        harness.give(.stop)
        harness.give(.poll(source: "a"))
        #expect(harness.refusals.last == "stopping")
    }

    @Test func manyStalledHostsDelayNoOther() {
        let stalled = (0..<30).map { EngineHarness.source("stalled\($0)") }
        let harness = EngineHarness(
            stalled + [EngineHarness.source("good", offset: .seconds(1))], limits: EngineLimits(concurrency: 4))
        harness.advance(.seconds(60))
        let good = harness.sent.first { $0.url.contains("good") }?.at
        #expect(good != nil, "slots are freed although no stalled request has ended")
    }

    @Test func aFullDiskPausesAllPollsAndBlamesNoSource() throws {
        let harness = EngineHarness([
            EngineHarness.source("a", every: .seconds(60)), EngineHarness.source("b", every: .seconds(60)),
        ])
        harness.advance(.zero)
        harness.storeWorks = false
        let first = try #require(harness.takeOrder())
        harness.give(.empty(first))
        #expect(harness.notices.contains { if case .storePaused = $0 { true } else { false } })
        harness.advance(.seconds(120))
        #expect(harness.sent.count == 2, "no request while nothing can be stored")
        harness.storeWorks = true
        harness.run(.seconds(200)) { .empty($0) }
        #expect(harness.notices.contains(.storeResumed))
        #expect(harness.reports.allSatisfy { $0.end.failure == nil })
        #expect(Set(harness.reports.map(\.source)) == ["a", "b"])
    }

    @Test func redirectsAreFollowedHopByHopWithoutCredentialsForStrangers() throws {
        let harness = EngineHarness([EngineHarness.source("a")], limits: EngineLimits(maximumRedirects: 2))
        harness.advance(.zero)
        let first = try #require(harness.takeOrder())
        #expect(first.fetch.home == nil)
        harness.give(.redirected(first.id, to: "https://a.test/moved", isPermanent: true, FetchFacts()))
        harness.advance(.seconds(1))
        let second = try #require(harness.takeOrder())
        #expect(second.url == "https://a.test/moved" && second.fetch.home == nil)
        harness.give(.redirected(second.id, to: "https://b.test/there", isPermanent: true, FetchFacts()))
        harness.advance(.seconds(1))
        let third = try #require(harness.takeOrder())
        #expect(third.fetch.home == "https://a.test/feed")
        harness.give(.empty(third))
        #expect(harness.steps.last?.moved == PollStep.Moved(from: "https://a.test/feed", to: "https://b.test/there"))

        harness.run(.seconds(600)) { .redirected($0.id, to: "https://a.test/loop", isPermanent: false, FetchFacts()) }
        #expect(harness.reports.last?.end.failure?.code == "too_many_redirects")
    }

    @Test func paidReadsAreReservedBeforeAndSettledAfter() throws {
        let harness = EngineHarness([Self.paid], feed: Self.paidFeed)
        harness.advance(.zero)
        harness.give(.answered(try #require(harness.takeOrder()).id, FeedAnswer(cost: 12), FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 100, used: 12))
        #expect(harness.reservations.map(\.monthlyCap) == [500])

        let broke = EngineHarness([Self.paid], feed: Self.paidFeed)
        broke.grant = .capReached
        broke.advance(.zero)
        #expect(broke.sent.isEmpty)
        #expect(broke.reports.first?.end.failure?.code == "spend_cap")
    }

    @Test(arguments: [
        (Failure(.network, .connectionRefused, "refused"), 0), (Failure(.network, .tls, "no trust"), 0),
        (Failure(.operator, "http_401", "answered 401", status: 401), 0),
        (Failure(.server, "http_500", "answered 500", status: 500), 0),
        (Failure(.operator, .badURL, "no URL"), 0), (Failure(.operator, .secret, "no such file"), 0),
        (Failure(.network, .timeout, "took too long"), 100), (Failure(.feed, "not_json", "no JSON"), 100),
    ]) func onlyWhatMayHaveBeenReadIsPaidFor(failure: Failure, reads: Int) throws {
        let harness = EngineHarness([Self.paid], feed: Self.paidFeed)
        harness.advance(.zero)
        harness.give(.failed(try #require(harness.takeOrder()).id, failure, FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 100, used: reads))
    }

    @Test func aRedirectToAnAddressThatCannotBeUsedIsNotPaidFor() throws {
        let harness = EngineHarness([Self.paid], feed: Self.paidFeed)
        harness.advance(.zero)
        let first = try #require(harness.takeOrder())
        harness.give(.redirected(first.id, to: "https://a.test/other", isPermanent: false, FetchFacts()))
        harness.advance(.seconds(1))
        let second = try #require(harness.takeOrder())
        harness.give(.failed(second.id, Failure(.operator, .badURL, "no URL"), FetchFacts()))
        #expect(harness.steps.last?.settlement == PollStep.Settlement(reserved: 100, used: 0))
    }

    @Test func nothingIsAskedBeforeTheStateHasBeenForgotten() throws {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        harness.advance(.zero)
        harness.give(.empty(try #require(harness.takeOrder())))
        harness.give(.abandon(source: "a"))
        #expect(harness.readyForReset == ["a"])
        harness.advance(.seconds(200))
        harness.give(.poll(source: "a"))
        #expect(harness.sent.count == 1)
        #expect(harness.abandoned == ["a"], "whoever wants it polled is told")
        #expect(harness.refusals == ["reset"])
        harness.give(.resetDone(source: "a"))
        #expect(harness.sent.count == 2)
    }

    @Test func aPollUnderWayIsGivenUpBeforeAReset() throws {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.advance(.zero)
        let order = try #require(harness.takeOrder())
        harness.give(.abandon(source: "a"))
        #expect(harness.abandoned == ["a"] && harness.readyForReset == ["a"])
        #expect(harness.closed == [order.id])
        harness.give(.empty(order))
        #expect(harness.steps.isEmpty, "it writes no more")
    }

    @Test func nothingIsAskedWhileAnotherResetOfTheSourceGoesOn() {
        let harness = EngineHarness([EngineHarness.source("a", offset: .seconds(60))])
        harness.give(.abandon(source: "a"))
        harness.give(.abandon(source: "a"))
        #expect(harness.readyForReset == ["a", "a"])
        harness.advance(.seconds(61))
        harness.give(.resetDone(source: "a"))
        #expect(harness.sent.isEmpty)
        harness.give(.resetDone(source: "a"))
        #expect(harness.sent.count == 1)
    }

    @Test func aSourceThatIsNotConfiguredMayBeReset() {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.give(.abandon(source: "b"))
        #expect(harness.readyForReset == ["b"] && harness.abandoned.isEmpty)
    }

    @Test func aCapThatIsReachedIsLookedAtAgainAtTheNextStart() throws {
        let broke = EngineHarness([Self.paid], feed: Self.paidFeed)
        broke.grant = .capReached
        broke.advance(.zero)
        let end = try #require(broke.reports.first?.end)
        #expect(end.dueReason == .spendCap)
        #expect(end.nextDue.timeIntervalSince(broke.now.wall) == 86_400)
        let raised = EngineHarness([Self.paid], records: broke.records, feed: Self.paidFeed)
        raised.advance(.zero)
        #expect(raised.sent.count == 1, "no server has asked to be left alone")
    }

    private static let paid = EngineHarness.source("a")

    private static func paidFeed(_ settings: SourceSettings) -> ScriptedFeed {
        var feed = ScriptedFeed(settings)
        feed.first = { _ in [FeedRequest(url: "https://a.test/search", cost: 100, monthlyCap: 500)] }
        return feed
    }

    @Test func stopLetsRequestsEndAndThenCancelsThem() throws {
        let harness = EngineHarness([
            EngineHarness.source("a"), EngineHarness.source("b"), EngineHarness.source("c", offset: .seconds(1)),
        ])
        harness.advance(.zero)
        harness.give(.stop)
        #expect(!harness.isStopped)
        let first = try #require(harness.takeOrder())
        harness.give(
            .answered(
                first.id, FeedAnswer(events: [Event(provider: "p", id: "1", category: .news, title: "t")]), FetchFacts()
            ))
        #expect(harness.reports.first?.result.new == 1, "what was received is stored")
        harness.advance(.seconds(3))
        #expect(harness.cancelled == 1)
        #expect(harness.isStopped)
        #expect(harness.sent.count == 2, "no poll begins after stop")
    }

    @Test func aRequestWhoseConnectionWasLostIsAskedOnceMoreAfterTheGap() throws {
        let lost = Failure(.network, .connectionLost, "no answer")
        let harness = EngineHarness([EngineHarness.source("a")])
        var answers: [(FetchOrder) -> Input] = [
            { .failed($0.id, lost, FetchFacts()) }, { .empty($0) }, { .failed($0.id, lost, FetchFacts()) },
            { .failed($0.id, lost, FetchFacts()) },
        ]
        harness.run(.seconds(310)) { answers.removeFirst()($0) }
        #expect(harness.sent.map(\.at) == [.zero, .seconds(1), .seconds(300), .seconds(301)])
        #expect(harness.reports.map { $0.end.failure == nil } == [true, false], "the second loss is a failure")
        #expect(harness.reports.map(\.requests) == [2, 2])
    }

    @Test(arguments: [
        FeedRequest(url: "https://a.test/search", cost: 100, monthlyCap: 1000),
        FeedRequest(url: "https://a.test/token", form: "grant_type=client_credentials"),
    ])
    func whatCostsMoneyOrChangesSomethingIsNotAskedOnceMore(request: FeedRequest) throws {
        let harness = EngineHarness([EngineHarness.source("a")]) { settings in
            var feed = ScriptedFeed(settings)
            feed.first = { _ in [request] }
            return feed
        }
        harness.run(.seconds(30)) {
            .failed($0.id, Failure(.network, .connectionLost, "no answer"), FetchFacts())
        }
        #expect(harness.sent.count == 1)
        #expect(harness.reports.map(\.end.failures) == [1])
        // It is unknown whether the server has counted the reads.
        #expect(harness.steps.compactMap { $0.settlement?.used } == (request.cost > 0 ? [100] : []))
    }

    @Test func theSameSeedGivesTheSameMonth() {
        func month(seed: UInt64) -> [Duration] {
            let harness = EngineHarness(
                (0..<3).map { EngineHarness.source("s\($0)", every: .seconds(600 + $0 * 60)) }, seed: seed)
            var number = 0
            harness.run(.seconds(24 * 3600)) { order in
                number += 1
                return number % 3 == 0 ? .failed(order.id, self.down, FetchFacts()) : .empty(order)
            }
            return harness.sent.map(\.at)
        }
        #expect(month(seed: 7) == month(seed: 7))
        #expect(month(seed: 7) != month(seed: 8))
    }
}
