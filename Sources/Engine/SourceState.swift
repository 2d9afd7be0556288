import Foundation
import Model

/// A source in the engine.
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
    /// Polls in a row that came to nothing for our own sake: the store refused their results, descriptors were short.
    var setbacks = 0
    /// Why the last of them did.
    var lastSetback: Failure?
    /// Attempts in a row to open its stream again.
    var reopening = Reopening()

    /// First polls come at start + offset; a persisted due time is kept if it has not passed. Wall time may be wrong, so
    /// it is never believed to be more than one interval (or the longest back-off) ahead. Where paid reads were used up
    /// the cap may have been raised; that is looked at before anything is asked.
    init(_ source: EngineSource, at now: Moment) {
        settings = source.settings
        feed = source.feed
        fingerprint = source.fingerprint
        configuredSecrets = source.secrets
        record = source.record
        let first = now.uptime + settings.offset
        due = first
        if record.dueReason == .stream || (record.dueReason == .reconnect && record.nextDue == nil) {
            // It was open and is to be opened again, but not by a crash loop: attempts have their distance.
            let again = record.lastAttempt.map { now.uptime(at: $0) + Engine.steady } ?? .zero
            due = max(first, min(again, now.uptime + Engine.steady))
        } else if record.dueReason != .spendCap, let stored = record.nextDue, stored > now.wall {
            let isLong = record.failures > 0 || record.dueReason != .interval
            let ceiling = isLong ? max(Backoff.longest, settings.refreshInterval) : settings.refreshInterval
            due = min(now.uptime(at: stored), now.uptime + ceiling)
        }
        grid = Grid(anchor: due, interval: settings.refreshInterval)
    }

    var secrets: [String: Secret] {
        learnedSecrets.isEmpty ? configuredSecrets : configuredSecrets.merging(learnedSecrets) { _, learned in learned }
    }

    /// What the feed knows when it plans or decodes.
    func context(topic: String?, held: FeedState?, at now: Moment) -> PollContext {
        PollContext(
            now: now.wall, lastSuccess: record.lastSuccess,
            state: (held ?? record.state).scoped(to: held == nil ? topic : nil), secrets: secrets)
    }

    /// Whether a request that was stored can still be made: a token learned before a restart is gone, and an earlier
    /// version has stored no cap.
    func canMake(_ request: FeedRequest) -> Bool {
        let isAuthorized = request.authorization == .none || request.authorization.header(with: secrets) != nil
        return isAuthorized && (request.cost == 0 || request.monthlyCap != nil)
    }

    /// Why the feed asks for nothing, in words: what it lacks of the secrets that its kind knows.
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

    mutating func learn(_ secrets: [String: Secret]) { learnedSecrets.merge(secrets) { _, new in new } }

    /// A learned token was refused: the next poll asks for another.
    mutating func forgetLearnedSecrets() { learnedSecrets = [:] }
}

extension FeedState {
    /// The part of a source's state that belongs to one topic, keys without the topic.
    func scoped(to topic: String?) -> FeedState {
        guard let topic else { return self }
        let prefix = topic + "\u{1F}"
        return FeedState(
            Dictionary(
                uniqueKeysWithValues: values.filter { $0.key.hasPrefix(prefix) }.map {
                    (String($0.key.dropFirst(prefix.count)), $0.value)
                }))
    }

    /// This state with a topic's part replaced.
    func replacing(_ topic: String?, with part: FeedState) -> FeedState {
        guard let topic else { return part }
        let prefix = topic + "\u{1F}"
        var result = values.filter { !$0.key.hasPrefix(prefix) }
        for (key, value) in part.values { result[prefix + key] = value }
        return FeedState(result)
    }
}
