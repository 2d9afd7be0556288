public import Model

/// A geocoding service's reply to a person's question.
public struct ServiceReply: Codable, Sendable, Hashable {
    /// The outcome of the question; the raw value is the word in JSON.
    public enum Status: String, Codable, Sendable {
        /// The service knows the place; the coordinate is set.
        case found
        /// The service knows no such place, or several that it cannot tell apart.
        case missing
        /// The request failed; `reason` tells why.
        case failed
        /// The service was not asked; `reason` tells why.
        case notAsked = "not asked"
    }

    /// The service that replies, or that was not asked.
    public var provider: GeocodeProvider
    /// The outcome of the question for this service.
    public var status: Status
    /// The reason, in words for people; nil for `found`.
    public var reason: String?
    /// Whether a kept answer was used, without a request.
    public var isKept: Bool
    /// Degrees north (WGS 84), -90…90; nil unless the place was found.
    public var latitude: Double?
    /// Degrees east (WGS 84), -180…180; nil unless the place was found.
    public var longitude: Double?
    /// The precision of the place, a raw value of `Location.Precision`; nil unless it was found.
    public var precision: String?
    /// The confidence in the place, 0…1; nil unless it was found.
    public var confidence: Double?
    /// The service's identifier of the place, such as `osm:node/123`; nil if there is none.
    public var placeID: String?
    /// ISO 3166-1 alpha-2 code of its country, in upper case; nil if the service gives none.
    public var country: String?

    /// Creates a reply with these values, which are not checked; by default without a place and a reason.
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
