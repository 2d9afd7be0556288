public import Model

/// A request to the running daemon: one JSON object on a line.
public struct ControlRequest: Codable, Sendable, Hashable {
    /// What is asked.
    public enum Command: String, Codable, Sendable {
        /// Poll sources now.
        case poll
        /// Forget sources' state, or their events too.
        case reset
        /// Ask the geocoding services.
        case geocode
        /// Read the configuration again.
        case reload
        /// Tell what keeps polls from beginning.
        case health
    }

    /// What is asked.
    public var command: Command
    /// The sources it concerns.
    public var sources: [String]
    /// For `reset`: whether the events go too.
    public var includingEvents: Bool
    /// For `geocode`: the question.
    public var question: PlaceQuery?

    /// Creates a request.
    public init(
        _ command: Command, sources: [String] = [], includingEvents: Bool = false, question: PlaceQuery? = nil
    ) {
        self.command = command
        self.sources = sources
        self.includingEvents = includingEvents
        self.question = question
    }
}

/// One line of the daemon's answer; the last has `isLast`.
public struct ControlReply: Codable, Sendable, Hashable {
    /// The source it concerns.
    public var source: String?
    /// What came of it, for people.
    public var message: String
    /// For `geocode`: what a service says.
    public var service: ServiceReply?
    /// Whether it went well.
    public var isSuccess: Bool
    /// For `reload`: whether the configuration itself is at fault.
    public var isConfigurationFault: Bool?
    /// Whether nothing follows.
    public var isLast: Bool

    /// Creates a reply.
    public init(
        source: String? = nil, message: String, service: ServiceReply? = nil, isSuccess: Bool = true,
        isLast: Bool = false
    ) {
        self.source = source
        self.message = message
        self.service = service
        self.isSuccess = isSuccess
        self.isLast = isLast
    }
}

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
