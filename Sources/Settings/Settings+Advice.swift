extension Settings {
    /// Hints of `visiventd check` about accepted settings that could be better, one sentence each; empty if there are
    /// none. Those of the services are in `GeocodingSettings.advice`, those of `serve` in `ServeSettings.advice`.
    public var advice: [String] {
        let isOutside = sources.contains { source in
            source.isEnabled && !SourceURL.host(of: source.url).isEmpty && !SourceURL.isLoopback(source.url)
        }
        guard contact == nil, isOutside else { return [] }
        return ["no contact is set: the operators of the servers that are polled cannot tell whom to write to"]
    }
}
