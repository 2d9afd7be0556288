import Model

extension Settings {
    /// Hints of `visiventd check` about accepted settings that could be better, one sentence each; empty if there are
    /// none. Those of the services are in `GeocodingSettings.advice`, those of `serve` in `ServeSettings.advice`.
    public var advice: [String] {
        let isOutside = sources.contains { source in
            source.isEnabled && !SourceURL.host(of: source.url).isEmpty && !SourceURL.isLoopback(source.url)
        }
        let contacts = ["no contact is set: the operators of the servers that are polled cannot tell whom to write to"]
        return (contact == nil && isOutside ? contacts : []) + sources.flatMap { Self.handles(of: $0) }
    }

    /// A hint for each keyword that begins with `@` and names no word set.
    private static func handles(of source: SourceSettings) -> [String] {
        (source.filter.keywords?.words ?? []).filter { WordSet.isUnknown($0) }.map { word in
            "\(source.name): keywords: \(shown(word)) is read as the word \(word); write \(shown("@" + word)), so that "
                + "no later word set takes its place"
        }
    }
}
