public import Foundation

/// Something that happened on Earth, as one feed tells it.
///
/// A decoder makes events, the store keeps them. One upstream event is one `provider` + `id`, whatever the number of
/// polls, topics and sources that report it.
public struct Event: Sendable, Hashable {
    /// Who vouches for the event: `usgs`, `gvp`, `twitter`, `reuters`, a CAP sender, else the feed's own identity.
    public var provider: String
    /// The provider's name for the event, stable over polls.
    public var id: String
    /// The provider's other names for the same event, in the order given; never contains `id`.
    public var aliases: [String]
    /// When it happened (UTC); nil when the feed gives no date or one that cannot be read.
    public var time: Date?
    /// When the provider last touched it; a version with an earlier date never replaces one with a later date.
    public var updated: Date?
    /// When the provider says it ends (CAP `<expires>`).
    public var expires: Date?
    /// What sort of event it is.
    public var category: Category
    /// One line of plain text.
    public var title: String
    /// Plain text without markup or control characters.
    public var summary: String?
    /// Where to read more: an http or https URL.
    public var link: String?
    /// Who wrote it.
    public var author: Author?
    /// Weight on a heat map, 0…1: magnitude / 10 for earthquakes, 1 for everything else.
    public var weight: Double
    /// Magnitude of an earthquake; negative ones are normal.
    public var magnitude: Double?
    /// Hypocentre depth in kilometres below the surface; negative ones are normal.
    public var depth: Double?
    /// The provider's own word for how settled the event is, in lower case (`automatic`, `reviewed`, `actual`).
    public var status: String?
    /// The place as the feed words it, for instance a dateline.
    public var place: String?
    /// BCP 47 language tag of the text where the feed declares one.
    public var language: String?
    /// Where it happened; nil when the feed does not say in coordinates.
    public var location: Location?
    /// The full shape as GeoJSON geometry text when it is more than a point (RFC 7946 §3.1).
    public var geometry: String?
    /// The feed's remaining fields as the text of one JSON object.
    public var details: String

    /// Creates an event; everything but its identity, category and title may be missing.
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
    /// Display or account name.
    public var name: String
    /// The author's page: an http or https URL.
    public var link: String?
    /// The author's picture: an http or https URL.
    public var picture: String?

    /// Creates an author.
    public init(name: String, link: String? = nil, picture: String? = nil) {
        self.name = name
        self.link = link
        self.picture = picture
    }
}

/// What sort of event it is: a word in lower case, with underscores for spaces.
///
/// The named ones are what the decoders produce most; USGS event types that are no earthquakes (`quarry blast`) become
/// categories of their own (`quarry_blast`).
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
    /// An article.
    public static let news = Category(known: "news")
    /// A short message.
    public static let message = Category(known: "message")
    /// A public warning (CAP).
    public static let alert = Category(known: "alert")
    /// Anything else, such as a KML placemark.
    public static let other = Category(known: "other")

    public var description: String { rawValue }
}
