import Foundation

/// Decides when the configuration is read again, whether what was read may come into force, and what is told of it.
///
/// There is one reading at a time. Each command has one of its own, begun after it.
struct ReloadJudge: Sendable {
    /// How long the file is left alone after an edit: editors write in several steps.
    static let settling = Duration.milliseconds(200)
    /// How long a configuration waits for secrets that cannot be read just now, before they are regarded as missing.
    static let patience = Duration.seconds(60)

    /// When it is looked at again after it could not be read or stored, so many times in a row (1…): 1, 2, 4 … 60 s.
    static func pause(afterFailures count: Int) -> Duration { .seconds(min(1 << min(count - 1, 6), 60)) }

    /// What `take` has decided.
    enum Verdict: Sendable {
        /// It comes into force, once it is prepared and stored.
        case takeUp
        /// It does not.
        case report(ReloadReport)
    }

    private enum Stage: Sendable {
        case reading(ReloadCause)
        case preparing(ConfigurationDraft, ReloadCause)
        case storing(ConfigurationDraft, ReloadCause)
    }

    /// What keeps a configuration from being in force that is not its own fault.
    private enum Obstacle: Sendable { case reading, storing }

    private let watchesEdits: Bool
    /// Why secrets of the configuration in force could not be read.
    private var unread: Set<String>
    /// The number of what the file held when it was last read; nil: it, or a file that it names, is still to be read, or it
    /// is still to be stored.
    private var known: Int?
    /// Readings that somebody has asked for, in that order.
    private var asked: [ReloadCause] = []
    private var stage: Stage?
    /// When it is looked at without being asked, as uptime.
    private var nextLook: Duration?
    /// Readings in a row that have left something to wait for.
    private var failures = 0
    /// Since when the one in the file waits for secrets, as uptime.
    private var waitsSince: Duration?
    /// What is noted for `status`, and since when.
    private var obstacle: (kind: Obstacle, since: Date)?

    /// The file may have been edited between its reading and this moment.
    init(_ plan: ReloadPlan, at now: Moment) {
        watchesEdits = plan.watchesEdits
        unread = plan.unread
        known = plan.content
        if watchesEdits || !unread.isEmpty { nextLook = now.uptime + Self.settling }
    }

    /// When it wants to be asked for a reading, as uptime; nil while one is under way, or none is wanted.
    var nextWake: Duration? { stage == nil ? nextLook : nil }

    // MARK: Reading

    /// It is to be read again.
    mutating func ask(_ cause: ReloadCause, at now: Moment) {
        switch cause {
        case .command: asked.append(cause)
        case .signal: if !asked.contains(cause) { asked.append(cause) }
        case .edit, .removal, .secret: look(at: now.uptime + Self.settling)
        }
    }

    /// Begins a reading; nil: none is due, or one is under way.
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
        // It sees all edits until now.
        nextLook = nil
        stage = .reading(cause)
        let file: ReadingOrder.File =
            if cause == .edit, let known { watchesEdits ? .unless(content: known) : .never } else { .always }
        return ReadingOrder(file: file, readsSecrets: !unread.isEmpty)
    }

    /// Takes what was found; nil: nothing has changed.
    mutating func take(_ reading: ConfigurationReading, at now: Moment) -> Verdict? {
        guard case .reading(let cause)? = stage else { return nil }
        if let content = reading.content { known = content }
        switch reading.outcome {
        case .unchanged(let draft):
            // Secrets that could be read are not given up.
            guard let draft, draft.unread.isStrictSubset(of: unread) else {
                rest(at: now)
                return nil
            }
            stage = .preparing(draft, .secret)
            return .takeUp
        case .refused(let faults, let isGone):
            waitsSince = nil
            return .report(report(.refused(faults), cause == .edit && isGone ? .removal : cause, at: now))
        case .unread(let reasons):
            waitsSince = nil
            return .report(report(.unread(reasons), cause, at: now))
        case .good(let draft):
            guard !mustWait(for: draft.unread, at: now) else {
                return .report(report(.unread(draft.unread.sorted()), cause, at: now))
            }
            stage = .preparing(draft, cause)
            return .takeUp
        }
    }

    /// What is missing already is no reason to wait, nor is one bad file a reason to hold all edits back.
    private mutating func mustWait(for secrets: Set<String>, at now: Moment) -> Bool {
        guard !secrets.isSubset(of: unread) else { return false }
        let since = waitsSince ?? now.uptime
        waitsSince = since
        return now.uptime - since < Self.patience
    }

    // MARK: Coming into force

    /// What it needs is there: the configuration to store; nil: none was being prepared.
    mutating func prepared() -> EngineConfiguration? {
        guard case .preparing(let draft, let cause)? = stage else { return nil }
        stage = .storing(draft, cause)
        return draft.configuration
    }

    /// It is in force, or cannot be; nil: none was on its way.
    mutating func end(_ outcome: ReloadReport.Outcome, at now: Moment) -> ReloadReport? {
        switch stage {
        case .preparing(let draft, let cause)?, .storing(let draft, let cause)?:
            if case .inForce = outcome {
                unread = draft.unread
                waitsSince = nil
            }
            return report(outcome, cause, at: now)
        case .reading?, nil: return nil
        }
    }

    // MARK: What is told

    private mutating func report(
        _ outcome: ReloadReport.Outcome, _ cause: ReloadCause, at now: Moment
    ) -> ReloadReport {
        var report = ReloadReport(cause: cause, outcome: outcome, since: now.wall, isSaid: true)
        if cause == .secret {
            // A failure says nothing of the file; the secret is looked at again.
            if case .inForce = outcome {} else { report.isSaid = false }
        } else {
            // The next look is at all of it, as if it had been edited.
            if outcome.isTransient { known = nil }
            let kind = Self.obstacle(of: outcome)
            // That it is as it was is said only to who asks.
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

    /// A reading is over; where something is left to wait for, it is looked at again.
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
