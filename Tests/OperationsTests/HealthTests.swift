import Foundation
import Model
import Store
import Telling
import Testing

@testable import Operations
@testable import Settings

/// The verdicts of `visiventd health`.
@Suite struct HealthTests {
    /// 2026-03-01T00:00:00Z.
    private let now = Date(timeIntervalSince1970: 1_772_323_200)
    private static let week = 7 * 86_400

    private func source(
        _ name: String = "quakes", every interval: Int = 300, offset: Int = 0, isEnabled: Bool = true
    ) -> SourceSettings {
        SourceSettings(
            name: name, kind: "usgs", url: "https://example.org/\(name)", refreshInterval: .seconds(interval),
            offset: .seconds(offset), isEnabled: isEnabled)
    }

    /// A record with times given in seconds before now.
    private func record(
        _ name: String = "quakes", success: Double? = nil, attempt: Double? = nil, failures: Int = 0,
        failing: Double? = nil, dueIn: Double? = nil, because reason: DueReason? = nil, code: String = "timeout"
    ) -> SourceRecord {
        var record = SourceRecord(name: name, kind: "usgs")
        (record.nextDue, record.dueReason) = (dueIn.map { now + $0 }, reason)
        record.lastAttempt = (attempt ?? success).map { now - $0 }
        record.lastSuccess = success.map { now - $0 }
        (record.failures, record.failingSince) = (failures, failing.map { now - $0 })
        record.lastFailure = failures > 0 ? Failure(.network, code, "no answer") : nil
        return record
    }

    /// Facts of a daemon that has run for a day and truncated a minute ago; `change` adapts them to the case.
    private func facts(
        _ sources: [SourceSettings] = [], _ records: [SourceRecord] = [], begun: Double = 86_400,
        geocoding: GeocodingSettings = GeocodingSettings(),
        change: (inout HealthFacts, inout HealthFacts.Stored) -> Void = { _, _ in }
    ) -> HealthFacts {
        var stored = HealthFacts.Stored(
            sources: records, begun: now - begun, lastTruncation: now - 60, lastTrusted: now - 60)
        var settings = Settings(database: "/srv/v/events.sqlite", sources: sources)
        settings.geocoding = geocoding
        var facts = HealthFacts(
            now: now, settings: settings, configurationChanged: now - begun, isRunning: true, stored: .success(stored),
            freeBytes: 1 << 40)
        change(&facts, &stored)
        if case .success = facts.stored { facts.stored = .success(stored) }
        return facts
    }

    private func verdict(
        _ check: HealthReport.Check, _ facts: HealthFacts
    ) throws -> HealthReport.Verdict {
        try #require(HealthReport(facts).verdicts.first { $0.check == check })
    }

    /// The level of the check of the only source.
    private func level(_ settings: SourceSettings, _ record: SourceRecord?, begun: Double = 86_400) throws
        -> HealthReport.Level
    {
        try verdict(.source, facts([settings], record.map { [$0] } ?? [], begun: begun)).level
    }

    // MARK: - As a whole

    @Test func whatGoesAsItShouldIsHealthy() {
        let report = HealthReport(facts([source()], [record(success: 120)]))
        #expect(report.level == .ok)
        #expect(report.verdicts.allSatisfy { $0.level == .ok })
        let checks = HealthReport.Check.allCases.filter { ![.pictures, .targets].contains($0) }
        #expect(report.verdicts.map { $0.check } == checks, "no pictures are kept, and nobody is told")
    }

    @Test func picturesAreJudgedWhereTheyAreKept() throws {
        var facts = facts([source()], [record(success: 120)])
        facts.pictures = .success(PictureStatistics())
        #expect(HealthReport(facts).level == .ok)
        facts.pictures = .failure(StoreError(.cannotOpen, "it is not there"))
        let first = try #require(HealthReport(facts).verdicts.first)
        #expect(first.check == .pictures && first.level == .warning)
        facts.isRunning = false
        #expect(HealthReport(facts).verdicts.first { $0.check == .pictures }?.level == .ok)
    }

    @Test func targetsAreJudgedWhereSomebodyIsTold() throws {
        func verdict(_ change: (inout TargetState) -> Void) throws -> HealthReport.Verdict {
            var state = TargetState(target: "desk", name: "desk")
            change(&state)
            return try self.verdict(
                .targets,
                facts([source()], [record(success: 120)]) { _, stored in
                    stored.targets = [state]
                })
        }
        let well = try verdict { $0.outcomes = ["waiting": 2] }
        #expect(well.level == .ok)
        #expect(well.reason == "1 target, 2 messages waiting")
        #expect(try verdict { $0.trouble.failingSince = now - 3000 }.level == .ok)
        let failing = try verdict {
            ($0.trouble.failingSince, $0.trouble.failure) = (now - 3600, "no answer")
        }
        #expect(failing.level == .warning)
        #expect(failing.reason == "target desk: failing since 2026-02-28T23:00:00Z: no answer")
        #expect(try verdict { $0.trouble.isGone = true }.reason == "target desk: gone")
        #expect(try verdict { $0.expired = 1 }.reason == "1 message expired in the last day")
    }

    @Test func theWorstComesFirstAndOthersKeepTheirOrder() {
        let facts = facts(
            [source("a"), source("b"), source("c")],
            [record("a", success: 60), record("b", success: 90_000), record("c", success: 90_000)]
        ) { facts, _ in facts.isRunning = false }
        let report = HealthReport(facts)
        #expect(report.level == .failed)
        #expect(report.verdicts.prefix(3).map { $0.check } == [.daemon, .source, .source])
        #expect(report.verdicts.prefix(3).map { $0.source } == [nil, "b", "c"])
        #expect(report.verdicts.dropFirst(3).allSatisfy { $0.level == .ok })
        #expect(report.verdicts.last?.source == "a")
    }

    @Test func ofADatabaseThatTheDaemonIsOnlyToHaveNothingIsSaid() {
        let report = HealthReport(
            facts([source()], [record(success: 90_000)]) { facts, _ in
                facts.isRunning = false
                facts.hasOtherDatabase = true
            })
        #expect(report.verdicts.map { $0.check } == [.daemon, .configuration, .disk])
        #expect(report.verdicts.first?.level == .failed)
        #expect(report.verdicts.first?.reason.contains("restart it") == true)
    }

    @Test func aDaemonThatDoesNotRunHasFailedAndOneThatMayNotBeAskedForIsUnknown() throws {
        let stopped = try verdict(.daemon, facts { facts, _ in facts.isRunning = false })
        #expect(stopped.level == .failed)
        #expect(stopped.reason.contains("systemctl start visiventd"))
        let hidden = try verdict(.daemon, facts { facts, _ in facts.isRunning = nil })
        #expect(hidden.level == .unknown)
        #expect(hidden.reason.contains("may not be read"))
    }

    @Test func aDaemonThatCannotPollHasFailed() throws {
        let paused = facts { facts, _ in facts.pause = "polls pause: nothing can be stored, next try soon" }
        let daemon = try verdict(.daemon, paused)
        #expect(daemon.level == .failed)
        #expect(daemon.reason == "running, but polls pause: nothing can be stored, next try soon")
        #expect(try verdict(.disk, paused).level == .ok)
    }

    @Test func aDaemonThatCannotBeAskedIsAWarning() throws {
        let silent = try verdict(.daemon, facts { facts, _ in facts.silence = "nobody listens: restart it" })
        #expect(silent.level == .warning)
        #expect(silent.reason == "running, but cannot be asked whether it polls: nobody listens: restart it")
    }

    @Test func withoutADatabaseNothingOfItIsJudged() throws {
        let facts = facts([source()], [record()]) { facts, _ in
            facts.stored = .failure(StoreError(.cannotOpen, "There is no database"))
        }
        let report = HealthReport(facts)
        #expect(report.verdicts.map { $0.check } == [.database, .daemon, .configuration, .disk])
        #expect(report.verdicts.first?.reason == "There is no database")
        #expect(report.level == .failed)
    }

    @Test func whatAUserMayNotLookAtIsUnknownAndWorseThanAWarning() throws {
        let hidden = facts { facts, _ in
            facts.isRunning = nil
            facts.isForbidden = true
            facts.freeBytes = nil
            facts.stored = .failure(StoreError(.cannotOpen, "it may not be read"))
        }
        let report = HealthReport(hidden)
        #expect(report.verdicts.map(\.level) == [.unknown, .unknown, .unknown, .ok])
        #expect(report.level == .unknown && report.level(isStrict: true) == .unknown)
        #expect(report.summary(of: hidden).hasPrefix("VISIVENTD UNKNOWN - 3 of 4 checks: daemon: cannot be told: "))
        #expect(HealthReport.Level.allCases.sorted() == [.ok, .warning, .unknown, .failed])
        #expect(HealthReport.Level.allCases.map(\.rawValue) == [0, 1, 2, 3], "the exit codes of plugins")
    }

    // MARK: - The configuration

    @Test func aConfigurationWithFaultsIsAWarningAndTheStoredSourcesAreJudged() throws {
        let records = [
            record("old", success: 60, dueIn: 240), record("stuck", success: 90_000, dueIn: -80_000),
        ]
        let faulty = facts([source("new")], records) { facts, stored in
            facts.configurationFaults = ["v.yaml:3:1: kind: found cup", "v.yaml:9:1: found x"]
            stored.lastTruncation = nil
        }
        let report = HealthReport(faulty)
        let configuration = try verdict(.configuration, faulty)
        #expect(configuration.level == .warning)
        #expect(
            configuration.reason
                == "v.yaml:3:1: kind: found cup and 1 more; the one before is in force, and a restart would fail")
        #expect(report.verdicts.filter { $0.check == .source }.map(\.source) == ["stuck", "old"])
        #expect(report.verdicts.first { $0.source == "stuck" }?.level == .warning)
        #expect(report.verdicts.first { $0.source == "old" }?.level == .ok)
        let checks: Set<HealthReport.Check> = [.daemon, .configuration, .database, .disk, .clock, .source]
        #expect(Set(report.verdicts.map(\.check)) == checks, "others depend on the configuration in force")
        let stopped = facts { facts, _ in
            facts.configurationFaults = ["v.yaml:3:1: kind: found cup"]
            facts.isRunning = false
        }
        #expect(try verdict(.configuration, stopped).reason == "v.yaml:3:1: kind: found cup; a start would fail")
    }

    @Test func aConfigurationThatTheDaemonCannotReadIsAWarningWhileItRuns() throws {
        func judged(isRunning: Bool) throws -> HealthReport.Verdict {
            try verdict(
                .configuration,
                facts { facts, stored in
                    facts.isRunning = isRunning
                    stored.refused = RefusedConfiguration(
                        at: now - 60, faults: ["v.yaml: cannot be read: Permission denied"], obstacle: .unread)
                })
        }
        let refused = try judged(isRunning: true)
        #expect(refused.level == .warning)
        #expect(
            refused.reason == "could not be read 2026-02-28T23:59:00Z, the one before is in force: "
                + "v.yaml: cannot be read: Permission denied")
        #expect(try judged(isRunning: false).level == .ok, "the note is of a daemon that has ended")
    }

    @Test func withoutADatabaseThatIsNamedNothingIsKnown() throws {
        var unknown = facts()
        unknown.settings.database = ""
        unknown.configurationFaults = ["v.yaml: cannot be read: No such file or directory"]
        let report = HealthReport(unknown)
        #expect(report.verdicts.map(\.check) == [.configuration])
        #expect(report.level == .unknown)
        #expect(report.summary(of: unknown).hasSuffix("--database names one"), "without figures")
        let metrics = report.metrics(of: unknown, program: "1")
        #expect(metrics.contains("visiventd_check_status{check=\"configuration\"} 3\n"))
        #expect(!metrics.contains("visiventd_up"))
    }

    // MARK: - The summary

    @Test func theSummaryNamesTheWorstAndHasFiguresBehindABar() {
        var well = facts([source()], [record(success: 60)])
        (well.databaseBytes, well.walBytes) = (4096, 32)
        let figures =
            " | free=1099511627776B;;268435456:;0 database=4096B;;;0 wal=32B;;;0 sources=1;;;0 late=0;;;0 "
            + "new_events=0;;;0 questions=0;;;0"
        #expect(HealthReport(well).summary(of: well) == "VISIVENTD OK - 9 checks" + figures)
        let late = facts(
            ["a", "b", "c", "d"].map { source($0) }, ["a", "b", "c", "d"].map { record($0, success: 90_000) }
        ) { facts, _ in facts.silence = "a | b" }
        let report = HealthReport(late)
        let summary = report.summary(of: late)
        #expect(
            summary.hasPrefix(
                "VISIVENTD WARNING - 5 of 12 checks: daemon: running, but cannot be asked whether it polls: a / b; "
                    + "source a: last success 1d1h ago; late since "), "\(summary)")
        #expect(summary.contains("; and 2 more | free="))
        #expect(summary.contains(" sources=4;;;0 late=4;;;0"))
        #expect(report.summary(of: late, isStrict: true).hasPrefix("VISIVENTD CRITICAL - 5 of 12 checks"))
        #expect(report.level == .warning && report.level(isStrict: true) == .failed)
        #expect(report.json(at: now, isStrict: true).hasPrefix("{\"status\":\"failed\""))
    }

    @Test func aDiskBelowTheFloorHasFailed() throws {
        let floor = Int64(DiskSettings().minimumFreeBytes)
        #expect(try verdict(.disk, facts { facts, _ in facts.freeBytes = floor }).level == .ok)
        #expect(try verdict(.disk, facts { facts, _ in facts.freeBytes = floor - 1 }).level == .failed)
        #expect(try verdict(.disk, facts { facts, _ in facts.freeBytes = nil }).level == .failed)
    }

    @Test func aClockBehindWhatAServerConfirmedIsAWarning() throws {
        #expect(try verdict(.clock, facts { _, stored in stored.lastTrusted = nil }).level == .ok)
        #expect(try verdict(.clock, facts { _, stored in stored.lastTrusted = now + 600 }).level == .ok)
        #expect(try verdict(.clock, facts { _, stored in stored.lastTrusted = now + 601 }).level == .warning)
    }

    @Test func aClockThatServersContradictIsAWarning() throws {
        let behind = try verdict(.clock, facts { facts, _ in facts.clockError = 40 * 86_400 })
        #expect(behind.level == .warning)
        #expect(behind.reason == "it says 2026-03-01T00:00:00Z, 40d behind servers; set the clock")
        let ahead = try verdict(.clock, facts { facts, _ in facts.clockError = -3660 })
        #expect(ahead.reason.contains("1h1m ahead of servers"))
    }

    // MARK: - Sources

    /// Interval, and the age at which a source is late: another interval, but at least 15 minutes and at most a day.
    @Test(arguments: [(10, 910), (300, 1200), (3600, 7200), (86_400, 172_800), (604_800, 691_200)])
    func aSourceIsLateWhenItsLastSuccessIsTooOld(interval: Int, bound: Int) throws {
        let settings = source(every: interval)
        let begun = Double(3 * Self.week)
        #expect(try level(settings, record(success: Double(bound)), begun: begun) == .ok)
        #expect(try level(settings, record(success: Double(bound + 1)), begun: begun) == .warning)
        let verdict = try verdict(.source, facts([settings], [record(success: 5)], begun: begun))
        #expect(verdict.lateFrom == now + Double(bound - 5))
    }

    @Test func afterAStartASourceHasUntilItsFirstPollCanHaveEnded() throws {
        let settings = source(offset: 120)
        let old = record(success: 90_000)
        #expect(try level(settings, old, begun: 1020) == .ok)
        #expect(try level(settings, old, begun: 1021) == .warning)
    }

    @Test func aSourceThatWasChangedHasUntilItsFirstPollAndNoOther() throws {
        let old = [record("a", success: 90_000), record("b", success: 90_000)]
        let facts = facts([source("a", offset: 120), source("b", offset: 120)], old) { _, stored in
            stored.renewed = ["a": now - 1020]
        }
        #expect(HealthReport(facts).verdicts.filter { $0.level == .warning }.map { $0.source } == ["b"])
    }

    @Test func aSourceThatHasFailedGetsNoGraceFromAStart() throws {
        let failing = record(success: 90_000, attempt: 60, failures: 9, failing: 89_000)
        #expect(try level(source(), failing, begun: 1) == .warning)
    }

    @Test func aNewSourceIsHealthyUntilItsFirstPollCanHaveEnded() throws {
        let settings = source("new", every: Self.week, offset: 3600)
        #expect(try level(settings, record("new"), begun: 4500) == .ok)
        let late = try verdict(.source, facts([settings], [record("new")], begun: 4501))
        #expect(late.level == .warning)
        #expect(late.reason.contains("visiventd poll new"))
    }

    @Test func aSourceThatHasNeverSucceededIsLateSoonerThanOneThatHas() throws {
        let settings = source()
        #expect(try level(settings, record(attempt: 30, failures: 4, failing: 900)) == .ok)
        #expect(try level(settings, record(attempt: 30, failures: 4, failing: 901)) == .warning)
        let weekly = source(every: Self.week)
        #expect(try level(weekly, record(attempt: 30, failures: 9, failing: 86_401)) == .warning)
        #expect(try level(weekly, record(success: 700_000, attempt: 30, failures: 1, failing: 90)) == .warning)
        #expect(try level(weekly, record(success: 604_900, attempt: 30, failures: 1, failing: 90)) == .ok)
    }

    @Test func aLateSourceSaysWhyAndWhenItIsAskedAgain() throws {
        let late = try verdict(
            .source, facts([source()], [record(success: 7200, attempt: 60, failures: 7, failing: 6900, dueIn: 1800)]))
        for words in [
            "last success 2h ago, then 7 failures, the last: no answer", "next poll in 30m", "late since 2026-02-28",
        ] {
            #expect(late.reason.contains(words), "\(late.reason)")
        }
    }

    @Test func oneFailureIsTold() throws {
        let once = try verdict(.source, facts([source()], [record(success: 60, failures: 1, failing: 5)]))
        #expect(once.reason.hasPrefix("last success 1m ago, then 1 failure: no answer (network: timeout); late from "))
        let never = try verdict(.source, facts([source()], [record(failures: 2, failing: 5)]))
        #expect(never.reason.hasPrefix("no success yet, 2 failures, the last: no answer (network: timeout); "))
    }

    @Test func aServerMayAskToBeLeftAloneForADay() throws {
        let settings = source()
        let asked = record(success: 40_000, dueIn: 40_000, because: .rateLimit)
        #expect(try level(settings, asked) == .ok)
        let long = record(success: 90_000, dueIn: 900_000, because: .serverInterval)
        #expect(try verdict(.source, facts([settings], [long])).lateFrom == now - 90_000 + 86_400 + 900)
        // A later poll has begun and never ended.
        let stuck = record(success: 40_000, attempt: 300, dueIn: 40_000, because: .rateLimit)
        #expect(try level(settings, stuck) == .warning)
        // Ordinary due times do not extend the limit, since each attempt moves them.
        #expect(try level(settings, record(success: 40_000, dueIn: 40_000, because: .interval)) == .warning)
    }

    @Test func aCapOfPaidReadsThatIsReachedIsNoTrouble() throws {
        let capped = record(success: 900_000, attempt: 60, failures: 20, failing: 800_000, code: "spend_cap")
        #expect(try level(source(), capped) == .ok)
    }

    @Test func aBudgetIsAWarningFromFourFifthsOn() throws {
        func filled(_ total: StoredAmount, today: StoredAmount = StoredAmount(), on day: Date? = nil) -> SourceRecord {
            var full = record(success: 10)
            full.use = SourceUse(
                budget: SourceBudget(
                    daily: StoredAmount(rows: 100, bytes: 1000), total: StoredAmount(rows: 1000, bytes: 10_000)),
                total: total, ofDay: today, day: SourceUse.day(of: day ?? now))
            return full
        }
        #expect(try level(source(), filled(StoredAmount(rows: 799, bytes: 7999))) == .ok)
        #expect(try level(source(), filled(StoredAmount(rows: 800))) == .warning)
        #expect(try level(source(), filled(StoredAmount(bytes: 8000))) == .warning)
        #expect(try level(source(), filled(StoredAmount(), today: StoredAmount(rows: 80))) == .warning)
        #expect(try level(source(), filled(StoredAmount(), today: StoredAmount(rows: 100), on: now - 86_400)) == .ok)
        let full = try verdict(.source, facts([source()], [filled(StoredAmount(rows: 1000))]))
        #expect(
            full.reason.hasPrefix(
                "new events wait, its budget is used up (0 of 100 rows, 0 KiB of 0 KiB today, "
                    + "1000 of 1000 rows, 0 KiB of 9 KiB in all); last success"))
        let stored = HealthFacts.Stored(sources: [filled(StoredAmount(rows: 900))], begun: now - 86_400)
        let recorded = HealthReport(ofRecord: stored, at: now).verdicts.first { $0.check == .source }
        #expect(recorded?.level == .warning)
    }

    @Test func aPartThatBringsNothingBeyondItsToleranceIsAWarning() throws {
        func lacking(_ part: String, for seconds: Double) -> SourceRecord {
            var polled = record(success: 7, dueIn: 293)
            polled.shortfalls = [
                Shortfall(part: part, since: now - seconds, words: "100 documents: a.test answered 503")
            ]
            return polled
        }
        for part in ["documents", "topic x", "items"] {
            #expect(try level(source(), lacking(part, for: 900)) == .ok)
            #expect(try level(source(), lacking(part, for: 901)) == .warning)
            #expect(try level(source(every: 3600), lacking(part, for: 3600)) == .ok)
        }
        let verdict = try verdict(.source, facts([source()], [lacking("documents", for: 7200)]))
        #expect(
            verdict.reason.hasPrefix(
                "last success 7s ago; nothing of documents for 2h: 100 documents: a.test answered 503; late since "))
        #expect(verdict.lateFrom == now - 6300)
        // Of the database alone the wait for the due time stands for the interval.
        let stored = HealthFacts.Stored(sources: [lacking("documents", for: 901)], begun: now - 86_400)
        let recorded = HealthReport(ofRecord: stored, at: now).verdicts.first { $0.check == .source }
        #expect(recorded?.level == .warning)
    }

    @Test func aSuccessByAClockThatRanAheadDoesNotHideFailures() throws {
        let ahead = record(success: -900_000, attempt: 60, failures: 9, failing: 1201)
        #expect(try level(source(), ahead) == .warning)
        #expect(try level(source(), record(success: -900_000)) == .ok)
    }

    @Test func disabledSourcesAreNotJudged() {
        let report = HealthReport(facts([source(isEnabled: false)], [record(success: 900_000)]))
        #expect(!report.verdicts.contains { $0.check == .source })
    }

    @Test func aSourceThatTheDaemonDoesNotKnowIsLateAWhileAfterTheFileChanged() throws {
        func level(changed: Double, _ records: [SourceRecord]) throws -> HealthReport.Level {
            let facts = facts([source("new")], records) { facts, _ in facts.configurationChanged = now - changed }
            return try verdict(.source, facts).level
        }
        var disabled = record("new", success: 10)
        disabled.isEnabled = false
        for records in [[], [disabled]] {
            #expect(try level(changed: 900, records) == .ok)
            #expect(try level(changed: 901, records) == .warning)
        }
    }

    // MARK: - Truncation

    @Test func truncationIsLateByOneMoreIntervalButNotRightAfterAStart() throws {
        func level(last: Double?, begun: Double) throws -> HealthReport.Level {
            try verdict(.truncation, facts(begun: begun) { _, stored in stored.lastTruncation = last.map { now - $0 } })
                .level
        }
        #expect(try level(last: 7200, begun: 86_400) == .ok)
        #expect(try level(last: 7201, begun: 86_400) == .warning)
        // 300 s until the first run, and 1 h of tolerance.
        #expect(try level(last: 900_000, begun: 3900) == .ok)
        #expect(try level(last: 900_000, begun: 3901) == .warning)
        #expect(try level(last: nil, begun: 3900) == .ok)
        #expect(try level(last: nil, begun: 3901) == .warning)
        #expect(try level(last: -900_000, begun: 86_400) == .warning, "a time in the future is no proof")
    }

    // MARK: - Places

    @Test func withoutACityTableEventsMayWait() throws {
        let verdict = try verdict(
            .cityTable, facts { _, stored in stored.queue = QueueAges(newEvents: 7, oldestNew: now - 900_000) })
        #expect(verdict.level == .ok)
        #expect(verdict.reason == "not seeded; 7 events wait for one")
        let single = try self.verdict(
            .cityTable, facts { _, stored in stored.queue = QueueAges(newEvents: 1, oldestNew: now - 900_000) })
        #expect(single.reason == "not seeded; 1 event waits for one")
    }

    @Test func aTableThatCannotBeUsedIsAWarning() throws {
        let verdict = try verdict(.cityTable, facts { facts, _ in facts.table = .unusable("it is damaged") })
        #expect(verdict.level == .warning)
        #expect(verdict.reason == "it is damaged")
    }

    @Test func eventsThatNoTableLooksAtAreLateFromTheLastOfStartSeedingAndQueueing() throws {
        func level(queued: Double, seeded: Double, begun: Double) throws -> HealthReport.Level {
            let facts = facts(begun: begun) { facts, stored in
                facts.table = .seeded(now - seeded)
                stored.queue = QueueAges(newEvents: 1, oldestNew: now - queued)
            }
            return try verdict(.cityTable, facts).level
        }
        #expect(try level(queued: 901, seeded: 901, begun: 901) == .warning)
        #expect(try level(queued: 900, seeded: 901, begun: 901) == .ok)
        #expect(try level(queued: 901, seeded: 900, begun: 901) == .ok)
        #expect(try level(queued: 901, seeded: 901, begun: 900) == .ok)
        let idle = facts { facts, _ in facts.table = .seeded(now - 900_000) }
        #expect(try verdict(.cityTable, idle).level == .ok)
    }

    @Test func questionsThatNoServiceIsAskedAreLateAfterTwoHours() throws {
        func verdict(
            waiting: Int = 3, question: Double = 90_000, asked: Double?, today: Int = 0, begun: Double = 86_400,
            isConfigured: Bool = true
        ) throws -> HealthReport.Verdict {
            var nominatim = ProviderSettings(.nominatim)
            (nominatim.isEnabled, nominatim.dailyQuota) = (isConfigured, 100)
            let facts = facts(begun: begun, geocoding: GeocodingSettings(nominatim: nominatim)) { _, stored in
                stored.queue = QueueAges(
                    waitingQuestions: waiting, oldestQuestion: waiting > 0 ? now - question : nil)
                let last = asked.map { now - $0 }
                stored.usage = [.nominatim: ProviderUsage(lastRequest: last, today: today, thisMonth: today)]
                stored.troubles = [.nominatim: "failing: no answer"]
            }
            return try self.verdict(.services, facts)
        }
        #expect(try verdict(asked: 7200).level == .ok)
        let late = try verdict(asked: 7201)
        #expect(late.level == .warning)
        #expect(late.reason.contains("nominatim: failing: no answer"))
        #expect(try verdict(asked: nil).level == .warning)
        #expect(try verdict(question: 60, asked: nil).level == .ok)
        #expect(try verdict(asked: nil, begun: 60).level == .ok)
        #expect(try verdict(waiting: 0, asked: nil).level == .ok)
        #expect(try verdict(asked: 50_000, today: 100).level == .ok, "its quota is used up, as configured")
        #expect(try verdict(asked: nil, isConfigured: false).level == .ok)
    }
}
