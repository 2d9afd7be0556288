public import Foundation
public import Model

/// The kind of a message; the raw value is the word in the database and in messages.
public enum MessageKind: String, Sendable {
    /// An event is told for the first time.
    case announced
    /// What was told has changed.
    case updated
    /// What was told is no more: withdrawn, or it no longer matches.
    case ended
    /// What has ended is there again.
    case restored
    /// Several announcements in one message.
    case digest
    /// Asked for by a person to try a target.
    case test
}

/// Why there is a message; the raw value is the word in the database and in messages.
public enum Reason: String, Sendable {
    /// The event is new.
    case new
    /// A known event has begun to match.
    case threshold
    /// A place was found for a known event.
    case located
    /// Its values are others than were told.
    case revised
    case noLongerMatches = "no_longer_matches"
    /// Deleted by its provider.
    case deleted
    /// Cancelled by its provider.
    case cancelled
    /// Missing from its feed for a while.
    case absent
    /// Its provider has deleted its words.
    case erased
    /// It is there again, or matches again.
    case again
    /// A person has asked for it.
    case resent
    /// A person tries a target.
    case test
    /// Trouble of the program.
    case health
    /// The end of such trouble.
    case mended
}

/// Why a match was not told; the raw value is the word in the database.
public enum Passed: String, Sendable, CaseIterable {
    /// It was there before the watch.
    case before
    /// It came with the first poll of its source.
    case firstPoll = "first_poll"
    /// A new city table has found its place.
    case seeding
    /// An operator has given it its place.
    case correction
    /// Older than the watch wants.
    case tooOld = "too_old"
    /// Its time lies ahead.
    case ahead
    /// It was withdrawn before its announcement left.
    case withdrawn
    /// It ceased to match before its announcement left.
    case noLongerMatches = "no_longer_matches"
    /// Its target could not be reached in time.
    case expired
    /// Its target has refused the message.
    case rejected

    /// Whether the event is judged as if it was not known: the reason may have ceased.
    var isPassing: Bool { [.tooOld, .ahead, .withdrawn, .noLongerMatches].contains(self) }
}

/// A message that waits.
public struct Wish: Sendable, Hashable {
    public var kind: MessageKind
    public var reason: Reason
    /// When it was first wanted (wall time).
    public var since: Date
    /// Before this wall time it is not sent.
    public var due: Date

    public init(_ kind: MessageKind, _ reason: Reason, since: Date, due: Date) {
        (self.kind, self.reason, self.since, self.due) = (kind, reason, since, due)
    }
}

/// Wall time, and whether it is trusted. While it is not, nothing is passed over for its age, and quiet hours hold a
/// message back by a minute at a time: a wrong clock silences nothing for long.
public struct TellingTime: Sendable, Hashable {
    public var wall: Date
    public var isTrusted: Bool

    public init(wall: Date, isTrusted: Bool = true) { (self.wall, self.isTrusted) = (wall, isTrusted) }
}

/// What one target was told of one event, and what it is to be told.
public struct ToldRow: Sendable, Hashable {
    /// The watch that speaks: the first that matches.
    public var watch: String
    /// Why it is not told; nil: it is, or waits.
    public var passed: Passed?
    /// What the event says now; of one that was passed over, what it said then.
    public var now: Said
    /// What the target was told last; nil: nothing.
    public var told: Said?
    /// Whether the target was told last that it has ended.
    public var isEnded = false
    /// What the message says that has left, or may have, without an answer; nil: none has.
    public var sent: Said?
    /// The kind of that message.
    public var sentKind: MessageKind?
    /// What waits; nil: nothing.
    public var wish: Wish?
    /// The number of the last change that was judged.
    public var sequence: Int64
    /// Wall time of that change.
    public var changed: Date
    /// The messages so far.
    public var messages = 0
    /// Wall time of the last message; nil: none was sent.
    public var last: Date?

    /// Creates a row of which nothing was told.
    public init(watch: String, now: Said = Said(), sequence: Int64 = 0, changed: Date) {
        (self.watch, self.now, self.sequence, self.changed) = (watch, now, sequence, changed)
    }

    /// Creates a row of an event of which nothing was told.
    public init(_ stored: StoredEvent, watch: String) {
        self.init(
            watch: watch, now: Said(stored.event), sequence: stored.changeSequence, changed: stored.lastChanged)
    }

    /// The order of what waits: the largest magnitude said.
    public var rank: Double? { [now.magnitude, told?.magnitude].compactMap { $0 }.max() }
    /// Whether the target was told last, or may have been, that it has ended.
    var hasEnded: Bool { sentKind.map { $0 == .ended } ?? isEnded }
}
