package import Model

/// An event as it is stored; times in milliseconds since 1970. The store has a column for each field.
package struct EventRow: Sendable {
    /// The store's name of the row, which grows with each row added; 0: the row is not stored yet.
    package var id: Int64 = 0
    /// The id that users see; empty until the store gives one.
    package var publicID = ""
    /// `Event.provider`.
    package var provider = ""
    /// The name of the version shown, `Event.id`.
    package var upstreamID = ""
    /// The source whose version the row shows.
    package var source: Int64 = 0
    /// When it happened, or the time of first sight.
    package var time: Int64 = 0
    /// Whether `time` comes from the feed; otherwise it is the time of first sight.
    package var hasFeedTime = false
    /// `Event.updated` of the version shown, or of the last one that had a time.
    package var updated: Int64?
    /// `Event.expires`.
    package var expires: Int64?
    /// When a source showed it first.
    package var firstSeen: Int64 = 0
    /// Whether `firstSeen` was taken from a clock that was not trusted.
    package var isFirstSeenProvisional = false
    /// When users saw the last difference.
    package var lastChanged: Int64 = 0
    /// The number of the last revision, from 1 on.
    package var revision: Int64 = 1
    /// The number of the event's last change; 0 until the store gives one.
    package var changeSequence: Int64 = 0
    /// The number of the event's first change; 0 if it was no longer kept when numbers were introduced.
    package var firstSequence: Int64 = 0
    /// The raw value of `Event.category`.
    package var category = ""
    /// `Event.weight`.
    package var weight = 1.0
    /// `Event.magnitude`.
    package var magnitude: Double?
    /// `Event.depth`, in kilometres.
    package var depth: Double?
    /// `Event.status`.
    package var status: String?
    /// The place by the feed, by its name, or by the operator; nil: none yet.
    package var location: Location?
    /// Why it is withdrawn: a raw value of `Withdrawal.Reason`, or `WithdrawalReason.absent`; nil: it is not.
    package var withdrawnReason: String?
    /// The time of its withdrawal.
    package var withdrawnAt: Int64?
    /// What the withdrawal rests on.
    package var withdrawnEvidence: String?
    /// Whether the provider has deleted its words.
    package var isErased = false
    /// `Event.language`.
    package var language: String?
    /// `Event.author`.
    package var author: Author?
    /// `Event.title`.
    package var title = ""
    /// `Event.place`.
    package var place: String?
    /// `Event.link`.
    package var link: String?
    /// `Event.summary`.
    package var summary: String?
    /// `Event.geometry`.
    package var geometry: String?
    /// `Event.details`.
    package var details = "{}"

    /// Creates an empty row, whose fields are to be set.
    package init() {}

    /// The time from which the age counts. First sight limits it, so that a date in the future does not keep the event
    /// for ever.
    package var ageBase: Int64 { min(time, firstSeen) }

    /// The provider's time of this version, which tells the newer of two; nil if it gives none.
    package var version: Int64? { updated ?? (hasFeedTime ? time : nil) }

    /// The texts of the full-text index, in the order of its columns.
    package var words: [String?] { [title, summary, place, author?.name] }

    /// Whether these texts are the same to the byte. Equal strings may have other bytes (`é` in one scalar or two), and
    /// FTS5 needs those that were added to remove the words.
    package func hasWords(of other: EventRow) -> Bool {
        words.elementsEqual(other.words) { ($0 ?? "").utf8.elementsEqual(($1 ?? "").utf8) }
    }

    /// Creates the row of a new event.
    package init(_ event: Event, source: Int64, at: Int64, isProvisional: Bool) {
        provider = event.provider
        self.source = source
        (time, firstSeen, lastChanged) = (at, at, at)
        isFirstSeenProvisional = isProvisional
        update(from: event, source: source)
    }

    /// Takes over a newer version.
    ///
    /// A field that another source than the shown one leaves out is kept: a volcano's report has a polygon in one
    /// format and a longer text in another. A geocoded place is kept until the feed gives a coordinate or changes the
    /// text in which the place was found.
    package mutating func update(from event: Event, source: Int64) {
        let old = self
        let isOther = self.source != source
        func kept<T>(_ old: T?, _ new: T?) -> T? { isOther ? new ?? old : new }
        if let time = event.time {
            self.time = time.milliseconds
            hasFeedTime = true
        }
        upstreamID = event.id
        self.source = source
        updated = event.updated?.milliseconds ?? updated
        expires = kept(expires, event.expires?.milliseconds)
        category = event.category.rawValue
        weight = event.weight
        magnitude = kept(magnitude, event.magnitude)
        depth = kept(depth, event.depth)
        status = kept(status, event.status)
        language = kept(language, event.language)
        author = kept(author, event.author)
        title = event.title
        place = kept(place, event.place)
        link = kept(link, event.link)
        summary = kept(summary, event.summary)
        geometry = kept(geometry, event.geometry)
        if !isOther || event.details != "{}" { details = event.details }
        if let new = event.location {
            location = new
        } else if let found = location, found.method.isGeocoded {
            if hasOtherPlace(than: old, by: found.evidence) { location = nil }
        } else if !isOther {
            location = nil
        }
    }

    /// Whether the feed words the place differently, or a text that decided on the place. A text that is left out is no
    /// difference.
    private func hasOtherPlace(than old: EventRow, by evidence: PlaceEvidence?) -> Bool {
        func differs(_ new: String?, _ old: String?) -> Bool { new != nil && new != old }
        if differs(place, old.place) { return true }
        switch evidence {
        case .title: return title != old.title
        case .summary: return differs(summary, old.summary)
        // A dateline stays only while title and summary name no place elsewhere.
        case .dateline, .distance: return title != old.title || differs(summary, old.summary)
        case .place, .author, .unknown, nil: return false
        }
    }

    /// Blanks every field that may hold the provider's words.
    package mutating func erase() {
        isErased = true
        title = "(deleted)"
        (summary, link, author, place, language, location, geometry) = (nil, nil, nil, nil, nil, nil, nil)
        details = "{}"
    }
}

extension Location.Method {
    /// Whether the coordinate was found by name, or set by the operator, rather than given by the feed.
    package var isGeocoded: Bool {
        switch self {
        case .gazetteer, .mapquest, .nominatim, .operator: true
        case .coordinates, .circle, .polygon, .line, .box, .unknown: false
        }
    }
}
