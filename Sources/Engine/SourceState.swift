import Foundation
import Model

/// The engine's state of a source.
struct SourceState: Sendable {
    var settings: SourceSettings
    let feed: any Feed
    let fingerprint: String
    var configuredSecrets: [String: Secret]
    private var learnedSecrets: [String: Secret] = [:]
    var record: SourceRecord
    var grid: Grid
    /// When it is due, as uptime.
    var due: Duration
    /// The poll under way.
    var poll: ActivePoll?
    /// Its requests under way, open streams aside.
    var load = Load()
    /// Polls in a row that failed on our side: the store refused their results, or descriptors were short.
    var setbacks = 0
    /// The reason of the last of them.
    var lastSetback: Failure?
    /// Which of its failures are told.
    var flaps = FlapDamper()
    /// Attempts in a row to reopen its stream.
    var reopening = Reopening()

    /// Plans the first poll at start + offset; a stored due time in the future is kept. Wall time may be wrong, so a
    /// stored time counts for at most one interval (or the longest back-off). That of a reached cap is not kept: the
    /// cap may have been raised, and is checked before each paid request. Nor is that of a back-off for want of a
    /// secret, which may be there now; without it again nobody is asked.
    init(_ source: EngineSource, at now: Moment) {
        settings = source.settings
        feed = source.feed
        fingerprint = source.fingerprint
        configuredSecrets = source.secrets
        record = source.record
        let first = now.uptime + settings.offset
        due = first
        let wasUnasked = record.failures > 0 && record.dueReason == .backOff && record.lastFailure?.isUnasked == true
        if record.dueReason == .stream || (record.dueReason == .reconnect && record.nextDue == nil) {
            // The stream was open and is reopened, but not too often in a crash loop.
            let again = record.lastAttempt.map { now.uptime(at: $0) + Engine.steady } ?? .zero
            due = max(first, min(again, now.uptime + Engine.steady))
        } else if record.dueReason != .spendCap, !wasUnasked, let stored = record.nextDue, stored > now.wall {
            let isLong = record.failures > 0 || record.dueReason != .interval
            let ceiling = isLong ? max(Backoff.longest, settings.refreshInterval) : settings.refreshInterval
            due = min(now.uptime(at: stored), now.uptime + ceiling)
        }
        grid = Grid(anchor: due, interval: settings.refreshInterval)
    }

    var secrets: [String: Secret] {
        learnedSecrets.isEmpty ? configuredSecrets : configuredSecrets.merging(learnedSecrets) { _, learned in learned }
    }

    /// The context in which the feed plans or decodes.
    func context(topic: String?, held: FeedState?, at now: Moment) -> PollContext {
        PollContext(
            now: now.wall, lastSuccess: record.lastSuccess,
            state: (held ?? record.state).scoped(to: held == nil ? topic : nil), secrets: secrets)
    }

    /// Whether a stored request can still be made: a token learned before a restart is lost, and older versions stored
    /// no cap.
    func canMake(_ request: FeedRequest) -> Bool {
        let isAuthorized = request.authorization == .none || request.authorization.header(with: secrets) != nil
        return isAuthorized && (request.cost == 0 || request.monthlyCap != nil)
    }

    /// Why the feed plans no request, in words: secrets are missing or unreadable, or there is nothing to search for.
    var whyNothingToAsk: String {
        let keys = type(of: feed).kind.options.compactMap { option -> (key: String, secret: String)? in
            if case .secretFile(let secret) = option.form { (key: option.key, secret: secret) } else { nil }
        }
        let set = keys.filter { settings.options[$0.key] != nil }
        let unread = set.filter { configuredSecrets[$0.secret] == nil }.map { $0.key }
        if !unread.isEmpty {
            return "\(unread.joined(separator: " and ")) cannot be used; visiventd check names the file and says why, "
                + "visiventd reload reads it again"
        }
        if !keys.isEmpty, set.isEmpty { return "it has no credentials; visiventd check names the keys" }
        return "topics, keywords or a query are missing"
    }

    /// Takes what the poll's next step stores without its answer; nil without a poll.
    mutating func flush() -> StepParts? { poll?.flush(&record.state) }

    mutating func learn(_ secrets: [String: Secret]) { learnedSecrets.merge(secrets) { _, new in new } }

    /// Drops refused tokens, so that the next poll asks for new ones.
    mutating func forgetLearnedSecrets() { learnedSecrets = [:] }
}

extension FeedState {
    /// The part of a source's state for a topic, with keys without the topic; the whole state for nil.
    func scoped(to topic: String?) -> FeedState {
        guard let topic else { return self }
        let prefix = topic + "\u{1F}"
        return FeedState(
            Dictionary(
                uniqueKeysWithValues: values.filter { $0.key.hasPrefix(prefix) }.map {
                    (String($0.key.dropFirst(prefix.count)), $0.value)
                }))
    }

    /// Replaces the part of a topic, for nil all of it; returns the new state.
    mutating func replace(_ topic: String?, with part: FeedState) -> FeedState {
        let prefix = topic.map { $0 + "\u{1F}" } ?? ""
        values = values.filter { !$0.key.hasPrefix(prefix) }
        for (key, value) in part.values { values[prefix + key] = value }
        return self
    }
}
