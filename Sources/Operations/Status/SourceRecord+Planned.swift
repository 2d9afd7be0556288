package import Foundation
package import Model
package import Store

/// The stored records as `status` shows them.
extension SourceRecord {
    /// Whether its stream is open, by the record.
    package var isStreaming: Bool { dueReason == .stream }

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

    /// The record of a source that its host's pause holds back, as the running daemon says; nil: none does.
    package func waiting(until pause: Date?) -> SourceRecord {
        guard let pause, isEnabled else { return self }
        var record = self
        record.nextDue = pause
        if dueReason != .rateLimit { record.dueReason = .retryAfter }
        return record
    }
}
