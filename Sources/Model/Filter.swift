/// Which new events a source accepts. Accepted events go on being updated.
public struct Filter: Sendable, Hashable {
    /// Words of which title or summary must contain one; nil accepts all.
    public var keywords: KeywordFilter?
    /// The smallest magnitude accepted; if set, events without a magnitude are refused.
    public var minimumMagnitude: Double?

    /// Creates a filter; the default accepts everything.
    public init(keywords: KeywordFilter? = nil, minimumMagnitude: Double? = nil) {
        self.keywords = keywords
        self.minimumMagnitude = minimumMagnitude
    }

    /// Why the event is refused: `magnitude` or `keywords`; nil when it is accepted.
    public func refusal(of event: Event) -> String? {
        if let minimumMagnitude, (event.magnitude ?? -.infinity) < minimumMagnitude { return "magnitude" }
        if let keywords, !keywords.matches(event.title), !(event.summary.map(keywords.matches) ?? false) {
            return "keywords"
        }
        return nil
    }
}
