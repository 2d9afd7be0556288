public import Fetching
public import Model

/// A geocoding service: makes the request for a question and reads the answer.
public enum Geocoder: Sendable, Hashable {
    /// MapQuest's Geocoding API v1.
    case mapquest(MapQuest)
    /// Nominatim's search API.
    case nominatim(Nominatim)

    /// The service's name.
    public var provider: GeocodeProvider {
        switch self {
        case .mapquest: .mapquest
        case .nominatim: .nominatim
        }
    }

    /// The request for a question; the query of its URL may hold a key.
    public func request(for query: PlaceQuery) -> FetchRequest {
        switch self {
        case .mapquest(let service): service.request(for: query)
        case .nominatim(let service): service.request(for: query)
        }
    }

    /// The answer in the body of an HTTP 200.
    /// - Throws: `Failure` if the body is not an answer; its message never holds the key.
    public func answer(_ body: FetchedBody, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(body, to: query)
        case .nominatim(let service): try service.answer(body, to: query)
        }
    }

    /// The answer behind a failed request, if the service rejected the text itself.
    /// - Throws: `Failure`: otherwise the same failure with a more exact code.
    public func answer(failing failure: Failure, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(failing: failure, to: query)
        case .nominatim(let service): try service.answer(failing: failure, to: query)
        }
    }
}
