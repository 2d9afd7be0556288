/// Which new events a source accepts; events already accepted go on being updated.
public struct Filter: Sendable, Hashable {
    /// Words of which an event must contain one; nil accepts all.
    public var keywords: KeywordFilter?
    /// Smallest magnitude accepted; events without a magnitude are refused when this is set.
    public var minimumMagnitude: Double?

    /// Creates a filter; the default accepts everything.
    public init(keywords: KeywordFilter? = nil, minimumMagnitude: Double? = nil) {
        self.keywords = keywords
        self.minimumMagnitude = minimumMagnitude
    }

    /// Why the event is refused (`magnitude`, `keywords`), or nil when it is accepted.
    public func refusal(of event: Event) -> String? {
        if let minimumMagnitude, (event.magnitude ?? -.infinity) < minimumMagnitude { return "magnitude" }
        if let keywords, !keywords.matches(event.title), !(event.summary.map(keywords.matches) ?? false) {
            return "keywords"
        }
        return nil
    }
}
