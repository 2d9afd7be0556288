/// Which new events a source accepts. Accepted events go on being updated.
public struct Filter: Sendable, Hashable {
    /// Words of which title or summary must contain one; nil accepts all, and a filter without a usable word accepts
    /// none.
    public var keywords: KeywordFilter?
    /// The smallest magnitude accepted, itself included; if set, events without a magnitude are refused. Nil accepts
    /// all.
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
