package import Model

/// What becomes of a place that was sought for an event.
///
/// 1. The store drops an outcome for an event that has been revised since the search began, or that waits no more.
/// 2. An event gets a place if it has none and is not withdrawn.
/// 3. A service's answer is for all events that ask its question, each with its own words. The confidence in it is
///    lowered by how far their kind of text is trusted.
/// 4. A place found by name can be taken away again; one by the feed's geometry cannot.
package enum Placing {
    /// The row with a place; nil: it gets none.
    package static func located(_ row: EventRow, at place: Location) -> EventRow? {
        guard row.location == nil, row.withdrawnReason == nil else { return nil }
        var row = row
        row.location = place
        return row
    }

    /// The row without the place that was found by name; nil: it stays as it is.
    /// - Parameter revision: The number of the revision to which the place is to be taken away.
    package static func unlocated(_ row: EventRow, revision: Int64) -> EventRow? {
        guard row.revision == revision, row.location?.method.isGeocoded == true else { return nil }
        var row = row
        row.location = nil
        return row
    }

    /// A service's place for one of the events that have asked for it.
    /// - Parameters:
    ///   - evidence: The kind of text in which the event asks.
    ///   - words: The event's words for the place.
    package static func own(_ place: Location, evidence: PlaceEvidence?, words: String?) -> Location {
        var place = place
        place.evidence = evidence
        place.confidence *= evidence?.trust ?? 1
        place.matchedText = words
        return place
    }
}
