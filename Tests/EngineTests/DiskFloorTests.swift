import Engine
import Foundation
import Model
import Testing

/// Polls and paid reads stop and resume as the free space falls and rises.
@Suite struct DiskFloorTests {
    private static let mebibyte: Int64 = 1 << 20

    /// A source polled each minute from the tenth second on, and one with paid reads, under a floor of 100 MiB.
    private func harness(_ names: [String] = ["free", "paid"]) -> EngineHarness {
        EngineHarness(
            names.map { EngineHarness.source($0, every: .seconds(60), offset: .seconds(10)) },
            limits: EngineLimits(minimumFreeBytes: 100 * Self.mebibyte)
        ) { settings in
            var feed = ScriptedFeed(settings)
            if settings.name == "paid" {
                feed.first = { _ in [FeedRequest(url: "https://paid.test/search", cost: 10, monthlyCap: 500)] }
            }
            return feed
        }
    }

    private func give(_ mebibytes: Int64, to harness: EngineHarness) { harness.give(.freeSpace(mebibytes << 20)) }

    private func hosts(_ harness: EngineHarness) -> Set<String> {
        Set(harness.sent.compactMap { URL(string: $0.url)?.host })
    }

    @Test func paidReadsStopFirst() {
        let harness = harness()
        give(200, to: harness)
        #expect(harness.notices.isEmpty, "twice the floor is enough")
        give(199, to: harness)
        harness.run(.seconds(11)) { .empty($0) }
        #expect(hosts(harness) == ["free.test"])
        let floor = 100 * Self.mebibyte
        #expect(harness.notices.first == .paidReadsStopped(free: 199 * Self.mebibyte, floor: floor))
        let postponed = harness.notices.compactMap { notice -> Failure? in
            if case .pollPostponed("paid", let failure, _) = notice { failure } else { nil }
        }
        #expect(postponed.map(\.code) == ["low_disk"])
        #expect(harness.reports.map(\.source) == ["free"], "nobody is blamed")

        give(224, to: harness)
        #expect(!harness.notices.contains(.paidReadsResumed(free: 224 * Self.mebibyte)), "too little to be sure")
        give(225, to: harness)
        #expect(harness.notices.last == .paidReadsResumed(free: 225 * Self.mebibyte))
        harness.run(.seconds(120)) { .empty($0) }
        #expect(hosts(harness) == ["free.test", "paid.test"])
    }

    @Test func belowTheFloorNoPollBeginsAndRecoveryIsByItself() {
        let harness = harness()
        give(99, to: harness)
        let floor = 100 * Self.mebibyte
        #expect(
            harness.notices == [
                .paidReadsStopped(free: 99 * Self.mebibyte, floor: floor),
                .pollsStopped(free: 99 * Self.mebibyte, floor: floor),
            ])
        harness.run(.seconds(300)) { .empty($0) }
        #expect(harness.sent.isEmpty)
        harness.give(.poll(source: "free"))
        #expect(harness.abandoned == ["free"], "whoever asks for a poll is told")
        #expect(harness.refusals == ["disk_full"])
        #expect(harness.engine.summary.missingSpace == floor + floor / 8)

        give(112, to: harness)
        harness.advance(.zero)
        #expect(harness.sent.isEmpty, "an eighth above the floor is wanted")
        give(113, to: harness)
        #expect(harness.notices.last { if case .pollsResumed = $0 { true } else { false } } != nil)
        harness.run(.seconds(1)) { .empty($0) }
        #expect(hosts(harness) == ["free.test"], "what fell due begins at once, but for paid reads")
        #expect(harness.engine.summary.missingSpace == nil)
        #expect(harness.reports.allSatisfy { $0.end.failure == nil })
        give(1000, to: harness)
        #expect(harness.notices.last == .paidReadsResumed(free: 1000 * Self.mebibyte))
    }

    @Test func whatIsUnderWayEndsAndTruncationRuns() throws {
        let harness = EngineHarness(
            [EngineHarness.source("a", every: .seconds(60))],
            limits: EngineLimits(minimumFreeBytes: 100 * Self.mebibyte), lastTruncation: EngineHarness.start)
        harness.advance(.zero)
        let order = try #require(harness.takeOrder())
        give(1, to: harness)
        harness.give(.empty(order))
        #expect(harness.reports.count == 1)
        harness.advance(.seconds(3600))
        #expect(harness.sent.count == 1)
        #expect(!harness.truncations.isEmpty)
    }

    /// Polls have stopped, so nothing else would wake the daemon to check the free space.
    @Test func theEngineWakesToLookAgainOnlyWhilePollsPause() throws {
        let harness = harness(["free"])
        harness.run(.seconds(11)) { .empty($0) }
        let usual = try #require(harness.engine.nextWake)
        give(150, to: harness)
        #expect(harness.engine.nextWake == usual)
        give(50, to: harness)
        harness.advance(.seconds(600))
        let wake = try #require(harness.engine.nextWake)
        #expect(wake - harness.now.uptime <= .seconds(30))
    }

    @Test func withoutAFloorSpaceDoesNotMatter() {
        let harness = EngineHarness([EngineHarness.source("a")])
        give(0, to: harness)
        harness.advance(.zero)
        #expect(harness.notices.allSatisfy { if case .pollStarted = $0 { true } else { false } })
        #expect(harness.sent.count == 1)
    }
}
