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
    /// When the provider last changed it. A version with an earlier date never replaces one with a later date.
    public var updated: Date?
    /// When the provider says it ends (CAP `<expires>`).
    public var expires: Date?
    /// The kind of event.
    public var category: Category
    /// One line of plain text.
    public var title: String
    /// The text without markup or control characters.
    public var summary: String?
    /// The page about the event: an http or https URL.
    public var link: String?
    /// The writer, where the feed names one.
    public var author: Author?
    /// Weight on a heat map, 0…1: magnitude / 10 for earthquakes, 1 for everything else.
    public var weight: Double
    /// Magnitude of an earthquake; may be negative.
    public var magnitude: Double?
    /// Hypocentre depth in kilometres below the surface; may be negative.
    public var depth: Double?
    /// The provider's word for the event's state, in lower case (`automatic`, `reviewed`, `actual`).
    public var status: String?
    /// The place in the feed's words, for instance a dateline.
    public var place: String?
    /// BCP 47 language tag of the text; nil when the feed declares none.
    public var language: String?
    /// The position; nil until the feed, the city table or a service gives one.
    public var location: Location?
    /// The shape as GeoJSON geometry text (RFC 7946 §3.1); nil for a mere point.
    public var geometry: String?
    /// The feed's remaining fields as the text of one JSON object; default `{}`.
    public var details: String

    /// Creates an event; only provider, id, category and title are required.
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
    /// Display name or account name.
    public var name: String
    /// The author's page: an http or https URL.
    public var link: String?
    /// The author's picture: an http or https URL.
    public var picture: String?

    /// Creates an author; by default without link and picture.
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
    /// The word as it is stored and queried.
    public let rawValue: String

    /// Lower-cases `rawValue` and replaces its spaces and hyphens with underscores; empty becomes `other`.
    public init(rawValue: String) {
        let word = String(rawValue.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        self.rawValue = word.isEmpty ? "other" : word
    }

    private init(known word: String) { rawValue = word }

    /// An earthquake.
    public static let earthquake = Category(known: "earthquake")
    /// Volcanic activity.
    public static let volcano = Category(known: "volcano")
    /// An article of a news feed.
    public static let news = Category(known: "news")
    /// A short message (Twitter).
    public static let message = Category(known: "message")
    /// A public warning (CAP).
    public static let alert = Category(known: "alert")
    /// Anything else, such as a KML placemark.
    public static let other = Category(known: "other")

    public var description: String { rawValue }
}
