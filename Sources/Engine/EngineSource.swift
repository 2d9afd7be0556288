public import Model

/// A configured source, bound to its kind of feed.
public struct EngineSource: Sendable {
    /// The source's settings; its name identifies it.
    public var settings: SourceSettings
    /// The kind of feed, bound to the source's settings.
    public var feed: any Feed
    /// Contents of the kind's secret files by secret name (`bearer`, `key`, `secret`), and of `authorization_file` as
    /// `authorization`; never stored.
    public var secrets: [String: Secret]
    /// The stored state of the source: validators, failures, next due time.
    public var record: SourceRecord
    /// The registrable domain of its address, such as `weather.gov`; nil where a domain proves nothing (`Authority`).
    public var domain: String?

    /// Creates a source with these values, which are not checked against each other; by default without secrets, and
    /// as one that has never been polled.
    public init(
        settings: SourceSettings, feed: any Feed, secrets: [String: Secret] = [:], record: SourceRecord? = nil,
        domain: String? = nil
    ) {
        self.settings = settings
        self.feed = feed
        self.secrets = secrets
        self.domain = domain
        self.record = record ?? SourceRecord(name: settings.name, kind: settings.kind)
    }

    /// Hash of what answers depend on: URL, provider, kind, decoder version, trust, filter and options; 16 hexadecimal
    /// digits. Validators, feed state and pending work that were stored under another fingerprint are not used.
    public var fingerprint: String {
        var text = "\(settings.kind) \(type(of: feed).kind.decoderVersion) \(settings.identity) \(settings.url)"
        for word in settings.filter.keywords?.words ?? [] { text += " \(WordSet.word(word))" }
        if let magnitude = settings.filter.minimumMagnitude { text += " >=\(magnitude)" }
        for name in settings.trustedFor.sorted() { text += " trusted=\(name)" }
        for (key, value) in settings.options.sorted(by: { $0.key < $1.key }) { text += " \(key)=\(value)" }
        return FNV64.hex(text)
    }
}

extension [EngineSource] {
    /// For whom each of these sources may speak, by name. They must be all that are configured.
    public var authorities: [String: Authority] {
        let all = Authority.all(
            of: map { ($0.settings, type(of: $0.feed).kind.provider, $0.domain) })
        return Dictionary(zip(map(\.settings.name), all), uniquingKeysWith: { first, _ in first })
    }
}
