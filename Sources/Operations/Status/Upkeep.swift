package import Foundation
package import Model
import Reading

/// Whether the record is kept up to date, for those who look at it: what the map page says beside its clock.
///
/// It is quicker to complain than `health`, which waits before it wakes an operator.
package struct Upkeep: Sendable, Hashable {
    /// The state of the record, the best first.
    package enum State: String, Sendable {
        /// A daemon polls, and all sources answer.
        case live
        /// A daemon polls, but sources fail or wait.
        case late
        /// No daemon polls.
        case stopped
    }

    /// Why it has stopped.
    package enum Reason: String, Sendable {
        /// No daemon holds the database's lock.
        case noDaemon = "no_daemon"
        /// Polls are due, and none begins.
        case noPoll = "no_poll"
        /// No source is enabled.
        case noSource = "no_source"
    }

    /// A source that does not bring what it should.
    package struct Laggard: Sendable, Hashable {
        /// What is wrong with it.
        package enum Trouble: String, Sendable {
            /// Its last poll failed.
            case failing
            /// Parts of its last poll failed, or a part of it brings nothing.
            case partlyFailing = "partly_failing"
            /// No poll has begun, though one was due.
            case overdue
        }

        /// The name of the source.
        package var name: String
        /// What is wrong.
        package var trouble: Trouble
        /// Since when; nil: not known.
        package var since: Date?
    }

    /// The state.
    package var state: State
    /// Why it has stopped; nil unless it has.
    package var reason: Reason?
    /// When it stopped, or the first of the laggards began to be late; nil: it is live, or that is not known.
    package var since: Date?
    /// When a poll last began; nil: never.
    package var lastPoll: Date?
    /// The enabled sources that are late, in the order of the sources; also where it has stopped.
    package var laggards: [Laggard]

    /// The longest time without a daemon, and for a due poll to begin, in seconds.
    private static let patience: TimeInterval = 300

    /// Judges sources.
    /// - Parameters:
    ///   - sources: The stored sources with the due times that a daemon has planned last (`SourceRecord.planned`).
    ///   - isRunning: Whether a daemon holds the database's lock; nil: this user may not ask, so that due times alone
    ///     tell.
    ///   - now: Wall time.
    package init(of sources: [SourceRecord], isRunning: Bool?, at now: Date) {
        let sources = sources.filter { $0.isEnabled }
        let last = sources.compactMap { $0.lastAttempt }.max()
        let laggards = sources.compactMap { Self.laggard($0, at: now) }
        lastPoll = last
        self.laggards = laggards
        guard !sources.isEmpty else {
            (state, reason) = (.stopped, .noSource)
            return
        }
        if isRunning == false {
            // A daemon that is started again is away for a moment.
            let waits = sources.compactMap { Self.wait(of: $0) }
            let grace = min(Self.patience, 2 * (waits.min() ?? Self.patience))
            if last.map({ now.timeIntervalSince($0) > grace }) ?? true {
                (state, reason, since) = (.stopped, .noDaemon, last)
                return
            }
        }
        // Where other sources have been polled since one was due, that one alone is held up. A server's pause may hold
        // up all.
        let isHeld = sources.contains { source in
            let isAsked = source.dueReason == .retryAfter || source.dueReason == .rateLimit
            return isAsked && source.nextDue.map { $0 > now } ?? false
        }
        let overdue = sources.filter { Self.isOverdue($0, at: now) }.compactMap { $0.nextDue }.min()
        if let overdue, !isHeld, last.map({ $0 < overdue }) ?? true {
            (state, reason, since) = (.stopped, .noPoll, overdue)
        } else {
            state = laggards.isEmpty ? .live : .late
            since = laggards.compactMap { $0.since }.min()
        }
    }

    /// From the last poll to the one that is due by the schedule, in seconds; nil where something else decides.
    private static func wait(of source: SourceRecord) -> TimeInterval? {
        guard source.dueReason == .interval, let due = source.nextDue, let last = source.lastAttempt, due > last else {
            return nil
        }
        return due.timeIntervalSince(last)
    }

    private static func isOverdue(_ source: SourceRecord, at now: Date) -> Bool {
        source.nextDue.map { now.timeIntervalSince($0) > patience } ?? false
    }

    private static func laggard(_ source: SourceRecord, at now: Date) -> Laggard? {
        if source.failures > 0 { return Laggard(name: source.name, trouble: .failing, since: source.failingSince) }
        if isOverdue(source, at: now) { return Laggard(name: source.name, trouble: .overdue, since: source.nextDue) }
        guard !source.partialFailures.isEmpty || !source.shortfalls.isEmpty else { return nil }
        return Laggard(
            name: source.name, trouble: .partlyFailing, since: source.shortfalls.map { $0.since }.min())
    }

    // MARK: - JSON

    /// An object with `state`, `reason`, `since`, `last_poll` and `late`, without a failure's words.
    /// - Parameter time: The member `time`, before the others; nil, the default: it has none.
    package func json(at time: Date? = nil) -> String {
        let late = laggards.map { laggard in
            JSONWriter.object([
                "name": laggard.name, "state": laggard.trouble.rawValue, "since": laggard.since?.timestamp,
            ])
        }
        return JSONWriter.object([
            "time": time?.timestamp, "state": state.rawValue, "reason": reason?.rawValue, "since": since?.timestamp,
            "last_poll": lastPoll?.timestamp, "late": .array(late),
        ])
    }
}
