public import Fetching
import Foundation
public import Model
import Reading

/// Nominatim, the search of OpenStreetMap: which request asks a question, and what its answer means.
///
/// Both are pure; who asks, when and how often is decided elsewhere, within the usage policy
/// (<https://operations.osmfoundation.org/policies/nominatim/>). The rules are those of `docs/geocoding.md`.
public struct Nominatim: Sendable, Hashable {
    /// Most candidates asked for: enough to see that a name is ambiguous.
    private static let maximumCandidates = 10
    private static let name = "Nominatim"

    private let url: String

    /// Creates it; `url` is the address of `search` at the service, `http` or `https`, without a query.
    public init(url: String) { self.url = url }

    /// The request that asks a question (<https://nominatim.org/release-docs/latest/api/Search/>).
    public func request(for query: PlaceQuery) -> FetchRequest {
        var parameters: [(name: String, value: String)] = [
            ("q", query.line(withCountry: false)), ("format", "jsonv2"), ("addressdetails", "1"),
            ("accept-language", "en"), ("layer", "address,natural"), ("limit", "\(Self.maximumCandidates)"),
        ]
        if let country = query.context.country { parameters.append(("countrycodes", country.lowercased())) }
        return FetchRequest(url: url.appending(parameters: parameters))
    }

    /// What a body that came with HTTP 200 says to the question.
    ///
    /// - Throws: `Failure` of fault `server` with `quota_exceeded`, `nominatim_error`, `not_a_list` or a code of
    ///   `ServiceAnswer.read`.
    public func answer(_ body: FetchedBody, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        let service = ServiceAnswer(service: Self.name, data: body.data)
        return try service.read { root in
            if let error = root["error"] {
                let words = Self.words(of: error)
                return .failure(service.failure("nominatim_error", "answers with an error: \(words)"))
            }
            guard root.kind == .array else {
                return .failure(
                    service.failure("not_a_list", "answers JSON that is no list of places; its url must end in search"))
            }
            guard root.elements.allSatisfy({ $0.kind == .object }) else {
                return .failure(service.failure("not_a_place", "answers a list of something else than places"))
            }
            let offers = root.elements.prefix(Self.maximumCandidates).map { NominatimPlace($0).offer(to: query) }
            return .success(CandidateChoice.answer(offers, to: query, by: .nominatim))
        }
    }

    /// What a request amounts to that the fetcher calls failed: an answer where the service says in its own words that
    /// the text cannot be a place, else the same failure, told more exactly.
    /// - Throws: `Failure`; being blocked, answered 403, 429 or 509, is `quota_exceeded`.
    public func answer(failing failure: Failure, to query: PlaceQuery) throws(Failure) -> ProviderAnswer {
        let service = ServiceAnswer(service: Self.name, data: failure.excerpt ?? Data())
        var failure = failure
        if failure.status == 400 {
            let words = try? service.read { root -> Result<String?, Failure> in
                .success(root["error"].map { Self.words(of: $0) })
            }
            if let words { return .missing(reason: "refused: \(words)") }
        }
        if let status = failure.status, [403, 429, 509].contains(status) {
            failure.code = "quota_exceeded"
            failure.message = "Nominatim refuses (HTTP \(status)): too many requests, or a User-Agent without contact"
        }
        throw failure
    }

    /// The words of an error, a text or `{"code": …, "message": …}`, at most 200 characters.
    private static func words(of error: JSONValue) -> String {
        let words = error.string ?? error["message"]?.string ?? error.text
        return String(words.split { $0.isWhitespace }.joined(separator: " ").prefix(200))
    }
}
