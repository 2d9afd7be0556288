public import Foundation
public import Model

/// A message before it is put into the words and the form of its target.
public struct Announcement: Sendable, Hashable {
    /// Several events in one message.
    public struct Digest: Sendable, Hashable {
        /// The largest events, the largest first; 20 at most.
        public var events: [StoredEvent]
        /// How many announcements it stands for.
        public var count: Int
        /// How many matches the target has missed since its last message, because they could not be sent in time.
        public var expired: Int

        /// The most events that are named.
        public static let mostEvents = 20

        public init(events: [StoredEvent], count: Int, expired: Int) {
            (self.events, self.count, self.expired) = (events, count, expired)
        }
    }

    /// Its id, `vd_` and 32 characters. At a target the same id means the same bytes.
    public var id: String
    /// Who gets it.
    public var target: Target
    /// Its kind.
    public var kind: MessageKind
    /// Why it is sent.
    public var reason: Reason
    /// The watches that match, the one that speaks first; of a digest and of what no longer matches that one alone.
    public var watches: [Watch]
    /// The public id of the event; nil in a digest and for health.
    public var publicID: String?
    /// The event now; nil in a digest, for health, and for an event that is gone.
    public var event: StoredEvent?
    /// What the target was told last; nil: nothing.
    public var before: Said?
    /// The number of the change that it speaks of; of a digest the last one.
    public var sequence: Int64
    /// The number of the message about its event, from 1 on.
    public var message: Int
    /// The id of the first message about the event; nil: this is the first.
    public var firstID: String?
    /// The events of a digest; nil: it is none.
    public var digest: Digest?
    /// What is to be said of the program; nil: it speaks of events.
    public var words: String?
    /// When it is made (wall time).
    public var at: Date

    /// Creates a message with these values, which are not checked.
    ///
    /// The id is a hash of facts that do not depend on the target. Numbers of changes are given again after a restored
    /// backup, so their times count, too.
    /// - Parameters:
    ///   - subject: What it is about: the public id of an event, or another word that names it.
    ///   - changed: Wall time of the change.
    public init(
        of subject: String, _ kind: MessageKind, _ reason: Reason, to target: Target, watches: [Watch],
        sequence: Int64 = 0, changed: Date, message: Int = 1, at: Date
    ) {
        let facts = [subject, "\(sequence)", "\(changed.milliseconds)", kind.rawValue, "\(message)"]
        let hash = SHA256.hash(Array(facts.joined(separator: " ").utf8)).prefix(16)
        id = "vd_" + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        (self.kind, self.reason, self.target, self.watches) = (kind, reason, target, watches)
        (self.sequence, self.message, self.at) = (sequence, message, at)
    }

    /// What was said and is different now.
    public var changes: [SaidChange] {
        guard let before, let event, !event.isErased else { return [] }
        return before.changes(to: Said(event.event))
    }

    /// How late it announces an event, if by more than half an hour.
    public var delay: Duration? {
        guard kind == .announced, let time = event.map({ $0.event.time ?? $0.firstSeen }) else { return nil }
        let delay = at.timeIntervalSince(time)
        return delay > 1800 ? .seconds(60) * Int(clamping: delay / 60) : nil
    }
}
