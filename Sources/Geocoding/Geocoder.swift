public import Fetching
public import Model

/// A geocoding service: makes the request for a question and reads the answer.
///
/// Its functions are pure and safe on any thread; sending, order, rate and quotas are the caller's.
public enum Geocoder: Sendable, Hashable {
    /// MapQuest's Geocoding API v1, which needs a key.
    case mapquest(MapQuest)
    /// Nominatim's search API, which has no key.
    case nominatim(Nominatim)

    /// Which service it is; its raw value names it in the configuration.
    public var provider: GeocodeProvider {
        switch self {
        case .mapquest: .mapquest
        case .nominatim: .nominatim
        }
    }

    /// The key that its requests carry; nil: none.
    public var key: Secret? {
        switch self {
        case .mapquest(let service): service.key
        case .nominatim: nil
        }
    }

    /// The GET request for a question; the query of its URL may hold a key, so log the URL only without it.
    public func request(for query: PlaceQuery) -> FetchRequest {
        switch self {
        case .mapquest(let service): service.request(for: query)
        case .nominatim(let service): service.request(for: query)
        }
    }

    /// The answer in the body of an HTTP 200: `found` without `evidence`, or `missing` if no place fits, or
    /// several fit that cannot be told apart.
    /// - Throws: `Failure` with fault `server`, or `operator` for a refused key, if the body is not an answer. The
    ///   codes are those of `MapQuest.answer` and `Nominatim.answer`; its message never holds the key.
    public func answer(_ body: FetchedBody, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(body, to: query)
        case .nominatim(let service): try service.answer(body, to: query)
        }
    }

    /// The answer behind a failed request: `missing` if the service rejected the text itself.
    /// - Throws: `Failure`: otherwise the same failure, with code `quota_exceeded` or `key_refused` if the service says
    ///   so.
    public func answer(failing failure: Failure, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        switch self {
        case .mapquest(let service): try service.answer(failing: failure, to: query)
        case .nominatim(let service): try service.answer(failing: failure, to: query)
        }
    }
}
