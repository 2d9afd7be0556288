package import Model

/// A correction of an event's place, as it is stored.
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
}
