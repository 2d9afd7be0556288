import Foundation

/// One item of a document as the upstream means it: what a decoder that works must find.
struct ExpectedEvent: Sendable, Hashable {
    /// What the item does.
    enum Purpose: Sendable, Hashable {
        /// It tells of an event.
        case event
        /// The provider has deleted the event.
        case deletion
        /// The provider cancels the event.
        case cancellation
        /// The provider has deleted the event, and its words must go.
        case erasure
    }

    /// Who vouches for it.
    var provider: String
    /// All its names, the one it goes by first.
    var names: [String]
    /// What it does.
    var purpose: Purpose
    /// When it happened; nil: the document does not say.
    var time: Date?
    /// When the provider last touched it; nil: the document does not say.
    var updated: Date?
    /// Its magnitude, if it is an earthquake.
    var magnitude: Double?
    /// Its title, which most versions word anew.
    var title: String
    /// What else its versions differ in.
    var words: String

    /// Creates an expected event.
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

/// What a complete USGS summary proves.
struct Snapshot: Sendable, Hashable {
    /// When it was made.
    var generated: Date
    /// The window in which absence counts.
    var window: ClosedRange<Date>
    /// Whether it says of itself that it is complete.
    var isComplete: Bool
    /// Names of all that it lists.
    var present: Set<String>
    /// Those of them that something goes by; the others are told beside.
    var ids: Set<String>

    /// Names told beside another's show nothing once a newer snapshot lists them as an event of their own.
    mutating func showNoMore(_ names: Set<String>) { present.subtract(names.subtracting(ids)) }
}

/// An upstream's answer with its true meaning.
struct WorldReply {
    /// What goes over the wire.
    var answer: ScriptedAnswer
    /// What a complete body means; empty for anything else.
    var expectedEvents: [ExpectedEvent] = []
    /// What the body proves by what it does not contain.
    var snapshot: Snapshot?
    /// Items of the body that must be refused, each by itself.
    var badItems = 0
    /// Whether the body must be refused as a whole.
    var isUnusable = false
    /// How long the answer takes.
    var delay = Duration.milliseconds(50)

    /// Creates an answer.
    init(_ answer: ScriptedAnswer) { self.answer = answer }
}

/// A document as it stands at a time.
struct WorldDocument {
    var body: Data
    var expectedEvents: [ExpectedEvent] = []
    var snapshot: Snapshot?
    var badItems = 0
    /// The ETag; nil: made of the body.
    var etag: String?
    var lastModified: Date?
    var headers: [String: String] = [:]
}
