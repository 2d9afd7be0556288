package import Foundation
package import Model
package import Store

/// The stored records as `status` shows them.
extension SourceRecord {
    /// Whether its stream is open, by the record.
    package var isStreaming: Bool { dueReason == .stream }

    /// Whether a running daemon has begun the source's first poll, and neither success nor failure is stored yet. What
    /// was being polled when the plan was made has no due time in it.
    /// - Parameter plan: The daemon's plan; nil where none runs, or none is stored.
    package func isFirstPolled(since plan: PollPlan?) -> Bool {
        guard let plan, let lastAttempt, isEnabled else { return false }
        let isOfThisDaemon = plan.dues[name] == nil || lastAttempt.milliseconds >= plan.at.milliseconds
        return isOfThisDaemon && lastSuccess == nil && failures == 0
    }

    /// Whether the source is disabled and no longer configured; false without a configuration.
    /// - Parameter configured: The names of the configured sources; nil without a configuration.
    package func isGone(from configured: Set<String>?) -> Bool {
        guard let configured else { return false }
        return !isEnabled && !configured.contains(name)
    }

    /// The record adjusted to the configuration: a source that left it is disabled, unless a daemon may still poll it.
    package func knowing(_ configured: Set<String>?, isRunning: Bool) -> SourceRecord {
        var record = self
        if let configured, !isRunning, !configured.contains(name) { record.isEnabled = false }
        return record
    }

    /// The record without a stream that ended with its daemon or was disabled. The next daemon forgets it at its start
    /// (`EventStore.reconcile`).
    package func withoutLostStream(isRunning: Bool) -> SourceRecord {
        guard isStreaming, !isEnabled || !isRunning else { return self }
        var record = self
        record.dueReason = .reconnect
        record.nextDue = nil
        return record
    }

    /// The record with its valid due time: the one that a running daemon planned since the last poll. Without a daemon,
    /// a past due time is dropped. A disabled source has none.
    package func planned(by plan: PollPlan?, isRunning: Bool, at now: Date) -> SourceRecord {
        var record = self
        if !isEnabled {
            record.nextDue = nil
            record.dueReason = nil
        } else if isRunning {
            if let plan, let due = plan.dues[name], lastAttempt ?? .distantPast < plan.at { record.nextDue = due }
        } else if let due = nextDue, due <= now {
            record.nextDue = nil
        }
        return record
    }

    /// The record of a source that waits for its host, as the running daemon says.
    /// - Parameters:
    ///   - pause: The end of the host's pause; nil: the source waits for none.
    ///   - host: The host; nil: the daemon does not name it.
    package func waiting(until pause: Date?, for host: String?) -> SourceRecord {
        guard let pause, isEnabled else { return self }
        var record = self
        record.nextDue = pause
        if dueReason != .rateLimit { record.dueReason = .retryAfter }
        record.waitsFor = host ?? "its host"
        return record
    }
}
