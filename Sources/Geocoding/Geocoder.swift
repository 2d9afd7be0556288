public import Fetching
public import Model

/// A geocoding service: which request asks a question, and what its answer means.
public enum Geocoder: Sendable, Hashable {
    /// MapQuest.
    case mapquest(MapQuest)
    /// Nominatim.
    case nominatim(Nominatim)

    /// Which service it is.
    public var provider: GeocodeProvider {
        switch self {
        case .mapquest: .mapquest
        case .nominatim: .nominatim
        }
    }

    /// The request that asks a question; its URL's query may hold a key.
    public func request(for query: PlaceQuery) -> FetchRequest {
        switch self {
        case .mapquest(let service): service.request(for: query)
        case .nominatim(let service): service.request(for: query)
        }
    }

    /// What a body that came with HTTP 200 says to the question.
    /// - Throws: `Failure` when it is no answer; messages never hold the key.
    public func answer(_ body: FetchedBody, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(body, to: query)
        case .nominatim(let service): try service.answer(body, to: query)
        }
    }

    /// What a request amounts to that the fetcher calls failed: rarely an answer after all, else the failure, told more
    /// exactly.
    /// - Throws: `Failure`.
    public func answer(failing failure: Failure, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(failing: failure, to: query)
        case .nominatim(let service): try service.answer(failing: failure, to: query)
        }
    }
}
