import Model

extension Settings {
    /// Hints of `visiventd check` about accepted settings that could be better, one sentence each; empty if there are
    /// none. Those of the services are in `GeocodingSettings.advice`, those of `serve` in `ServeSettings.advice`.
    public var advice: [String] {
        let isOutside = sources.contains { source in
            source.isEnabled && !SourceURL.host(of: source.url).isEmpty && !SourceURL.isLoopback(source.url)
        }
        let contacts = ["no contact is set: the operators of the servers that are polled cannot tell whom to write to"]
        return (contact == nil && isOutside ? contacts : []) + sources.flatMap { Self.handles(of: $0) } + late + inClear
    }

    /// A hint for each source of a watch that is polled less often than each minute. Without `sources` a watch hears of
    /// all, and the fastest one decides.
    private var late: [String] {
        let asked = sources.filter(\.isEnabled).sorted { $0.refreshInterval < $1.refreshInterval }
        return watches.filter { !$0.isHealth }.flatMap { watch in
            let named = asked.filter { watch.filter.sources.contains($0.name) }
            let heard = watch.filter.sources.isEmpty ? Array(asked.prefix(1)) : named
            return heard.filter { $0.refreshInterval > .seconds(60) }.map { source in
                let wait = source.refreshInterval.compact
                return "\(watch.name): a message may come \(wait) after the feed shows the event: \(source.name) is "
                    + "polled each \(wait): refresh_interval: 1m where the server allows that"
            }
        }
    }

    /// A hint for each target whose messages can be read on their way.
    private var inClear: [String] {
        deliver.filter { $0.url?.hasPrefix("http:") == true && $0.isRemote }.map { target in
            "\(target.name): messages to \(target.shownAddress) can be read on their way: https encrypts them"
        }
    }

    /// A hint for each keyword that begins with `@` and names no word set.
    private static func handles(of source: SourceSettings) -> [String] {
        (source.filter.keywords?.words ?? []).filter { WordSet.isUnknown($0) }.map { word in
            "\(source.name): keywords: \(shown(word)) is read as the word \(word); write \(shown("@" + word)), so that "
                + "no later word set takes its place"
        }
    }
}
