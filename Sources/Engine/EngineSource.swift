public import Model

/// A configured source, bound to its kind of feed.
public struct EngineSource: Sendable {
    /// Its settings.
    public var settings: SourceSettings
    /// Its kind, bound to it.
    public var feed: any Feed
    /// What the shell knows and the store must not: the kind's `secretFile` options by key.
    public var secrets: [String: Secret]
    /// What is stored of it.
    public var record: SourceRecord

    /// Creates a source; by default without secrets, and as one that has never been polled.
    public init(
        settings: SourceSettings, feed: any Feed, secrets: [String: Secret] = [:], record: SourceRecord? = nil
    ) {
        self.settings = settings
        self.feed = feed
        self.secrets = secrets
        self.record = record ?? SourceRecord(name: settings.name, kind: settings.kind)
    }

    /// Identifies what the source's answers depend on: URL, kind, decoder version, filter and options. When it differs,
    /// validators, feed state and pending work stored before are not used.
    public var fingerprint: String {
        var text = "\(settings.kind) \(type(of: feed).kind.decoderVersion) \(settings.identity) \(settings.url)"
        for word in settings.filter.keywords?.words ?? [] { text += " \(word)" }
        if let magnitude = settings.filter.minimumMagnitude { text += " >=\(magnitude)" }
        for (key, value) in settings.options.sorted(by: { $0.key < $1.key }) { text += " \(key)=\(value)" }
        return FNV64.hex(text)
    }
}
