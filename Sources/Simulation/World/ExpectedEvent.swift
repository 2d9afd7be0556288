import Foundation

/// One item of a document as its upstream means it. A correct decoder finds it.
struct ExpectedEvent: Sendable, Hashable {
    /// The effect of an item.
    enum Purpose: Sendable, Hashable {
        /// It reports an event.
        case event
        /// The provider has deleted the event.
        case deletion
        /// The provider cancels the event.
        case cancellation
        /// The provider has deleted the event, and its text must be erased.
        case erasure
    }

    /// The provider that vouches for the event.
    var provider: String
    /// All upstream ids, the preferred one first.
    var names: [String]
    /// The effect of the item.
    var purpose: Purpose
    /// When it happened; nil: the document does not say.
    var time: Date?
    /// The provider's last update; nil: the document does not say.
    var updated: Date?
    /// The magnitude; nil: none.
    var magnitude: Double?
    /// The title, which most versions change.
    var title: String
    /// Further text that differs between versions.
    var words: String

    init(
        _ provider: String, _ names: [String], purpose: Purpose = .event, time: Date? = nil, updated: Date? = nil,
        magnitude: Double? = nil, title: String = "", words: String = ""
    ) {
        self.provider = provider
        self.names = names
        self.purpose = purpose
        self.time = time
        self.updated = updated
        self.magnitude = magnitude
        self.title = title
        self.words = words
    }
}

/// What a USGS summary proves by its list.
struct Snapshot: Sendable, Hashable {
    /// When the feed generated it.
    var generated: Date
    /// The window of event times in which absence counts.
    var window: ClosedRange<Date>
    /// Whether it is complete: its count fits and no item is bad.
    var isComplete: Bool
    /// All ids of all listed events.
    var present: Set<String>
    /// The preferred ids among `present`.
    var ids: Set<String>

    /// Removes ids that a newer snapshot lists as other events. Preferred ids stay.
    mutating func showNoMore(_ names: Set<String>) { present.subtract(names.subtracting(ids)) }
}

/// An upstream's answer with its true meaning.
struct WorldReply {
    /// The answer on the wire.
    var answer: ScriptedAnswer
    /// The items of a complete body; empty for anything else.
    var expectedEvents: [ExpectedEvent] = []
    /// What the body proves by its list; nil: nothing.
    var snapshot: Snapshot?
    /// Number of items that must be refused, each by itself.
    var badItems = 0
    /// Whether the whole body must be refused.
    var isUnusable = false
    /// Time from the request to the answer.
    var delay = Duration.milliseconds(50)

    init(_ answer: ScriptedAnswer) { self.answer = answer }
}

/// A document at a time.
struct WorldDocument {
    var body: Data
    var expectedEvents: [ExpectedEvent] = []
    var snapshot: Snapshot?
    var badItems = 0
    /// The ETag; nil: derived from the body.
    var etag: String?
    var lastModified: Date?
    var headers: [String: String] = [:]
}
