import Foundation
import Model
import Testing

@testable import Engine

/// Another configuration while the engine runs.
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
        settings[1].url = "https://elsewhere.test/feed"
        harness.configure(settings)
        #expect(harness.abandoned == ["b"])
        #expect(harness.orders.map(\.order.settings.name) == ["a"])
        harness.give(.empty(try #require(harness.takeOrder())))
        #expect(harness.reports.map(\.source) == ["a"])
        harness.advance(.seconds(298))
        #expect(!harness.sent.contains { $0.url.contains("elsewhere") }, "the attempt that was given up counts")
        harness.advance(.seconds(3))
        #expect(harness.sent.contains { $0.url == "https://elsewhere.test/feed" })
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
        harness.storeWorks = true
        harness.run(.seconds(400)) { .empty($0) }
        #expect(!harness.sent.contains { $0.url.contains("elsewhere") })
        #expect(harness.sent.filter { $0.url.contains("a.test") }.count == 2)
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
