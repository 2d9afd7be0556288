public import Foundation

/// Something that happened on Earth, as one feed reports it.
///
/// `provider` and `id` together identify an event, whatever the number of polls, topics and sources that report it.
public struct Event: Sendable, Hashable {
    /// The publisher behind the event: `usgs`, `gvp`, `twitter`, `reuters`, a CAP sender, else the feed's own identity.
    public var provider: String
    /// The provider's name for the event, stable over polls.
    public var id: String
    /// The provider's other names for the same event, in the order given; never contains `id`.
    public var aliases: [String]
    /// When it happened (UTC); nil when the feed gives no readable date.
    public var time: Date?
    /// When the provider last changed it (UTC); nil when the feed does not say. A version with an earlier date never
    /// replaces one with a later date.
    public var updated: Date?
    /// When the provider says it ends (UTC; CAP `<expires>`); nil when the feed does not say.
    public var expires: Date?
    /// The kind of event, such as `earthquake` or `alert`.
    public var category: Category
    /// The headline: one line of plain text, without markup or control characters.
    public var title: String
    /// The text without markup or control characters; nil when the feed gives none.
    public var summary: String?
    /// The page about the event: an http or https URL; nil when the feed gives none.
    public var link: String?
    /// The writer; nil when the feed names none.
    public var author: Author?
    /// Weight on a heat map, 0…1: magnitude / 10 for earthquakes, 1 (the default) for everything else.
    public var weight: Double
    /// Magnitude of an earthquake, on the provider's scale; may be negative. Nil when the feed gives none.
    public var magnitude: Double?
    /// Hypocentre depth in kilometres below the surface; negative above it. Nil when the feed gives none.
    public var depth: Double?
    /// The provider's word for the event's state, in lower case (`automatic`, `reviewed`, `actual`); nil: none.
    public var status: String?
    /// The place in the feed's words, for instance a dateline; nil when the feed gives none.
    public var place: String?
    /// BCP 47 language tag of the text; nil when the feed declares none.
    public var language: String?
    /// The position; nil until the feed, the city table or a service gives one.
    public var location: Location?
    /// The shape as GeoJSON geometry text (RFC 7946 §3.1); nil for a mere point.
    public var geometry: String?
    /// The feed's remaining fields as the text of one JSON object; default `{}`: none.
    public var details: String

    /// The magnitudes that an earthquake may have: from a crack of some centimetres, as mines record, to more than a
    /// fault around the whole Earth (magnitude 10.6). The largest on record is 9.5 (USGS, *Can "MegaQuakes" really
    /// happen?*).
    public static let magnitudes = -5.0...11.0
    /// The depths that an earthquake may have, in kilometres below the sea: from above the highest mountain to beyond the
    /// deepest on record, at about 750 km (USGS, *At what depth do earthquakes occur?*).
    public static let depths = -10.0...1000.0

    /// Creates an event with these values, which are not checked; only provider, id, category and title are required.
    public init(
        provider: String, id: String, aliases: [String] = [], time: Date? = nil, updated: Date? = nil,
        expires: Date? = nil, category: Category, title: String, summary: String? = nil, link: String? = nil,
        author: Author? = nil, weight: Double = 1, magnitude: Double? = nil, depth: Double? = nil,
        status: String? = nil, place: String? = nil, language: String? = nil, location: Location? = nil,
        geometry: String? = nil, details: String = "{}"
    ) {
        self.provider = provider
        self.id = id
        self.aliases = aliases
        self.time = time
        self.updated = updated
        self.expires = expires
        self.category = category
        self.title = title
        self.summary = summary
        self.link = link
        self.author = author
        self.weight = weight
        self.magnitude = magnitude
        self.depth = depth
        self.status = status
        self.place = place
        self.language = language
        self.location = location
        self.geometry = geometry
        self.details = details
    }
}

/// The writer of a message or an article.
public struct Author: Sendable, Hashable {
    /// Display name or account name, as plain text.
    public var name: String
    /// The author's page: an http or https URL; nil when the feed gives none.
    public var link: String?
    /// The author's picture: an http or https URL; nil when the feed gives none.
    public var picture: String?

    /// Creates an author with these values, which are not checked; by default without link and picture.
    public init(name: String, link: String? = nil, picture: String? = nil) {
        self.name = name
        self.link = link
        self.picture = picture
    }
}

/// The kind of an event: one word in lower case, with underscores for spaces.
///
/// The constants are the common ones. Other USGS event types become categories, too (`quarry_blast`).
public struct Category: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The word as it is stored and queried, in lower case; never empty.
    public let rawValue: String

    /// Lower-cases `rawValue` and replaces its spaces and hyphens with underscores; empty becomes `other`.
    public init(rawValue: String) {
        func isPlain(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
        }
        // A stored word is read with every event.
        if !rawValue.isEmpty, rawValue.utf8.allSatisfy(isPlain) {
            self.rawValue = rawValue
            return
        }
        let word = String(rawValue.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        self.rawValue = word.isEmpty ? "other" : word
    }

    private init(known word: String) { rawValue = word }

    /// `earthquake`: an earthquake.
    public static let earthquake = Category(known: "earthquake")
    /// `volcano`: volcanic activity.
    public static let volcano = Category(known: "volcano")
    /// `news`: an article of a news feed.
    public static let news = Category(known: "news")
    /// `message`: a short message (Twitter).
    public static let message = Category(known: "message")
    /// `alert`: a public warning (CAP).
    public static let alert = Category(known: "alert")
    /// `other`: anything else, such as a KML placemark.
    public static let other = Category(known: "other")

    /// The word itself, `rawValue`.
    public var description: String { rawValue }
}
