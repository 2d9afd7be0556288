public import Model

/// What a geocoding service says to a person's question.
public struct ServiceReply: Codable, Sendable, Hashable {
    /// What came of it.
    public enum Status: String, Codable, Sendable {
        /// The place.
        case found
        /// It knows no such place, or cannot tell which.
        case missing
        /// It was asked and gave no answer.
        case failed
        /// It was not asked.
        case notAsked = "not asked"
    }

    /// The service.
    public var provider: GeocodeProvider
    /// What came of it.
    public var status: Status
    /// Why, where there is no place.
    public var reason: String?
    /// Whether it was answered from what is kept, without a request.
    public var isKept: Bool
    /// Degrees north.
    public var latitude: Double?
    /// Degrees east.
    public var longitude: Double?
    /// How exact the place is.
    public var precision: String?
    /// How sure it is, 0…1.
    public var confidence: Double?
    /// The service's name of it.
    public var placeID: String?
    /// ISO 3166-1 alpha-2 code of its country, upper case; nil where the service gives none.
    public var country: String?

    /// Creates a reply.
    public init(
        provider: GeocodeProvider, status: Status, reason: String? = nil, isKept: Bool, latitude: Double? = nil,
        longitude: Double? = nil, precision: String? = nil, confidence: Double? = nil, placeID: String? = nil,
        country: String? = nil
    ) {
        self.provider = provider
        self.status = status
        self.reason = reason
        self.isKept = isKept
        self.latitude = latitude
        self.longitude = longitude
        self.precision = precision
        self.confidence = confidence
        self.placeID = placeID
        self.country = country
    }
}
