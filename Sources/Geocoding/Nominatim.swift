public import Fetching
import Foundation
public import Model
import Reading

/// Nominatim, the search of OpenStreetMap: makes the request for a question and reads the answer.
///
/// Both functions are pure; order and rate of requests are decided elsewhere, within the usage policy
/// (<https://operations.osmfoundation.org/policies/nominatim/>). `docs/geocoding.md` has the rules.
public struct Nominatim: Sendable, Hashable {
    /// Enough candidates to see that a name is ambiguous.
    private static let maximumCandidates = 10
    private static let name = "Nominatim"

    private let url: String

    /// Creates the service; `url` is the address of its `search` call, `http` or `https`, without a query. It is not
    /// checked.
    public init(url: String) { self.url = url }

    /// The GET request for a question, for at most ten places with English names as JSON
    /// (<https://nominatim.org/release-docs/latest/api/Search/>). The usage policy asks for a contact in the
    /// User-Agent, which the caller adds.
    public func request(for query: PlaceQuery) -> FetchRequest {
        var parameters: [(name: String, value: String)] = [
            ("q", query.line(withCountry: false)), ("format", "jsonv2"), ("addressdetails", "1"),
            ("accept-language", "en"), ("layer", "address,natural"), ("limit", "\(Self.maximumCandidates)"),
        ]
        if let country = query.context.country { parameters.append(("countrycodes", country.lowercased())) }
        return FetchRequest(url: url.appending(parameters: parameters))
    }

    /// The answer in the body of an HTTP 200: `found` without `evidence`, or `missing` if no place fits, or
    /// several fit that cannot be told apart.
    ///
    /// - Throws: `Failure` with fault `server` and code `nominatim_error`, `not_a_list`, `not_a_place`, or
    ///   `quota_exceeded` if a body that is not JSON mentions a limit. Else for such a body `empty_body`, `html_page`,
    ///   `not_json` or another code of the parser.
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

    /// The answer behind a failed request: `missing` if the service explains an HTTP 400 in its own words.
    /// - Parameter failure: The failure of the request, with its HTTP status and the beginning of the body as excerpt.
    /// - Throws: `Failure`: `quota_exceeded` for HTTP 403, 429 and 509, which mean a block, else the given failure.
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

    /// The words of an error, which is a text or `{"code": …, "message": …}`; at most 200 characters.
    private static func words(of error: JSONValue) -> String {
        let words = error.string ?? error["message"]?.string ?? error.text
        return String(words.split { $0.isWhitespace }.joined(separator: " ").prefix(200))
    }
}
