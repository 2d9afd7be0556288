package import Model

/// A correction of an event's place, as it is stored.
///
/// 1. The event has the operator's place, or none, and waits for none. Newer versions leave it alone (`Revising.take`).
/// 2. The place by the feed's geometry is kept beneath it, and so are the words in which a place was found or sought. A
///    further correction keeps both.
/// 3. When it is taken back, the event has the feed's place again, or waits for one.
/// 4. Of the corrections of two rows that become one the later counts, of equal ones that of the row that stays. A
///    removed event that comes back gets the latest that one of its names had, unless it has one or was deleted.
/// 5. The change is `located`, but `revised` for a withdrawn event, and for one that has no place after (3).
package struct Correction: Sendable {
    /// The operator's words, never `automatic`.
    package var words: PlaceCorrection
    /// The name of the user who made it.
    package var user: String
    /// When it was made, in milliseconds since 1970.
    package var time: Int64
    /// The place that the event has by the geometry of its feed; nil: none.
    package var feedPlace: Location?
    /// The words in which a place was found or sought before.
    package var soughtText: String?

    /// Creates a correction; by default the feed gives no place, and none was sought.
    package init(
        words: PlaceCorrection, user: String, time: Int64, feedPlace: Location? = nil, soughtText: String? = nil
    ) {
        self.words = words
        self.user = user
        self.time = time
        self.feedPlace = feedPlace
        self.soughtText = soughtText
    }

    /// What becomes of an event's row.
    package struct Effect: Sendable {
        /// The row with its place.
        package var row: EventRow
        /// What users see.
        package var kind: EventChange.Kind

        fileprivate init(_ row: EventRow, at place: Location?, isLocated: Bool) {
            self.row = row
            self.row.location = place
            kind = isLocated && row.withdrawnReason == nil ? .located : .revised
        }
    }

    /// Corrects the place of an event.
    /// - Parameters:
    ///   - known: The correction in force; nil: there is none.
    ///   - soughtText: The words in which a place is sought; asked only where they decide.
    package mutating func put(
        on row: EventRow, over known: Correction?, soughtText: () throws -> String?
    ) rethrows -> Effect {
        if let known {
            (feedPlace, self.soughtText) = (known.feedPlace, known.soughtText)
        } else {
            feedPlace = row.location.flatMap { $0.method.isGeocoded ? nil : $0 }
            self.soughtText = try row.location?.matchedText ?? soughtText()
        }
        return Effect(row, at: words.location, isLocated: true)
    }

    /// Takes the correction back from its event.
    package func release(from row: EventRow) -> Effect { Effect(row, at: feedPlace, isLocated: feedPlace != nil) }

    /// Whether it counts rather than another one that is there already.
    package func isLater(than other: Correction?) -> Bool { time > other?.time ?? .min }
}
