import Foundation
import Model
import Settings
import Store

/// The rules of `visiventd health`; docs/operations.md describes them.
struct HealthJudge {
    typealias Verdict = HealthReport.Verdict

    /// The time for a first poll, a look-up in the city table or a reload.
    static let slack = Duration.leastTolerance
    /// The longest time without a request while questions wait. It is above the longest back-off of a question (1 h)
    /// and the wait after a service's failures (30 min).
    static let servicePause = Duration.seconds(2 * 3600)
    /// How far the clock may be before a time that a server confirmed; the tolerance of `ClockJudge`.
    static let clockTolerance = Duration.seconds(600)

    /// The share of a source's budget from which on it is a warning.
    static let fullShare = 0.8

    let facts: HealthFacts

    var verdicts: [Verdict] {
        guard !facts.settings.database.isEmpty else { return [configuration] }
        // The running daemon still uses another database, so checks of this one would mislead.
        guard !facts.hasOtherDatabase else { return [daemon, configuration, disk] }
        var verdicts = [daemon, configuration, database, disk]
        if case .success(let stored) = facts.stored {
            // What is in force is known by what is stored.
            guard facts.configurationFaults.isEmpty else {
                return verdicts + [clock(stored)] + stored.sources.filter(\.isEnabled).map { recorded($0, stored) }
            }
            verdicts += [clock(stored), truncation(stored), cityTable(stored), services(stored)]
            verdicts += [pictures, telling(stored)].compactMap { $0 }
            let records = Dictionary(stored.sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            for settings in facts.settings.sources where settings.isEnabled {
                verdicts.append(source(settings, records[settings.name], stored))
            }
        }
        return verdicts
    }

    // MARK: - The daemon and its place

    private var daemon: Verdict {
        let lock = facts.settings.database + ".lock"
        switch facts.isRunning {
        case true?:
            if let pause = facts.pause {
                return Verdict(.daemon, .failed, "running, but \(pause)")
            }
            guard let silence = facts.silence else { return Verdict(.daemon, .ok, "running") }
            return Verdict(.daemon, .warning, "running, but cannot be asked whether it polls: \(silence)")
        case false? where facts.hasOtherDatabase:
            return Verdict(
                .daemon, .failed,
                "running, but with another database than \(facts.settings.database) open: restart it, since an "
                    + "edit of database takes effect then")
        case false?:
            return Verdict(
                .daemon, .failed,
                "not running: no daemon holds \(lock); start it: systemctl start visiventd, or visiventd run")
        case nil:
            return Verdict(
                .daemon, .unknown, "cannot be told: \(lock) may not be read by this user; members of its group may")
        }
    }

    /// Whether the file's configuration is the one in force, or could be.
    private var configuration: Verdict {
        let file = facts.settings.file
        let running = facts.isRunning == true
        if !facts.configurationFaults.isEmpty {
            let isUnknown = facts.settings.database.isEmpty
            let end =
                isUnknown
                ? "so it is not known which database to look at: --database names one"
                : running ? "the one before is in force, and a restart would fail" : "a start would fail"
            return Verdict(
                .configuration, isUnknown ? .unknown : .warning, "\(Self.first(of: facts.configurationFaults)); \(end)")
        }
        guard running, let refused = try? facts.stored.get().refused else {
            return Verdict(.configuration, .ok, "\(file) has no faults")
        }
        return Verdict(
            .configuration, .warning,
            "\(refused.words) \(refused.at.wholeSeconds), the one before is in force: "
                + Self.first(of: refused.faults))
    }

    private static func first(of faults: [String]) -> String {
        (faults.first ?? "") + (faults.count > 1 ? " and \(faults.count - 1) more" : "")
    }

    private var database: Verdict {
        switch facts.stored {
        case .success:
            return Verdict(.database, .ok, "\(facts.settings.database) can be read")
        case .failure(let error):
            return Verdict(.database, facts.isForbidden ? .unknown : .failed, error.message)
        }
    }

    private var disk: Verdict {
        guard let free = facts.freeBytes else {
            return Verdict(
                .disk, facts.isForbidden ? .unknown : .failed,
                "the free space of the folder of \(facts.settings.database) cannot be told; is it there?")
        }
        let floor = facts.freeBytesFloor
        let reason = "\(free.asSize()) free in the database's folder, at least \(floor.asSize()) needed"
        return Verdict(.disk, free < max(1, floor) ? .failed : .ok, reason)
    }

    func clock(_ stored: HealthFacts.Stored) -> Verdict {
        if let error = facts.clockError {
            return Verdict(
                .clock, .warning, "it says \(facts.now.wholeSeconds), \(ClockError.words(error)); set the clock")
        }
        guard let trusted = stored.lastTrusted, isAhead(trusted) else {
            return Verdict(.clock, .ok, "not before the last time that a server confirmed")
        }
        return Verdict(
            .clock, .warning,
            "it says \(facts.now.wholeSeconds), but a server confirmed \(trusted.wholeSeconds) already; "
                + "set the clock")
    }

    // MARK: - Periodic actions

    private func truncation(_ stored: HealthFacts.Stored) -> Verdict {
        let plan = facts.settings.truncation
        let first = begin(of: stored).adding(plan.first)
        let last = stored.lastTruncation.flatMap { isAhead($0) ? nil : $0 }
        let due = last.map { max(first, $0.adding(plan.interval)) } ?? first
        return timed(
            .truncation, last.map { "last \(age($0)) ago" } ?? "none yet",
            lateFrom: due.adding(plan.interval.tolerance),
            whenLate: "does the log say that it is skipped or has failed?")
    }

    /// Nil: none are kept.
    private var pictures: Verdict? {
        switch facts.pictures {
        case nil: return nil
        case .success(let figures)?:
            return Verdict(
                .pictures, .ok,
                "\(figures.kept) of \(figures.named) kept, \(figures.bytes.asSize()), "
                    + "\(figures.requestsToday) requests today")
        case .failure(let error)?:
            return Verdict(
                .pictures, facts.isRunning == true ? .warning : .ok,
                "their file cannot be read; the daemon makes it at its start: \(error.message)")
        }
    }

    private func cityTable(_ stored: HealthFacts.Stored) -> Verdict {
        let waiting = stored.queue.newEvents
        switch facts.table {
        case .missing:
            let reason = waiting == 0 ? "not seeded" : "not seeded; \(Self.waiting(waiting, "event")) for one"
            return Verdict(.cityTable, .ok, reason)
        case .unusable(let reason):
            return Verdict(.cityTable, .warning, reason)
        case .seeded(let seeded):
            guard let oldest = stored.queue.oldestNew, waiting > 0 else {
                return Verdict(.cityTable, .ok, "no event waits to be looked up")
            }
            return timed(
                .cityTable, "\(Self.waiting(waiting, "event")) to be looked up, the first for \(age(oldest))",
                lateFrom: max(oldest, seeded, begin(of: stored)).adding(Self.slack))
        }
    }

    private func services(_ stored: HealthFacts.Stored) -> Verdict {
        let plans = facts.settings.geocoding.plans
        guard !plans.isEmpty else { return Verdict(.services, .ok, "none is configured") }
        let waiting = stored.queue.waitingQuestions
        guard let oldest = stored.queue.oldestQuestion, waiting > 0 else {
            return Verdict(.services, .ok, "no question waits")
        }
        let open = plans.filter { plan in
            let usage = stored.usage[plan.provider] ?? ProviderUsage()
            return usage.today < plan.dailyQuota ?? .max && usage.thisMonth < plan.monthlyQuota ?? .max
        }
        guard !open.isEmpty else {
            return Verdict(.services, .ok, "\(Self.waiting(waiting, "question")) until there is quota again")
        }
        let asked = plans.compactMap { stored.usage[$0.provider]?.lastRequest }.max()
        let troubles = plans.compactMap { plan in
            stored.troubles[plan.provider].map { "\(plan.provider.rawValue): \($0)" }
        }
        return timed(
            .services,
            Self.waiting(waiting, "question") + ", "
                + (asked.map { "a service was last asked \(age($0)) ago" } ?? "none was asked"),
            lateFrom: max(asked ?? oldest, oldest, begin(of: stored)).adding(Self.servicePause),
            whenLate: troubles.joined(separator: "; "))
    }

    // MARK: - Sources

    private func source(
        _ settings: SourceSettings, _ record: SourceRecord?, _ stored: HealthFacts.Stored
    ) -> Verdict {
        guard let record, record.isEnabled else {
            return timed(
                .source, of: settings.name, "configured, but the daemon has not taken it up",
                lateFrom: (facts.configurationChanged ?? Self.epoch).adding(Self.slack),
                whenLate: "reload or restart it")
        }
        return spent(record)
            ?? filling(record)
            ?? timed(
                .source, of: settings.name, words(of: record),
                lateFrom: lateFrom(settings, record, stored).earlier(of: lateFrom(record, settings.refreshInterval)),
                whenLate: next(of: record))
    }

    /// When the first part of the source that brings nothing begins to count as late; nil: none.
    func lateFrom(_ record: SourceRecord, _ interval: Duration) -> Date? {
        record.shortfalls.map { $0.lateFrom(every: interval) }.min()
    }

    /// The verdict on a source whose cap of paid reads is reached; nil for any other. A reached cap follows from the
    /// configuration and may last for weeks.
    func spent(_ record: SourceRecord) -> Verdict? {
        guard record.failures > 0, record.lastFailure?.hasCode(.spendCap) == true else { return nil }
        return Verdict(
            .source, .ok, "not asked any more this month: its cap of paid reads is reached", source: record.name)
    }

    /// The verdict on a source that has used four fifths of its budget; nil for any other.
    func filling(_ record: SourceRecord) -> Verdict? {
        let share = record.use.share(at: facts.now)
        guard share >= Self.fullShare else { return nil }
        let words = share >= 1 ? "new events wait, its budget is used up" : "its budget is nearly used up"
        return Verdict(
            .source, .warning, "\(words) (\(record.use.words(at: facts.now))); \(self.words(of: record))",
            source: record.name)
    }

    /// What the last polls of a source have come to.
    func words(of record: SourceRecord) -> String {
        var words = record.lastSuccess.map { "last success \(age($0)) ago" } ?? "no success yet"
        if record.failures > 0 {
            words += record.lastSuccess == nil ? ", " : ", then "
            words += record.failures.counted("failure")
            if let failure = record.lastFailure {
                words += (record.failures == 1 ? ": " : ", the last: ") + failure.description
            }
        }
        if let remark = record.remark { words += ", no event, but \(remark)" }
        for shortfall in record.shortfalls where shortfall.part != Shortfall.items {
            words += "; nothing of \(shortfall.part) for \(age(shortfall.since)): \(shortfall.words)"
        }
        return words
    }

    /// When the source will be polled, or how to poll it; empty if it is due already.
    func next(of record: SourceRecord) -> String {
        if record.lastSuccess == nil, record.failures == 0 { return "poll it: visiventd poll \(record.name)" }
        guard let due = record.nextDue, due > facts.now else { return "" }
        return "next poll in \(time(from: facts.now, to: due))"
    }

    /// When a source that the daemon knows begins to count as late.
    private func lateFrom(
        _ settings: SourceSettings, _ record: SourceRecord, _ stored: HealthFacts.Stored
    ) -> Date {
        let tolerance = settings.refreshInterval.tolerance
        let firstChance = begin(of: stored, settings.name).adding(settings.offset).adding(Self.slack)
        let hasFailed = record.failures > 0
        // A success stored under a fast clock lies in the future; the failures since then are more reliable.
        let failing = hasFailed ? record.failingSince : nil
        guard let success = record.lastSuccess else { return failing?.adding(tolerance) ?? firstChance }
        let since = min(success, failing ?? success)
        let late = since.adding(settings.refreshInterval).adding(tolerance)
        guard !hasFailed else { return late }
        // After a start, or before the end of the first poll.
        var from = max(late, firstChance)
        let isAsked = [DueReason.rateLimit, .serverInterval].contains(record.dueReason)
        if isAsked, let due = record.nextDue, record.lastAttempt ?? success <= success {
            // The server asked for this pause, which the engine follows for a day at most.
            let longest = success.adding(max(settings.refreshInterval, .mostTolerance))
            from = max(from, min(due, longest).adding(tolerance))
        }
        return from
    }

    // MARK: - Times

    static let epoch = Date(milliseconds: 0)

    /// When the daemon last applied the settings, or those of the named source. Times in the future are ignored.
    func begin(of stored: HealthFacts.Stored, _ source: String? = nil) -> Date {
        let times = [stored.begun, source.flatMap { stored.renewed[$0] }]
        return times.compactMap { $0 }.filter { !isAhead($0) }.max() ?? Self.epoch
    }

    private func isAhead(_ date: Date) -> Bool { date > facts.now.adding(Self.clockTolerance) }

    private static func waiting(_ count: Int, _ noun: String) -> String {
        "\(count.counted(noun)) \(count == 1 ? "waits" : "wait")"
    }

    func age(_ date: Date) -> String { time(from: date, to: facts.now) }

    func time(from start: Date, to end: Date) -> String {
        Duration.seconds(max(1, (end.milliseconds - start.milliseconds) / 1000)).compact
    }

    /// A verdict that becomes a warning at a time.
    func timed(
        _ check: HealthReport.Check, of source: String? = nil, _ words: String, lateFrom: Date, whenLate: String = ""
    ) -> Verdict {
        let isLate = facts.now > lateFrom
        var reason = "\(words); late \(isLate ? "since" : "from") \(lateFrom.wholeSeconds)"
        if isLate, !whenLate.isEmpty { reason += "; \(whenLate)" }
        return Verdict(check, isLate ? .warning : .ok, reason, source: source, lateFrom: lateFrom)
    }
}

extension Date {
    func adding(_ duration: Duration) -> Date { addingTimeInterval(duration.seconds) }

    /// The earlier of two times; this one for nil.
    func earlier(of other: Date?) -> Date { min(self, other ?? self) }
}
