import Foundation
import Model
import SQLite

/// A row of the table `event`; times in milliseconds since 1970.
struct EventRow {
    var id: Int64 = 0
    var publicID = ""
    var provider: String
    var upstreamID: String
    /// The source whose version the row shows.
    var source: Int64
    var time: Int64
    /// Whether `time` comes from the feed; otherwise it is the time of first sight.
    var hasFeedTime: Bool
    var updated: Int64?
    var expires: Int64?
    var firstSeen: Int64
    var isFirstSeenProvisional: Bool
    var lastChanged: Int64
    var revision: Int64 = 1
    var changeSequence: Int64 = 0
    /// The number of the event's first change; 0 if it was no longer kept when numbers were introduced.
    var firstSequence: Int64 = 0
    var category: String
    var weight: Double
    var magnitude: Double?
    var depth: Double?
    var status: String?
    var location: Location?
    var withdrawnReason: String?
    var withdrawnAt: Int64?
    var withdrawnEvidence: String?
    var isErased = false
    var language: String?
    var author: Author?
    var title: String
    var place: String?
    var link: String?
    var summary: String?
    var geometry: String?
    var details: String

    /// The time from which the age counts. First sight limits it, so that a date in the future does not keep the event
    /// for ever.
    var ageBase: Int64 { min(time, firstSeen) }

    /// The provider's time of this version, which tells the newer of two; nil if it gives none.
    var version: Int64? { updated ?? (hasFeedTime ? time : nil) }

    /// The texts of the full-text index, in the order of its columns.
    var words: [String?] { [title, summary, place, author?.name] }

    /// Whether these texts are the same to the byte. Equal strings may have other bytes (`é` in one scalar or two), and
    /// FTS5 needs those that were added to remove the words.
    func hasWords(of other: EventRow) -> Bool {
        words.elementsEqual(other.words) { ($0 ?? "").utf8.elementsEqual(($1 ?? "").utf8) }
    }

    /// Creates the row of a new event.
    init(_ event: Event, source: Int64, at: Int64, isProvisional: Bool) {
        provider = event.provider
        upstreamID = event.id
        self.source = source
        time = event.time?.milliseconds ?? at
        hasFeedTime = event.time != nil
        updated = event.updated?.milliseconds
        expires = event.expires?.milliseconds
        firstSeen = at
        isFirstSeenProvisional = isProvisional
        lastChanged = at
        category = event.category.rawValue
        weight = event.weight
        magnitude = event.magnitude
        depth = event.depth
        status = event.status
        location = event.location
        language = event.language
        author = event.author
        title = event.title
        place = event.place
        link = event.link
        summary = event.summary
        geometry = event.geometry
        details = event.details
    }

    /// Takes over a newer version.
    ///
    /// A field that another source than the shown one leaves out is kept: a volcano's report has a polygon in one
    /// format and a longer text in another. A geocoded place is kept until the feed gives a coordinate or changes the
    /// text in which the place was found.
    mutating func update(from event: Event, source: Int64) {
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
    mutating func erase() {
        isErased = true
        title = "(deleted)"
        (summary, link, author, place, language, location, geometry) = (nil, nil, nil, nil, nil, nil, nil)
        details = "{}"
    }
}

// MARK: - Columns

extension EventRow {
    /// The columns after `id`, in the order of `bind` and `init(row:)`. Long texts are last, where they slow down no
    /// other column.
    static let columns = """
        public_id, provider, upstream_id, source_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms, \
        first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq, first_seq, category, weight, \
        magnitude, depth_km, status, latitude, longitude, location_method, location_precision, location_confidence, \
        location_matched_text, location_name, location_evidence, location_place_id, location_country, \
        location_radius_km, withdrawn_reason, withdrawn_ms, withdrawn_evidence, is_erased, language, author_name, \
        author_link, author_picture, title, place, link, summary, geometry, details
        """

    /// The position of `first_seq` behind `id`.
    static let firstSequenceColumn: Int32 = 15

    static let parameters = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")

    func bind(to statement: Statement) {
        statement.bind(publicID)
        statement.bind(provider)
        statement.bind(upstreamID)
        statement.bind(source)
        statement.bind(time)
        statement.bind(hasFeedTime ? "feed" : "first_seen")
        statement.bind(updated)
        statement.bind(expires)
        statement.bind(firstSeen)
        statement.bind(isFirstSeenProvisional)
        statement.bind(ageBase)
        statement.bind(lastChanged)
        statement.bind(revision)
        statement.bind(changeSequence)
        statement.bind(firstSequence)
        statement.bind(category)
        statement.bind(weight)
        statement.bind(magnitude)
        statement.bind(depth)
        statement.bind(status)
        statement.bind(location?.coordinate.latitude)
        statement.bind(location?.coordinate.longitude)
        statement.bind(location?.method.rawValue)
        statement.bind(location?.precision.rawValue)
        statement.bind(location?.confidence)
        statement.bind(location?.matchedText)
        statement.bind(location?.name)
        statement.bind(location?.evidence?.rawValue)
        statement.bind(location?.placeID)
        statement.bind(location?.country)
        statement.bind(location?.radius)
        statement.bind(withdrawnReason)
        statement.bind(withdrawnAt)
        statement.bind(withdrawnEvidence)
        statement.bind(isErased)
        statement.bind(language)
        statement.bind(author?.name)
        statement.bind(author?.link)
        statement.bind(author?.picture)
        statement.bind(title)
        statement.bind(place)
        statement.bind(link)
        statement.bind(summary)
        statement.bind(geometry)
        statement.bind(details)
    }

    /// Reads a row of `id` and `columns`.
    init(row: Statement) {
        id = row.int64(0)
        publicID = row.string(1)
        provider = row.string(2)
        upstreamID = row.string(3)
        source = row.int64(4)
        time = row.int64(5)
        hasFeedTime = row.string(6) == "feed"
        updated = row.optionalInt64(7)
        expires = row.optionalInt64(8)
        firstSeen = row.int64(9)
        isFirstSeenProvisional = row.int64(10) != 0
        lastChanged = row.int64(12)
        revision = row.int64(13)
        changeSequence = row.int64(14)
        firstSequence = row.int64(15)
        category = row.string(16)
        weight = row.double(17) ?? 1
        magnitude = row.double(18)
        depth = row.double(19)
        status = row.text(20)
        location = Location(row: row, at: 21)
        withdrawnReason = row.text(32)
        withdrawnAt = row.optionalInt64(33)
        withdrawnEvidence = row.text(34)
        isErased = row.int64(35) != 0
        language = row.text(36)
        author = row.text(37).map { Author(name: $0, link: row.text(38), picture: row.text(39)) }
        title = row.string(40)
        place = row.text(41)
        link = row.text(42)
        summary = row.text(43)
        geometry = row.text(44)
        details = row.string(45)
    }
}

extension Location.Method {
    /// Whether the coordinate was found by name, or set by the operator, rather than given by the feed.
    var isGeocoded: Bool {
        switch self {
        case .gazetteer, .mapquest, .nominatim, .operator: true
        case .coordinates, .circle, .polygon, .line, .box, .unknown: false
        }
    }
}

extension Location {
    /// Reads latitude, longitude, method, precision, confidence, matched text, name, evidence, place id, country and
    /// radius from eleven columns, starting at `first`; nil without a valid coordinate.
    init?(row: Statement, at first: Int32) {
        guard let latitude = row.double(first), let longitude = row.double(first + 1),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.init(
            coordinate, method: row.text(first + 2).map(Method.init(rawValue:)) ?? .coordinates,
            precision: Precision(rawValue: row.string(first + 3)) ?? .point, confidence: row.double(first + 4) ?? 1,
            matchedText: row.text(first + 5), name: row.text(first + 6),
            evidence: row.text(first + 7).map(PlaceEvidence.init(rawValue:)), placeID: row.text(first + 8),
            country: row.text(first + 9), radius: row.double(first + 10))
    }
}
