import Model
import Testing

@testable import Engine

/// Whether a reload needs another locator.
@Suite struct LocatorPlanTests {
    private static let sources = [EngineHarness.source("a", offset: .seconds(86_400))]

    private static let service = LocatorPlan.Service(
        plan: ProviderPlan(provider: .mapquest, gap: .seconds(1)), url: "https://geo.test/address", isReachable: true,
        key: Secret("k1"))

    private static let plan = LocatorPlan(settings: "s1", table: "/cities.sqlite", services: [service])

    private func harness() -> EngineHarness {
        EngineHarness(Self.sources, reload: ReloadPlan(watchesEdits: false, locator: Self.plan))
    }

    /// Reloads a configuration whose locator is made from this plan.
    private func reload(_ harness: EngineHarness, _ plan: LocatorPlan) {
        var draft = EngineHarness.draft(Self.sources)
        draft.locator = plan
        harness.file = .good(draft)
        harness.give(.reload(.look(.command)))
    }

    @Test func theSamePlanKeepsTheLocator() {
        let harness = harness()
        reload(harness, Self.plan)
        #expect(harness.relocations == [false])
    }

    @Test func anyOtherPlanNeedsAnotherLocatorOnce() {
        var plans = [LocatorPlan](repeating: Self.plan, count: 6)
        plans[0].settings = "s2"
        plans[1].table = "/other.sqlite"
        plans[2].services = []
        plans[3].services[0].plan.gap = .seconds(2)
        plans[4].services[0].key = Secret("k2")
        plans[5].services[0].isReachable = false
        for plan in plans {
            let harness = harness()
            reload(harness, plan)
            reload(harness, plan)
            #expect(harness.relocations == [true, false], "\(plan)")
            reload(harness, Self.plan)
            #expect(harness.relocations.last == true)
        }
    }

    @Test func aConfigurationThatDoesNotComeIntoForceLeavesTheLocator() {
        let harness = harness()
        var other = Self.plan
        other.settings = "s2"
        harness.storeWorks = false
        reload(harness, other)
        harness.storeWorks = true
        reload(harness, Self.plan)
        #expect(harness.relocations == [true, false])
        harness.preparation = .notPrepared(Failure(.operator, .store, "not now"))
        reload(harness, other)
        harness.preparation = .prepared
        reload(harness, other)
        #expect(harness.relocations == [true, false, true, true])
    }

    @Test func aKeyThatCanBeReadAgainNeedsAnotherLocator() {
        var without = Self.plan
        without.services[0].isReachable = false
        without.services[0].key = nil
        let plan = ReloadPlan(watchesEdits: false, faults: [EngineHarness.ours("key")], locator: without)
        let harness = EngineHarness(Self.sources, reload: plan)
        var draft = EngineHarness.draft(Self.sources)
        draft.locator = Self.plan
        harness.secrets = draft
        harness.advance(.seconds(1))
        #expect(harness.reloads.map { $0.cause } == [.secret])
        #expect(harness.relocations == [true])
    }
}
