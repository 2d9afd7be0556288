import Foundation
import Model
import Testing

@testable import Engine

/// A new configuration while the engine runs.
@Suite struct ConfigurationTests {
    private static func sources(_ names: some Sequence<String>) -> [SourceSettings] {
        names.enumerated().map { number, name in
            EngineHarness.source(name, every: .seconds(300), offset: .seconds(number))
        }
    }

    private static func dues(_ harness: EngineHarness) -> [String: Duration] {
        Dictionary(harness.engine.dues.map { ($0.source, $0.at) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func oneOfFiftySourcesChangesAndTheOthersKeepTheirDueTimes() {
        var settings = Self.sources((0..<50).map { "s\($0)" })
        let harness = EngineHarness(settings)
        harness.run(.seconds(400)) { .empty($0) }
        let before = Self.dues(harness)
        settings[7].refreshInterval = .seconds(60)
        harness.configure(settings)
        #expect(harness.configured.map(\.changed) == [["s7"]])
        let after = Self.dues(harness)
        #expect(after.filter { $0.key != "s7" } == before.filter { $0.key != "s7" })
        #expect(after["s7"] == harness.now.uptime + .seconds(60), "a shorter interval counts from now")
    }

    @Test func whatIsUnderWayForOthersGoesOn() throws {
        var settings = Self.sources(["a", "b"])
        let harness = EngineHarness(settings)
        harness.advance(.seconds(2))
        #expect(harness.orders.count == 2)
        let ids = harness.orders.map { $0.order.id }
        settings[1].url = "https://elsewhere.test/feed"
        harness.configure(settings)
        #expect(harness.closed == Array(ids.suffix(1)))
        #expect(harness.orders.first?.order.id == ids.first)
        #expect(harness.orders.map { $0.order.url } == ["https://a.test/feed", "https://elsewhere.test/feed"])
        #expect(harness.abandoned.isEmpty, "whoever waits for b hears of the poll that follows")
        harness.give(.empty(try #require(harness.takeOrder())))
        harness.give(.empty(try #require(harness.takeOrder())))
        #expect(harness.reports.map(\.source) == ["a", "b"])
    }

    @Test func aPollThatIsCutShortBeginsAgainAtOnceAndCostsNoInterval() throws {
        let week = Duration.seconds(7 * 86_400)
        var settings = [EngineHarness.source("a", every: week), EngineHarness.source("b", every: week)]
        let harness = EngineHarness(settings)
        let start = harness.now.uptime
        harness.advance(.milliseconds(300))
        settings[1].maxAge = .seconds(60)
        harness.configure(settings)
        #expect(harness.orders.map(\.order.source) == ["a"])
        harness.advance(.milliseconds(900))
        #expect(harness.orders.count == 1, "the request that was under way counts as one that was sent just now")
        harness.advance(.milliseconds(100))
        #expect(harness.orders.map(\.order.source) == ["a", "b"])
        #expect(harness.sent.last?.at == .milliseconds(1300))
        while let order = harness.takeOrder() { harness.give(.empty(order)) }
        #expect(Self.dues(harness) == ["a": start + week, "b": start + week])
    }

    /// Two sources of one host: the first request is paid, the second is free.
    private static let paid = [
        EngineHarness.source("paid", url: "https://x.test/search"),
        EngineHarness.source("free", url: "https://x.test/feed"),
    ]

    private static func paidFeed(_ settings: SourceSettings) -> ScriptedFeed {
        var feed = ScriptedFeed(settings)
        guard settings.name == "paid" else { return feed }
        feed.first = { _ in [FeedRequest(url: "https://x.test/search", cost: 100, monthlyCap: 500)] }
        return feed
    }

    @Test func readsThatAreGrantedToAPollThatHasBeenCutShortAreGivenBack() throws {
        let harness = EngineHarness([Self.paid[0]], feed: Self.paidFeed)
        harness.heldReservations = []
        harness.advance(.zero)
        let first = try #require(harness.heldReservations?.first)
        var settings = Self.paid[0]
        settings.maxAge = .seconds(60)
        harness.configure([settings], feed: Self.paidFeed)
        harness.give(.wrote(first, .reserved(.granted)))
        #expect(harness.givenBack == [100])
        #expect(harness.orders.isEmpty && harness.steps.isEmpty, "what is left to ask stays as it is stored")
        harness.give(.wrote(try #require(harness.heldReservations?.last), .reserved(.granted)))
        #expect(harness.orders.count == 1)
        #expect(harness.givenBack == [100])
    }

    @Test func readsOfARequestThatIsCutShortInItsHostsQueueAreGivenBack() throws {
        let limits = EngineLimits(perHostConcurrency: 2)
        let harness = EngineHarness(Self.paid, limits: limits, feed: Self.paidFeed)
        harness.heldReservations = []
        harness.advance(.zero)
        #expect(harness.orders.map(\.order.source) == ["free"])
        harness.give(.wrote(try #require(harness.heldReservations?.first), .reserved(.granted)))
        #expect(harness.orders.count == 1, "it waits for the gap")
        var settings = Self.paid
        settings[0].maxAge = .seconds(60)
        harness.configure(settings, limits: limits, feed: Self.paidFeed)
        #expect(harness.givenBack == [100])
        harness.advance(.seconds(2))
        harness.give(.wrote(try #require(harness.heldReservations?.last), .reserved(.granted)))
        #expect(harness.orders.count == 2)
        // A request that was sent may have been billed.
        harness.configure(Self.paid, limits: limits, feed: Self.paidFeed)
        #expect(harness.givenBack == [100])
    }

    @Test func aPollThatIsCutShortWaitsWhereItsHostHasAskedToBeLeftAlone() throws {
        var settings = ["a", "b"].map { EngineHarness.source($0, url: "https://x.test/\($0)", every: .seconds(7200)) }
        let harness = EngineHarness(settings, limits: EngineLimits(perHostConcurrency: 2))
        harness.advance(.seconds(2))
        let order = try #require(harness.takeOrder())
        let until = harness.now.wall.addingTimeInterval(600)
        let refusal = Failure(.server, "http_429", "wait", status: 429, retryAfter: until)
        harness.give(.failed(order.id, refusal, FetchFacts()))
        settings[1].maxAge = .seconds(60)
        harness.configure(settings)
        #expect(harness.orders.isEmpty)
        #expect(harness.abandoned == ["b"], "whoever waits for it is told")
        harness.run(.seconds(620)) { .empty($0) }
        let again = harness.sent.filter { $0.url.hasSuffix("/b") }.dropFirst()
        #expect(again.count == 1)
        #expect(again.allSatisfy { $0.at >= .seconds(602) && $0.at <= .seconds(604) }, "\(again)")
    }

    @Test func aPollOfWhichOnlyTheEndIsStillToBeStoredEnds() throws {
        var settings = Self.sources(["a"])
        let harness = EngineHarness(settings)
        harness.advance(.zero)
        func writes(_ effects: [Effect]) -> [WriteID] {
            effects.compactMap { if case .write(let id, _) = $0 { id } else { nil } }
        }
        let order = try #require(harness.takeOrder())
        let end = try #require(writes(harness.engine.handle(.empty(order), at: harness.now)).first)
        settings[0].maxAge = .seconds(60)
        let reading = ConfigurationReading(content: 1, outcome: .good(EngineHarness.draft(settings)))
        _ = harness.engine.handle(.reload(.look(.command)), at: harness.now)
        _ = harness.engine.handle(.reload(.read(reading)), at: harness.now)
        let write = try #require(writes(harness.engine.handle(.reload(.prepared), at: harness.now)).first)
        let ended = harness.engine.handle(.wrote(end, .stepped(StepResult())), at: harness.now)
        #expect(ended.contains { if case .report = $0 { true } else { false } })
        let due = harness.now.wall.addingTimeInterval(300)
        var record = SourceRecord(name: "a", kind: "scripted")
        (record.nextDue, record.dueReason) = (due, .interval)
        let effects = harness.engine.handle(.wrote(write, .reconciled([record])), at: harness.now)
        #expect(effects.contains { if case .reload(.ended) = $0 { true } else { false } })
        #expect(writes(effects).isEmpty, "it has been polled")
        #expect(Self.dues(harness) == ["a": harness.now.uptime + .seconds(300)])
    }

    @Test func whoWaitsForASourceThatGoesIsToldWhenItHasGone() {
        var settings = Self.sources(["a", "b", "c"])
        let harness = EngineHarness(settings)
        harness.advance(.seconds(3))
        settings[1].isEnabled = false
        settings.removeLast()
        harness.storeHangs = true
        harness.configure(settings)
        #expect(harness.abandoned.isEmpty, "it may stay")

        let other = EngineHarness(Self.sources(["a", "b", "c"]))
        other.advance(.seconds(3))
        other.configure(settings)
        #expect(other.abandoned == ["b", "c"])
        #expect(other.refusals == ["edited", "not_configured"])
        #expect(other.engine.sourceNames == ["a", "b"])
        #expect(other.orders.map(\.order.source) == ["a"])
        other.give(.poll(source: "c"))
        #expect(other.abandoned == ["b", "c", "c"], "nobody waits for a source that is not there")
    }

    @Test func sourcesComeAndGo() {
        let harness = EngineHarness(Self.sources(["a", "b"]))
        harness.run(.seconds(10)) { .empty($0) }
        harness.configure(Self.sources(["b", "c"]))
        #expect(harness.configured.first?.added == ["c"])
        #expect(harness.configured.first?.removed == ["a"])
        #expect(harness.engine.sourceNames == ["b", "c"])
        harness.run(.seconds(400)) { .empty($0) }
        #expect(harness.sent.filter { $0.url.contains("a.test") }.count == 1, "never again")
        #expect(harness.sent.first { $0.url.contains("c.test") }?.at == .seconds(11), "at its offset from now")
        harness.give(.poll(source: "a"))
        #expect(harness.orders.isEmpty)
        harness.configure(Self.sources(["a", "b", "c"]))
        harness.run(.seconds(700)) { .empty($0) }
        #expect(harness.sent.filter { $0.url.contains("a.test") }.count >= 2)
        #expect(harness.engine.sources.count == 3, "the place of a removed source is taken again")
    }

    @Test func aSourceThatIsRemovedOrDisabledIsPolledNoMore() {
        var settings = Self.sources(["a", "b", "c"])
        let harness = EngineHarness(settings)
        harness.run(.seconds(10)) { .empty($0) }
        settings.remove(at: 0)
        settings[0].isEnabled = false
        harness.configure(settings)
        harness.run(.seconds(400)) { .empty($0) }
        #expect(harness.sent.map(\.url).filter { !$0.contains("c.test") }.count == 2, "\(harness.sent)")
    }

    @Test func aBackOffEndsWhenTheQuestionChanges() throws {
        let failure = Failure(.server, "status", "no such page", status: 404)
        var settings = Self.sources(["a", "b"])
        let harness = EngineHarness(settings)
        harness.advance(.seconds(1))
        while let order = harness.takeOrder() { harness.give(.failed(order.id, failure, FetchFacts())) }
        let before = Self.dues(harness)
        settings[0].url = "https://a.test/the-right-page"
        harness.configure(settings)
        harness.advance(.zero)
        #expect(harness.sent.last?.url == "https://a.test/the-right-page")
        #expect(Self.dues(harness)["b"] == before["b"])
    }

    @Test func aBackOffEndsWhenASecretComes() throws {
        let settings = EngineHarness.source("a", offset: .seconds(3))
        func reload(_ harness: EngineHarness, _ secrets: [String: Secret]) {
            let source = EngineSource(settings: settings, feed: ScriptedFeed(settings), secrets: secrets)
            harness.file = .good(ConfigurationDraft(configuration: EngineConfiguration(sources: [source])))
            harness.give(.reload(.look(.command)))
        }
        let harness = EngineHarness([settings])
        harness.advance(.seconds(3))
        let failure = Failure(.operator, .secret, "/token cannot be read")
        harness.give(.failed(try #require(harness.takeOrder()).id, failure, FetchFacts()))
        reload(harness, [:])
        harness.advance(.seconds(4))
        #expect(harness.sent.count == 1)
        reload(harness, ["authorization": Secret("Bearer new")])
        #expect(harness.configured.allSatisfy { $0 == SourceChanges() })
        harness.advance(.seconds(3))
        #expect(harness.sent.count == 2)
        // The file goes and comes back between two reloads.
        harness.give(.failed(try #require(harness.takeOrder()).id, failure, FetchFacts()))
        reload(harness, ["authorization": Secret("Bearer new")])
        harness.advance(.seconds(3))
        #expect(harness.sent.count == 3)
        let refusal = Failure(.operator, "http_401", "answered 401", status: 401)
        harness.give(.failed(try #require(harness.takeOrder()).id, refusal, FetchFacts()))
        reload(harness, ["authorization": Secret("Bearer new")])
        harness.advance(.seconds(4))
        #expect(harness.sent.count == 3, "it has been refused")
    }

    @Test func whatCannotBeStoredLeavesEverythingAsItWas() {
        var settings = Self.sources(["a", "b"])
        let harness = EngineHarness(settings)
        harness.run(.seconds(10)) { .empty($0) }
        let before = Self.dues(harness)
        settings[0].url = "https://elsewhere.test/feed"
        harness.storeWorks = false
        harness.configure(settings)
        #expect(harness.notConfigured == ["disk full"])
        #expect(harness.configured.isEmpty)
        #expect(Self.dues(harness) == before)
        harness.file = .good(EngineHarness.draft(Self.sources(["a", "b"])))
        harness.storeWorks = true
        harness.run(.seconds(400)) { .empty($0) }
        #expect(!harness.sent.contains { $0.url.contains("elsewhere") })
        #expect(harness.sent.filter { $0.url.contains("a.test") }.count == 2)
    }

    @Test func aPollThatWasCutShortForNothingBeginsAgainToo() {
        var settings = [EngineHarness.source("a", every: .seconds(7200))]
        let harness = EngineHarness(settings)
        harness.advance(.seconds(1))
        settings[0].url = "https://elsewhere.test/feed"
        harness.storeWorks = false
        harness.configure(settings)
        #expect(harness.notConfigured == ["disk full"])
        #expect(harness.orders.isEmpty)
        harness.file = .good(EngineHarness.draft([EngineHarness.source("a", every: .seconds(7200))]))
        harness.storeWorks = true
        harness.advance(.seconds(31))
        #expect(harness.orders.map { $0.order.url } == ["https://a.test/feed"])
    }

    @Test func aShorterTruncationIntervalCountsFromNow() {
        let harness = EngineHarness(Self.sources(["a"]))
        harness.run(.seconds(310)) { .empty($0, serverDate: harness.now.wall) }
        #expect(harness.truncations.count == 1)
        harness.configure(Self.sources(["a"]), truncation: TruncationPlan(interval: .seconds(600)))
        harness.run(.seconds(590)) { .empty($0) }
        #expect(harness.truncations.count == 1)
        harness.run(.seconds(20)) { .empty($0) }
        #expect(harness.truncations.count == 2)
        harness.run(.seconds(600)) { .empty($0) }
        #expect(harness.truncations.count == 3, "one plan, not both")
    }

    @Test func aLateWriteOfAPollThatWasGivenUpBeginsNothing() throws {
        let settings = Self.sources(["a"])
        let harness = EngineHarness(settings)
        func writes(_ effects: [Effect]) -> [WriteID] {
            effects.compactMap { if case .write(let id, _) = $0 { id } else { nil } }
        }
        let late = try #require(writes(harness.engine.handle(.tick, at: harness.now)).first)
        _ = harness.engine.handle(.abandon(source: "a"), at: harness.now)
        _ = harness.engine.handle(.poll(source: "a"), at: harness.now)
        let record = SourceRecord(name: "a", kind: "scripted")
        let effects = harness.engine.handle(.wrote(late, .begun(record)), at: harness.now)
        #expect(effects.isEmpty, "the poll that is under way waits for a write of its own")
    }
}
