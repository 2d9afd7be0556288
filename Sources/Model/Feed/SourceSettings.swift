/// One configured source: where it is, how often it is asked, what is kept.
public struct SourceSettings: Sendable, Hashable {
    /// The user's own name for it; appears in logs and queries.
    public var name: String
    /// The kind of feed: `usgs`, `cap`, `kml`, `rss`, `sitemap`, `twitter`.
    public var kind: String
    /// Its URL; may contain `{topic}` and the kind's own placeholders.
    public var url: String
    /// What `{topic}` stands for, one request each; empty when the URL has no such placeholder.
    public var topics: [String]
    /// Time from one poll to the next.
    public var refreshInterval: Duration
    /// Time from the start of the daemon to the first poll.
    public var offset: Duration
    /// How long its events are kept, counted from the earlier of event time and first sight.
    public var maxAge: Duration
    /// Whether it is polled.
    public var isEnabled: Bool
    /// Identity of the feed's events where the kind does not give one; nil: the URL without query.
    public var provider: String?
    /// Which new events are accepted.
    public var filter: Filter
    /// Extra request headers.
    public var headers: [String: String]
    /// Path of a file whose content becomes the Authorization header.
    public var authorizationFile: String?
    /// Proxy URL, as libcurl takes it.
    public var proxy: String?
    /// Path of a PEM file with the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Whether a longer interval asked for by the server (Cache-Control, ttl) is followed.
    public var followsServerInterval: Bool
    /// The country its places are in unless they say otherwise, an ISO 3166-1 alpha-2 code in upper case.
    public var country: String?
    /// Whether places are looked up for its events that come without a coordinate.
    public var isGeocoded: Bool
    /// The kind's own options, by key; only keys the kind declares.
    public var options: [String: OptionValue]

    /// Creates settings; what is left out takes the documented default.
    public init(
        name: String, kind: String, url: String, topics: [String] = [], refreshInterval: Duration = .seconds(3600),
        offset: Duration = .zero, maxAge: Duration = .seconds(72 * 3600), isEnabled: Bool = true,
        provider: String? = nil, filter: Filter = Filter(), headers: [String: String] = [:],
        authorizationFile: String? = nil, proxy: String? = nil, certificateAuthorityFile: String? = nil,
        followsServerInterval: Bool = false, country: String? = nil, isGeocoded: Bool = true,
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
        self.filter = filter
        self.headers = headers
        self.authorizationFile = authorizationFile
        self.proxy = proxy
        self.certificateAuthorityFile = certificateAuthorityFile
        self.followsServerInterval = followsServerInterval
        self.country = country
        self.isGeocoded = isGeocoded
        self.options = options
    }

    /// The feed's identity when the kind gives none: `provider`, else the URL template without query and fragment.
    public var identity: String {
        provider ?? url.withoutQuery
    }

    /// The URLs to ask: `{topic}` filled with each topic in turn (percent-encoded), other placeholders from `values`.
    public func urls(filling values: [String: String] = [:]) -> [(topic: String?, url: String)] {
        var template = url
        for (key, value) in values { template = template.filling(key, with: value) }
        // Most have no brace at all, which is found out faster.
        guard template.utf8.contains(UInt8(ascii: "{")), template.contains("{topic}") else { return [(nil, template)] }
        return topics.map { ($0, template.filling("topic", with: $0)) }
    }
}

extension String {
    /// Replaces `{key}` by `value` with everything but RFC 3986 unreserved characters percent-encoded.
    func filling(_ key: String, with value: String) -> String {
        split(separator: "{\(key)}", omittingEmptySubsequences: false).joined(separator: value.percentEncoded)
    }
}
