import Foundation
import Model

/// Decides when the configuration is read again, whether it may come into force, and what is reported.
///
/// One reading runs at a time. Each command gets its own reading, which begins after the command. The shell says what
/// failed; whether that may pass by itself follows from the failure (`Failure.isTransient`), whether it is the file's, a
/// secret's or of the preparation.
struct ReloadJudge: Sendable {
    /// Delay from an edit to the reading, because editors write in several steps.
    static let settling = Duration.milliseconds(200)
    /// How long a configuration waits for temporarily unreadable secrets; after that they count as missing.
    static let patience = Duration.seconds(60)

    /// The pause before the next reading after `count` (1…) unsuccessful ones in a row: 1, 2, 4 … 60 s.
    static func pause(afterFailures count: Int) -> Duration { .seconds(min(1 << min(count - 1, 6), 60)) }

    /// The decision of `take`.
    enum Verdict: Sendable {
        /// The configuration comes into force once it, and another locator if it needs one, is prepared and stored.
        case takeUp(relocating: Bool)
        /// It does not come into force.
        case report(ReloadReport)
    }

    private enum Stage: Sendable {
        case reading(ReloadCause)
        case preparing(ConfigurationDraft, ReloadCause)
        case storing(ConfigurationDraft, ReloadCause)
    }

    /// Why a configuration is not in force, apart from faults of its own.
    private enum Obstacle: Sendable { case reading, storing }

    private let watchesEdits: Bool
    /// Reasons why secrets of the configuration in force are missing; these are read again at growing pauses.
    private var unread: Set<String>
    /// What the locator in use was made from.
    private var locator: LocatorPlan
    /// The content number of the last reading; nil while the file, or one that it names, must be read again, or the
    /// configuration must be stored again.
    private var known: Int?
    /// Requested readings, in order.
    private var asked: [ReloadCause] = []
    private var stage: Stage?
    /// When the next reading begins without a request, as uptime.
    private var nextLook: Duration?
    /// Readings in a row after which something is still awaited.
    private var failures = 0
    /// Since when the configuration in the file waits for secrets, as uptime.
    private var waitsSince: Duration?
    /// The obstacle shown in `status`, and its beginning.
    private var obstacle: (kind: Obstacle, since: Date)?

    /// Plans a first reading, because the file may have been edited since it was read at the start.
    init(_ plan: ReloadPlan, at now: Moment) {
        watchesEdits = plan.watchesEdits
        unread = plan.faults.reasons
        locator = plan.locator
        known = plan.content
        if watchesEdits || !unread.isEmpty { nextLook = now.uptime + Self.settling }
    }

    /// When `begin` should be called, as uptime; nil while a reading is under way or none is planned.
    var nextWake: Duration? { stage == nil ? nextLook : nil }

    // MARK: Reading

    /// Requests a reading.
    mutating func ask(_ cause: ReloadCause, at now: Moment) {
        switch cause {
        case .command: asked.append(cause)
        case .signal: if !asked.contains(cause) { asked.append(cause) }
        case .edit, .removal, .secret: look(at: now.uptime + Self.settling)
        }
    }

    /// Begins a reading; nil if none is due or one is under way.
    mutating func begin(at now: Moment) -> ReadingOrder? {
        guard stage == nil else { return nil }
        let cause: ReloadCause
        if !asked.isEmpty {
            cause = asked.removeFirst()
        } else if let look = nextLook, look <= now.uptime {
            cause = .edit
        } else {
            return nil
        }
        // The reading sees all edits until now.
        nextLook = nil
        stage = .reading(cause)
        let file: ReadingOrder.File =
            if cause == .edit, let known { watchesEdits ? .unless(content: known) : .never } else { .always }
        return ReadingOrder(file: file, readsSecrets: !unread.isEmpty)
    }

    /// Takes the result of a reading; nil if nothing has changed.
    mutating func take(_ reading: ConfigurationReading, at now: Moment) -> Verdict? {
        guard case .reading(let cause)? = stage else { return nil }
        if let content = reading.content { known = content }
        switch reading.outcome {
        case .unchanged(let draft):
            // Secrets that were read are not given up: fewer must be missing now.
            guard let draft, draft.faults.reasons.isStrictSubset(of: unread) else {
                rest(at: now)
                return nil
            }
            return takeUp(draft, .secret)
        case .faulty(let faults, let isGone):
            waitsSince = nil
            let lines = faults.map { $0.message }
            guard faults.transientReasons.isEmpty else { return .report(report(.unread(lines), cause, at: now)) }
            return .report(report(.refused(lines), cause == .edit && isGone ? .removal : cause, at: now))
        case .good(let draft):
            let missing = draft.faults.transientReasons
            guard !mustWait(for: missing, at: now) else {
                return .report(report(.unread(missing.sorted()), cause, at: now))
            }
            return takeUp(draft, cause)
        }
    }

    private mutating func takeUp(_ draft: ConfigurationDraft, _ cause: ReloadCause) -> Verdict {
        stage = .preparing(draft, cause)
        return .takeUp(relocating: draft.locator != locator)
    }

    /// Whether the configuration waits for secrets: only for newly missing ones, and for `patience` at most.
    private mutating func mustWait(for secrets: Set<String>, at now: Moment) -> Bool {
        guard !secrets.isSubset(of: unread) else { return false }
        let since = waitsSince ?? now.uptime
        waitsSince = since
        return now.uptime - since < Self.patience
    }

    // MARK: Coming into force

    /// Ends the preparation; returns the configuration to store, nil if none was being prepared.
    mutating func prepared() -> EngineConfiguration? {
        guard case .preparing(let draft, let cause)? = stage else { return nil }
        stage = .storing(draft, cause)
        return draft.configuration
    }

    /// Ends a reload whose preparation failed; returns the report, nil if there was none.
    mutating func notPrepared(_ failure: Failure, at now: Moment) -> ReloadReport? {
        end(.failed(reason: failure.message, isTransient: failure.isTransient), at: now)
    }

    /// Ends a reload that was being prepared or stored; returns the report, nil if there was none.
    mutating func end(_ outcome: ReloadReport.Outcome, at now: Moment) -> ReloadReport? {
        switch stage {
        case .preparing(let draft, let cause)?, .storing(let draft, let cause)?:
            if case .inForce = outcome {
                unread = draft.faults.reasons
                locator = draft.locator
                waitsSince = nil
            }
            return report(outcome, cause, at: now)
        case .reading?, nil: return nil
        }
    }

    // MARK: Reports

    private mutating func report(
        _ outcome: ReloadReport.Outcome, _ cause: ReloadCause, at now: Moment
    ) -> ReloadReport {
        var report = ReloadReport(cause: cause, outcome: outcome, since: now.wall, isSaid: true)
        if cause == .secret {
            // A failure says nothing about the file; the secret is read again later.
            if case .inForce = outcome {} else { report.isSaid = false }
        } else {
            // The next reading covers the whole file, as after an edit.
            if outcome.isTransient { known = nil }
            let kind = Self.obstacle(of: outcome)
            // An unchanged obstacle is logged only on request.
            if outcome.isTransient, let last = obstacle, last.kind == kind {
                report.since = last.since
                report.isSaid = cause != .edit
            }
            obstacle = kind.map { (kind: $0, since: report.since) }
        }
        rest(at: now)
        return report
    }

    private static func obstacle(of outcome: ReloadReport.Outcome) -> Obstacle? {
        switch outcome {
        case .inForce, .refused: nil
        case .unread: .reading
        case .failed: .storing
        }
    }

    /// Ends a reading; plans the next one if something is still awaited.
    private mutating func rest(at now: Moment) {
        stage = nil
        guard known == nil || !unread.isEmpty else {
            failures = 0
            return
        }
        failures += 1
        look(at: now.uptime + Self.pause(afterFailures: failures))
        if let since = waitsSince, since + Self.patience > now.uptime { look(at: since + Self.patience) }
    }

    private mutating func look(at time: Duration) { nextLook = min(nextLook ?? time, time) }
}

extension [Failure] {
    /// The messages of all.
    fileprivate var reasons: Set<String> { Set(map { $0.message }) }
    /// The messages of those that may pass by themselves.
    fileprivate var transientReasons: Set<String> { filter { $0.isTransient }.reasons }
}
