public import Model

/// The kinds of feed this program knows. A new kind is added here and in a folder of its own.
public enum FeedRegistry {
    /// All kinds, in the order of the documentation: `usgs`, `cap`, `kml`, `rss`, `sitemap`, `twitter`.
    public static let all: [any Feed.Type] = [
        USGSFeed.self, CAPFeed.self, KMLFeed.self, SyndicationFeed.self, SitemapFeed.self, TwitterFeed.self,
    ]

    /// The descriptions of all kinds, in the order of `all`: names, defaults and options.
    public static var kinds: [FeedKind] { all.map { $0.kind } }

    /// Categories that events of these kinds can have, in lower case with underscores: the kinds' own, those of GDACS
    /// and the types that USGS lists most. The list is not complete: feeds may send others, and the key `category` of a
    /// source may name another.
    public static let categories = [
        "earthquake", "volcano", "news", "message", "alert", "other",
        "cyclone", "drought", "flood", "tsunami", "wildfire",
        "chemical_explosion", "explosion", "ice_quake", "landslide", "mine_collapse", "mining_explosion",
        "nuclear_explosion", "other_event", "quarry", "quarry_blast", "rock_burst", "sonic_boom", "volcanic_eruption",
    ]

    /// Provider names that the kinds assign, sorted: `gvp`, `reuters`, `twitter`, `usgs`. Other events have their CAP
    /// sender or their feed's identity (`SourceSettings.identity`) as provider.
    public static let providers = Authority.hosts.keys.sorted()

    /// Binds the source to its kind; nil when no kind has the name `settings.kind`. Synonyms are not accepted.
    /// - Throws: `FeedSettingsError` when the kind refuses the settings (`Feed.init`).
    public static func feed(for settings: SourceSettings) throws(FeedSettingsError) -> (any Feed)? {
        guard let kind = all.first(where: { $0.kind.name == settings.kind }) else { return nil }
        return try kind.init(settings)
    }
}
