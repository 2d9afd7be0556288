import Foundation
import Model
import Testing

@testable import Engine

@Suite struct ScheduleTests {
    @Test func firstPollsComeAtTheirOffsetsAndThenOnTheGrid() {
        let harness = EngineHarness([
            EngineHarness.source("a", every: .seconds(60)),
            EngineHarness.source("b", every: .seconds(100), offset: .seconds(7)),
        ])
        harness.run(.seconds(250)) { .empty($0) }
        #expect(
            harness.sent.filter { $0.url.contains("a.test") }.map(\.at) == [0, 60, 120, 180, 240].map { .seconds($0) })
        #expect(harness.sent.filter { $0.url.contains("b.test") }.map(\.at) == [7, 107, 207].map { .seconds($0) })
    }

    /// A first request leaves after name look-up, connection and TLS, later ones at once.
    @Test func theGapCountsFromWhenTheLastRequestLeft() throws {
        let harness = EngineHarness(
            ["a", "b"].map { EngineHarness.source($0, url: "https://x.test/\($0)", every: .seconds(300)) },
            limits: EngineLimits(perHostGap: .seconds(1)))
        harness.advance(.zero)
        let first = try #require(harness.takeOrder())
        harness.advance(.milliseconds(400))
        let left = harness.now.uptime - .milliseconds(100)
        harness.give(.answered(first.id, FeedAnswer(), FetchFacts(sent: left)))
        harness.advance(.seconds(2))
        #expect(harness.sent.map(\.at) == [.zero, .milliseconds(1300)])
    }

    @Test func aSlowPollNeitherOverlapsItselfNorShiftsTheGrid() throws {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        harness.advance(.seconds(150))
        #expect(harness.sent.count == 1)
        harness.give(.empty(try #require(harness.takeOrder())))
        harness.advance(.seconds(29))
        #expect(harness.sent.count == 1)
        harness.advance(.seconds(1))
        #expect(harness.sent.map(\.at) == [.zero, .seconds(180)], "missed ticks collapse into one, on the grid")
    }

    /// `visiventd check` predicts the waits by this rule.
    @Test func whatWaitsForItsHostIsNotDueASecondTime() {
        let harness = EngineHarness([
            EngineHarness.source("a", url: "https://x.test/a", every: .seconds(1)),
            EngineHarness.source("b", url: "https://x.test/b", every: .seconds(10)),
        ])
        harness.run(.seconds(55)) { .empty($0) }
        let seldom = harness.sent.filter { $0.url.hasSuffix("/b") }.map(\.at)
        let waits = seldom.enumerated().map { $0.element - Duration.seconds(10 * $0.offset) }
        #expect(waits.count == 6 && waits.allSatisfy { $0 <= .seconds(1) }, "\(seldom)")
    }

    @Test func theAttemptIsStoredBeforeTheRequest() {
        let harness = EngineHarness([EngineHarness.source("a")])
        let effects = harness.engine.handle(.tick, at: harness.now)
        let requests = effects.filter { if case .fetch = $0 { true } else { false } }
        let beginnings = effects.filter { if case .write(_, .begin) = $0 { true } else { false } }
        #expect(requests.isEmpty)
        #expect(beginnings.count == 1)
    }

    @Test func aRestartKeepsThePersistedDueTime() {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.nextDue = EngineHarness.start.addingTimeInterval(40)
        record.dueReason = .interval
        let harness = EngineHarness([EngineHarness.source("a", offset: .seconds(5))], records: ["a": record])
        harness.advance(.seconds(39))
        #expect(harness.sent.isEmpty, "no poll earlier than due after a restart")
        harness.advance(.seconds(1))
        #expect(harness.sent.map(\.at) == [.seconds(40)])
    }

    @Test(arguments: [
        (Failure(.operator, .secret, "/token cannot be read"), true),
        (Failure(.operator, .nothingToAsk, "bearer_token_file cannot be used"), true),
        (Failure(.operator, "http_401", "answered 401", status: 401), false),
        (Failure(.network, .timeout, "took too long"), false),
    ])
    func aBackOffForWantOfASecretEndsWithARestart(failure: Failure, ends: Bool) {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.nextDue = EngineHarness.start.addingTimeInterval(3000)
        record.dueReason = .backOff
        record.failures = 6
        record.lastFailure = failure
        let source = EngineHarness.source("a", offset: .seconds(5))
        let harness = EngineHarness([source], records: ["a": record])
        harness.advance(.seconds(10))
        #expect(harness.sent.map(\.at) == (ends ? [.seconds(5)] : []))
        // A failure before the last success says nothing.
        record.failures = 0
        record.dueReason = .interval
        let other = EngineHarness([source], records: ["a": record])
        other.advance(.seconds(10))
        #expect(other.sent.isEmpty)
    }

    @Test func aDueTimeThatHasPassedPollsAtStartPlusOffset() {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.nextDue = EngineHarness.start.addingTimeInterval(-1000)
        record.dueReason = .interval
        let harness = EngineHarness([EngineHarness.source("a", offset: .seconds(5))], records: ["a": record])
        harness.advance(.seconds(10))
        #expect(harness.sent.map(\.at) == [.seconds(5)])
    }

    @Test func aWrongClockSilencesNothing() {
        var record = SourceRecord(name: "a", kind: "scripted")
        record.nextDue = EngineHarness.start
        record.dueReason = .interval
        // The machine woke up in 1970: the stored due time seems decades away.
        let harness = EngineHarness(
            [EngineHarness.source("a")], records: ["a": record], wall: Date(timeIntervalSince1970: 0))
        harness.advance(.seconds(300))
        #expect(harness.sent.map(\.at) == [.seconds(300)])
    }

    @Test(arguments: [Duration.seconds(7200), .seconds(-7200)])
    func stepsOfTheWallClockMoveNoPoll(step: Duration) {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        harness.run(.seconds(30)) { .empty($0) }
        harness.advance(.zero, wallStep: step)
        harness.run(.seconds(100)) { .empty($0) }
        #expect(harness.sent.map(\.at) == [.zero, .seconds(60), .seconds(120)])
    }

    @Test func theForecastIsWhatHappens() {
        let sources = [
            EngineHarness.source("a", every: .seconds(60)),
            EngineHarness.source("b", every: .seconds(90), offset: .seconds(20)),
        ]
        let harness = EngineHarness(sources)
        let forecast = harness.engine.forecast(for: .seconds(600), at: harness.now)
        var happened: [Forecast] = []
        harness.run(.seconds(599)) { .empty($0) }
        for (url, at) in harness.sent {
            happened.append(
                Forecast(
                    at: EngineHarness.start.addingTimeInterval(at.seconds), source: url.contains("a.test") ? "a" : "b"))
        }
        for at in harness.truncations { happened.append(Forecast(at: at, source: nil)) }
        #expect(
            forecast.filter { $0.source != nil }
                == happened.filter { $0.source != nil }.sorted { ($0.at, $0.source ?? "") < ($1.at, $1.source ?? "") })
        #expect(forecast.contains { $0.source == nil && $0.at == EngineHarness.start.addingTimeInterval(300) })
    }

    @Test func aGridNeverReturnsTheTimeItWasAskedFor() {
        let hours = Grid(anchor: .milliseconds(17_003), interval: .seconds(3600))
        let times = (1...10_000).map { hours.anchor + .seconds(3600 * $0) }
        #expect(times.dropLast().map { hours.next(after: $0) } == Array(times.dropFirst()))
        let grid = Grid(anchor: .seconds(10), interval: .seconds(5))
        #expect(grid.next(after: .zero) == .seconds(10))
        #expect(grid.next(after: .seconds(10)) == .seconds(15))
        #expect(grid.next(after: .seconds(14)) == .seconds(15))
        #expect(grid.next(after: .seconds(1_000_000_001)) == .seconds(1_000_000_005))
    }

    @Test func backOffDoublesUpToItsCeilingAndIsSpread() {
        let middle = (1...9).map {
            Backoff.delay(failures: $0, interval: .seconds(300), spread: 0.5).components.seconds
        }
        #expect(middle == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
        #expect(Backoff.delay(failures: 1, interval: .seconds(10), spread: 0.5) == .seconds(10))
        #expect(Backoff.delay(failures: 90, interval: .seconds(10_080), spread: 0.5) == .seconds(10_080))
        #expect(Backoff.delay(failures: 1, interval: .seconds(300), spread: 0) == .seconds(48))
        #expect(Backoff.delay(failures: 1, interval: .seconds(300), spread: 1).milliseconds == 72_000)
    }
}
