public import Foundation
public import Model

/// A correction of an event's place.
public struct CorrectedPlace: Sendable, Hashable {
    /// The public id of the event.
    public var publicID: String
    /// The title of the event; nil while the event is gone.
    public var title: String?
    /// The correction, never `automatic`.
    public var correction: PlaceCorrection
    /// The name of the user who made it.
    public var user: String
    /// When it was made (wall time).
    public var at: Date

    /// Creates a corrected place with these values, which are not checked.
    public init(publicID: String, title: String?, correction: PlaceCorrection, user: String, at: Date) {
        (self.publicID, self.title, self.correction, self.user, self.at) = (publicID, title, correction, user, at)
    }
}

/// What came of a correction of an event's place.
public enum CorrectionOutcome: Sendable, Hashable {
    /// The event has the place given, or none.
    case corrected
    /// The event is located as if it had never been corrected: it has its feed's place again, or waits for one, unless it
    /// is withdrawn.
    case released(hasPlace: Bool)
    /// The event is gone, and the correction that waited for its return with it.
    case forgotten
    /// There was no correction to take back.
    case uncorrected
    /// There is no event of that public id.
    case unknown
    /// The provider has deleted the words of the event, which has no place for good.
    case erased
    /// As many corrections are kept as may be.
    case tooMany
}
