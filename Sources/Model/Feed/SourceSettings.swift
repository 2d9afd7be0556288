/// A configured source: its address, its schedule and what is kept of it.
public struct SourceSettings: Sendable, Hashable {
    /// The user's name for it, shown in logs and queries: 1…64 of `a`–`z`, `A`–`Z`, `0`–`9`, `.`, `_`, `-`.
    public var name: String
    /// The kind of feed: `usgs`, `cap`, `kml`, `rss`, `sitemap`, `twitter`.
    public var kind: String
    /// Its http, https or file URL; may contain `{topic}` and the kind's own placeholders.
    public var url: String
    /// The values of `{topic}`, one request each; empty when the URL has no such placeholder.
    public var topics: [String]
    /// Time from one poll to the next, 10s…366d (from 1s for this machine).
    public var refreshInterval: Duration
    /// Time from the start of the daemon to the first poll, 0s…366d.
    public var offset: Duration
    /// How long events are kept, 1m…36525d, counted from the earlier of event time and first sighting.
    public var maxAge: Duration
    /// Whether the source is polled; default true.
    public var isEnabled: Bool
    /// Provider of the events where the kind sets none; nil: the URL without query.
    public var provider: String?
    /// Providers that its documents may name as theirs, and `*` for all CAP senders (`Authority`); default: none.
    public var trustedFor: [String]
    /// The filter for new events; by default it accepts all.
    public var filter: Filter
    /// Further request headers by name; default: none.
    public var headers: [String: String] = [:]
    /// Place of the Authorization header's value: a path, `credential:NAME` or `env:NAME`; nil: no such header.
    public var authorizationFile: String?
    /// Proxy URL of scheme `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`; nil: no proxy.
    public var proxy: String?
    /// Path of a PEM file with the certificate authorities to trust; nil: the system's.
    public var certificateAuthorityFile: String?
    /// Whether a longer interval that the server asks for (Cache-Control, ttl) is followed; default false.
    public var followsServerInterval = false
    /// The country and region that its places are in unless they name another; by default none, and the home is
    /// learned.
    public var home = PlaceContext()
    /// Words that never name a place in its texts; 1…100 bytes and at most 8 words each, at most 200 of them. By default
    /// none. They are no part of the fingerprint.
    public var notPlaces: [String] = []
    /// Whether events without a coordinate are looked up; default true.
    public var isGeocoded = true
    /// The most that it may add to the database; by default `SourceBudget()`. It is no part of the fingerprint.
    public var budget = SourceBudget()
    /// The kind's options by key; holds only keys that the kind declares.
    public var options: [String: OptionValue]

    /// Creates settings with these values, which are not checked. The configuration replaces these defaults by those of
    /// the kind.
    public init(
        name: String, kind: String, url: String, topics: [String] = [], refreshInterval: Duration = .seconds(3600),
        offset: Duration = .zero, maxAge: Duration = .seconds(72 * 3600), isEnabled: Bool = true,
        provider: String? = nil, trustedFor: [String] = [], filter: Filter = Filter(),
        options: [String: OptionValue] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.url = url
        self.topics = topics
        self.refreshInterval = refreshInterval
        self.offset = offset
        self.maxAge = maxAge
        self.isEnabled = isEnabled
        self.provider = provider
        self.trustedFor = trustedFor
        self.filter = filter
        self.options = options
    }

    /// Provider of the events where the kind sets none: `provider`, else the URL without query and fragment.
    public var identity: String {
        provider ?? url.withoutQuery
    }

    /// The outcome for events without a coordinate where the city table is not asked about them; nil: it is asked.
    public var outcomeWithoutTable: LocalOutcome? {
        isGeocoded ? nil : .unresolved(reason: MissingPlace.notSought.words)
    }

    /// The URLs to request, one a topic, with `{topic}` and the keys of `values` filled in, percent-encoded. Without
    /// `{topic}` one URL with topic nil; with it but without topics none.
    public func urls(filling values: [String: String] = [:]) -> [(topic: String?, url: String)] {
        var template = url
        for (key, value) in values { template = template.filling(key, with: value) }
        // Most URLs have no brace; the search for a byte is the faster test.
        guard template.utf8.contains(UInt8(ascii: "{")), template.contains("{topic}") else { return [(nil, template)] }
        return topics.map { ($0, template.filling("topic", with: $0)) }
    }
}

extension String {
    /// Replaces `{key}` by the percent-encoded value (`percentEncoded`).
    func filling(_ key: String, with value: String) -> String {
        split(separator: "{\(key)}", omittingEmptySubsequences: false).joined(separator: value.percentEncoded)
    }
}
