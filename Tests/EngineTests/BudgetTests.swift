import Engine
import Foundation
import Model
import Testing

/// Sources whose events wait for room in their budgets.
@Suite struct BudgetTests {
    private static let minute = Duration.seconds(60)

    private func answer(to order: FetchOrder) -> Input {
        var facts = FetchFacts()
        facts.validators = Validators(etag: "\"1\"")
        return .answered(order.id, FeedAnswer(state: FeedState(["since_id": "9"])), facts)
    }

    @Test func aPollWhoseEventsWaitFailsAndSlowsDownUntilTheyCome() throws {
        let names = ["greedy", "modest"]
        let harness = EngineHarness(names.map { EngineHarness.source($0, every: Self.minute * 5) })
        harness.overBudget = ["greedy"]
        harness.run(.seconds(8 * 3600)) { answer(to: $0) }
        let times = harness.sent.filter { $0.url.contains("greedy") }.map { $0.at }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps.first == Self.minute * 5, "no sooner than its interval")
        #expect(gaps.allSatisfy { $0 >= Self.minute * 5 && $0 <= Self.minute * 61 })
        #expect(try #require(gaps.last) >= Self.minute * 59, "as after failures")
        let failed = harness.reports.filter { $0.source == "greedy" }
        #expect(Set(failed.map { $0.end.failure?.code }) == ["over_budget"])
        #expect(failed.map { $0.end.failures } == Array(1...failed.count))
        #expect(harness.records["greedy"]?.lastSuccess == nil, "the feed asks for what it has missed since then")
        let modest = harness.sent.filter { $0.url.contains("modest") }
        #expect(modest.count == 97, "the other source keeps its interval")

        harness.overBudget = []
        harness.run(.seconds(2 * 3600)) { answer(to: $0) }
        let last = try #require(harness.reports.last { $0.source == "greedy" })
        #expect(last.end.failure == nil && last.end.failures == 0)
        #expect(harness.reports.contains { $0.source == "greedy" && $0.recoveredAfter != nil })
        #expect(harness.records["greedy"]?.state["since_id"] == "9")
    }

    @Test func aLargerBudgetEndsTheBackOff() throws {
        var settings = [EngineHarness.source("greedy", every: Self.minute * 5)]
        let harness = EngineHarness(settings)
        harness.overBudget = ["greedy"]
        harness.run(.seconds(8 * 3600)) { answer(to: $0) }
        let polls = harness.sent.count
        settings[0].maxAge *= 2
        harness.configure(settings)
        harness.run(Self.minute * 5) { answer(to: $0) }
        #expect(harness.sent.count == polls)
        settings[0].budget.total.rows *= 2
        harness.configure(settings)
        harness.run(Self.minute * 5) { answer(to: $0) }
        #expect(harness.sent.count == polls + 1)
    }

    @Test func theEngineIsDueWhenTheStoreSays() throws {
        let harness = EngineHarness([EngineHarness.source("greedy", every: Self.minute * 5)])
        harness.overBudget = ["greedy"]
        harness.run(.seconds(3000)) { answer(to: $0) }
        let due = try #require(harness.engine.dues.first?.at)
        #expect(harness.records["greedy"]?.nextDue?.milliseconds == harness.now.wall(at: due).milliseconds)
    }

    @Test func nothingIsPaidForWhileTheBudgetIsUsedUp() throws {
        let harness = EngineHarness([EngineHarness.source("paid")]) { settings in
            var feed = ScriptedFeed(settings)
            feed.first = { _ in [FeedRequest(url: "https://paid.test/search", cost: 10, monthlyCap: 500)] }
            return feed
        }
        harness.grant = .overBudget
        harness.run(.seconds(600)) { .empty($0) }
        #expect(harness.sent.isEmpty)
        let report = try #require(harness.reports.first)
        #expect(report.end.failure?.hasCode(.overBudget) == true && report.end.dueReason == .backOff)
        harness.grant = .granted
        harness.run(.seconds(3600)) { .answered($0.id, FeedAnswer(cost: 10), FetchFacts()) }
        #expect(!harness.sent.isEmpty)
        #expect(harness.steps.filter { $0.answer != nil }.allSatisfy { $0.isPaid })
    }

    private func stream(cost: Int) -> EngineHarness {
        let terms = StreamTerms(
            silence: .seconds(25), batchLines: 10, batchTime: .seconds(2),
            afterBreaks: StreamTerms.Waits(first: .milliseconds(250), longest: .seconds(16), doubles: false),
            afterErrors: StreamTerms.Waits(first: .seconds(5), longest: .seconds(320), doubles: true),
            afterLimits: StreamTerms.Waits(first: .seconds(60), longest: .seconds(900), doubles: true))
        return EngineHarness([EngineHarness.source("s", every: .seconds(3600))]) { settings in
            var feed = ScriptedFeed(settings)
            feed.stream = terms
            feed.first = { _ in
                [FeedRequest(url: "https://s.test/stream", role: "stream", cost: cost, monthlyCap: 1000, stream: terms)]
            }
            return feed
        }
    }

    private func message(_ id: String, cost: Int) -> FeedAnswer {
        let event = Event(provider: "p", id: id, time: EngineHarness.start, category: .message, title: id)
        return FeedAnswer(events: [event], cost: cost)
    }

    /// A paid stream asks for no more reads; one that costs nothing learns from its batch.
    @Test(arguments: [100, 0])
    func aStreamIsClosedAndOpenedAgainLater(cost: Int) throws {
        let harness = stream(cost: cost)
        harness.advance(.zero)
        let id = try #require(harness.takeOrder()).id
        harness.give(.opened(id, FetchFacts()))
        harness.give(.streamed(id, FeedAnswer(), FetchFacts()))
        (harness.grant, harness.overBudget) = (.overBudget, cost == 0 ? ["s"] : [])
        harness.give(.streamed(id, message("1", cost: cost), FetchFacts()))
        #expect(harness.closed == [id])
        #expect(try #require(harness.steps.last { $0.answer?.events.isEmpty == false }).isPaid == (cost > 0))
        harness.give(.failed(id, Failure(.network, .streamEnded, "it has ended"), FetchFacts()))
        let end = try #require(harness.reports.last).end
        #expect(end.failure?.hasCode(.overBudget) == true && end.dueReason == .backOff)
        harness.advance(.seconds(30))
        #expect(harness.orders.isEmpty)
        (harness.grant, harness.overBudget) = (.granted, [])
        harness.advance(.seconds(600))
        #expect(harness.orders.count == 1, "it is opened again")
    }
}
