public import Model

/// The kinds of feed this program knows; a new one is added here and in a folder of its own.
public enum FeedRegistry {
    /// All kinds, in the order the documentation lists them.
    public static let all: [any Feed.Type] = [
        USGSFeed.self, CAPFeed.self, KMLFeed.self, SyndicationFeed.self, SitemapFeed.self, TwitterFeed.self,
    ]

    /// What the configuration needs to know of each.
    public static var kinds: [FeedKind] { all.map { $0.kind } }

    /// Categories of the events that the kinds make: their own, those of GDACS, and the types that USGS lists most. A feed
    /// may have others, and so may the key `category` of a source.
    public static let categories = [
        "earthquake", "volcano", "news", "message", "alert", "other",
        "cyclone", "drought", "flood", "tsunami", "wildfire",
        "chemical_explosion", "explosion", "ice_quake", "landslide", "mine_collapse", "mining_explosion",
        "nuclear_explosion", "other_event", "quarry", "quarry_blast", "rock_burst", "sonic_boom", "volcanic_eruption",
    ]

    /// Providers whose name the kinds give; other events are their CAP sender's or their feed's own.
    public static let providers = CAPAlert.reservedSenders.sorted()

    /// Binds the source's kind to it; nil when no kind has that name.
    /// - Throws: `FeedSettingsError` as `Feed.init`.
    public static func feed(for settings: SourceSettings) throws(FeedSettingsError) -> (any Feed)? {
        guard let kind = all.first(where: { $0.kind.name == settings.kind }) else { return nil }
        return try kind.init(settings)
    }
}
